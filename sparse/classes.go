package sparse

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// Classes lists the labels of a problem with more than two classes, or labels that are words and are not
// mapped to -1 and +1. The zero value lists none.
type Classes struct {
	// Values holds the labels in increasing order. Labels that are words have the values 0, 1, ...
	Values []float64 `json:"values"`
	// Names holds the words in byte order; it is nil if the labels are numbers.
	Names []string `json:"names,omitempty"`
}

// IsZero reports whether c lists no classes.
func (c Classes) IsZero() bool { return c.Values == nil }

// Name returns the label of class k, counted from 0: its word, or its number in decimal.
func (c Classes) Name(k int) string {
	if c.Names != nil {
		return c.Names[k]
	}
	return formatFloat(c.Values[k])
}

// All returns the names of all classes.
func (c Classes) All() []string {
	names := make([]string, len(c.Values))
	for k := range names {
		names[k] = c.Name(k)
	}
	return names
}

// Find returns the number of the class with this label, counted from 0. ok is false if there is
// no such class.
func (c Classes) Find(label float64) (k int, ok bool) { return slices.BinarySearch(c.Values, label) }

// Mapping returns the mapping of two classes to -1 and +1. positive or positiveName says which class is positive, see
// ReadOptions.Positive and ReadOptions.PositiveName. If positive is nil and positiveName is "", it is class 1. ok is
// false if there is no such class.
func (c Classes) Mapping(positive *float64, positiveName string) (m LabelMapping, ok bool) {
	k := 1 // the positive class
	switch {
	case positive == nil && positiveName == "":
	case c.Names != nil && positiveName != "":
		k = slices.Index(c.Names, positiveName)
	case c.Names != nil:
		k = slices.Index(c.Names, strconv.FormatFloat(*positive, 'f', -1, 64))
	case positive != nil:
		k = slices.Index(c.Values, *positive)
	default: // a word, and the labels are numbers
		k = -1
	}
	if k < 0 {
		return m, false
	}
	m = LabelMapping{Negative: c.Values[1-k], Positive: c.Values[k]}
	if c.Names != nil {
		m.NegativeName, m.PositiveName = c.Names[1-k], c.Names[k]
	}
	return m, true
}

// A seenLabel is a label and the place where it first occurs.
type seenLabel struct {
	label        float64
	line, column int
}

// seenLabels holds the different labels of a file in order of first occurrence.
type seenLabels struct {
	list []seenLabel
	set  map[float64]struct{} // the labels as a set, made by the method contains; nil for a few labels
}

func (k *seenLabels) contains(label float64) bool {
	const shortList = 8 // a list of up to this many labels is searched; a longer one becomes a set
	switch n := len(k.list); {
	case n > 0 && label == k.list[0].label, n > 1 && label == k.list[1].label:
		return true
	case n <= shortList:
		return slices.ContainsFunc(k.list, func(s seenLabel) bool { return s.label == label })
	}
	if k.set == nil {
		k.set = map[float64]struct{}{}
	}
	for _, s := range k.list[len(k.set):] {
		k.set[s.label] = struct{}{}
	}
	_, known := k.set[label]
	return known
}

func (k *seenLabels) add(s seenLabel) { k.list = append(k.list, s) }

// allows reports whether label, which must be new, may be added. Up to two labels are allowed, or up to
// maxLabels if all of them are whole numbers.
func (k *seenLabels) allows(label float64, maxLabels int) bool {
	isFraction := func(s seenLabel) bool { return s.label != math.Trunc(s.label) }
	n := len(k.list)
	return n < max(2, maxLabels) &&
		(n < 2 || label == math.Trunc(label) && !slices.ContainsFunc(k.list, isFraction))
}

// labelCollector stores the labels of a file and collects their different values.
type labelCollector struct {
	name   string
	opt    *ReadOptions
	labels []float64
	kinds  seenLabels
	// words[k] is the word of label k. words is nil if labels are numbers. It is also nil for a table if the
	// options list the words.
	words []string
}

func (c *labelCollector) labelText(label float64) string {
	if c.words != nil {
		return c.words[int(label)]
	}
	return formatFloat(label)
}

func (c *labelCollector) add(label float64, line, column int) error {
	label, err := c.accept(label, line, column)
	if err == nil {
		c.labels = append(c.labels, label)
	}
	return err
}

// accept returns the value to store for a label, or an error if opt does not allow the label. If opt
// neither lists the labels nor asks for numbers, accept adds a new label to c.kinds.
func (c *labelCollector) accept(label float64, line, column int) (float64, error) {
	if c.opt.Counts && label < 0 {
		return 0, c.errorAt(label, line, column,
			"a label below 0: expected counts, or other numbers that are not negative",
			correctLabel, leaveRowOut,
			Remedy{Field: "ReadOptions.Counts", To: "false", If: "negative labels are right"})
	}
	if c.opt.numericLabels() {
		return label, nil
	}
	if c.opt.listsLabels() {
		v, ok := c.opt.labelValue(label)
		if c.words != nil {
			v, ok = c.opt.wordValue(c.labelText(label))
		}
		if !ok {
			return 0, c.errorAt(label, line, column, c.opt.unknownLabelMessage(c.words != nil), ignoreLabels)
		}
		return v, nil
	}
	if c.kinds.contains(label) {
		return label, nil
	}
	if !c.kinds.allows(label, c.opt.MaxClasses) {
		msg, remedies := c.tooManyMessage()
		return 0, c.errorAt(label, line, column, msg, remedies...)
	}
	c.kinds.add(seenLabel{label, line, column})
	return label, nil
}

func (c *labelCollector) tooManyMessage() (msg string, remedies []Remedy) {
	kinds, maxClasses := c.kinds.list, c.opt.MaxClasses
	readRemedy, suffix := readNumbers, ""
	if c.words != nil {
		readRemedy = chooseLabel
	} else if maxClasses > 2 {
		suffix = ", or whole numbers for more"
	}
	if maxClasses > 2 && len(kinds) >= maxClasses {
		return fmt.Sprintf("more than %d different labels: expected at most %[1]d classes", maxClasses), []Remedy{readRemedy}
	}
	msg = fmt.Sprintf("a third label, after %s (line %d) and %s (line %d): expected two classes%s",
		c.labelText(kinds[0].label), kinds[0].line, c.labelText(kinds[1].label), kinds[1].line, suffix)
	return msg, []Remedy{keepTwo, mergeSome, readRemedy}
}

// numericLabels reports whether the options ask for labels as they are, without a mapping of classes.
func (o *ReadOptions) numericLabels() bool { return o.Regression || o.AnyLabels }

// listsLabels reports whether the options list the allowed labels.
func (o *ReadOptions) listsLabels() bool { return !o.Mapping.IsZero() || !o.Classes.IsZero() }

// listsWords reports whether the options list the allowed labels as words.
func (o *ReadOptions) listsWords() bool { return o.Mapping.named() || o.Classes.Names != nil }

// wordValue returns the value to store for a label that is a word; ok is false if the options do not
// list the word.
func (o *ReadOptions) wordValue(word string) (v float64, ok bool) {
	switch m := o.Mapping; {
	case m.named() && word == m.PositiveName:
		return 1, true
	case m.named() && word == m.NegativeName:
		return -1, true
	}
	k, ok := slices.BinarySearch(o.Classes.Names, word)
	if !ok {
		return 0, false
	}
	return o.Classes.Values[k], true
}

// labelValue returns the value to store for a label; ok is false if the options do not list
// it.
func (o *ReadOptions) labelValue(label float64) (v float64, ok bool) {
	if !o.Mapping.IsZero() {
		return o.Mapping.Sign(label)
	}
	_, ok = o.Classes.Find(label)
	return label, ok
}

// unknownLabelMessage returns the error message for a label that the options do not list. areWords says
// whether the labels in the file are words. If they are numbers, and the options list words, the message has
// the number that stands for each word.
func (o *ReadOptions) unknownLabelMessage(areWords bool) string {
	m, c := o.Mapping, o.Classes
	both := func(v float64, word string) string { return formatFloat(v) + " (" + word + ")" }
	if m.named() && !areWords {
		m.NegativeName, m.PositiveName = both(m.Negative, m.NegativeName), both(m.Positive, m.PositiveName)
	}
	if c.Names != nil && !areWords {
		c.Names = slices.Clone(c.Names)
		for k, v := range c.Values {
			c.Names[k] = both(v, c.Names[k])
		}
	}
	if !m.IsZero() {
		return fmt.Sprintf("unknown label: expected %s or %s", m.Name(-1), m.Name(1))
	}
	return "unknown label: expected one of " + firstNames(c.All())
}

func (c *labelCollector) errorAt(label float64, line, column int, msg string, remedies ...Remedy) error {
	return &ParseError{
		File: c.name, Line: line, Column: column, Token: c.labelText(label),
		Msg: msg, Remedies: remedies,
	}
}

// assignLabels sets the labels of d and their mapping or classes. A single class is an error, unless
// opt lists the labels or asks for numbers.
func (c *labelCollector) assignLabels(d *Dataset) error {
	d.Labels = c.labels
	switch kinds := c.kinds.list; {
	case c.opt.numericLabels():
		for k := range c.words {
			d.Classes.Values = append(d.Classes.Values, float64(k))
		}
		d.Classes.Names = c.words
		return nil
	case c.opt.listsLabels():
		d.Mapping, d.Classes = c.opt.Mapping, c.opt.Classes
		return nil
	case len(kinds) == 1:
		remedies := []Remedy{{Field: "ReadOptions.Mapping", To: "the mapping of an existing model"}}
		if c.words == nil {
			remedies = append([]Remedy{readNumbers}, remedies...)
		}
		msg := fmt.Sprintf("every label is %s: expected two classes", c.labelText(kinds[0].label))
		return &ParseError{File: c.name, Msg: msg, Remedies: remedies}
	case len(kinds) > 2:
		d.Classes = c.classes()
		return d.checkClasses(c.name, c.opt, kinds)
	}
	return c.assignPair(d)
}

// assignPair sets the labels of d to -1 and +1, and sets their mapping. It returns an error if the
// positive label that opt names does not occur.
func (c *labelCollector) assignPair(d *Dataset) error {
	classes := c.classes()
	m, ok := classes.Mapping(c.opt.Positive, c.opt.PositiveName)
	if !ok {
		return &ParseError{File: c.name, Msg: fmt.Sprintf("the label %s said to be positive does not occur: the labels are %s and %s",
			c.opt.positiveText(), classes.Name(0), classes.Name(1))}
	}
	for i, label := range d.Labels {
		d.Labels[i], _ = m.Sign(label)
	}
	d.Mapping = m
	return nil
}

// positiveText returns the label that o says to be positive.
func (o *ReadOptions) positiveText() string {
	if o.PositiveName != "" {
		return o.PositiveName
	}
	return formatFloat(*o.Positive)
}

// classes returns the labels that have occurred.
func (c *labelCollector) classes() (classes Classes) {
	for _, kind := range c.kinds.list {
		classes.Values = append(classes.Values, kind.label)
	}
	slices.Sort(classes.Values)
	if c.words != nil {
		for _, label := range classes.Values {
			classes.Names = append(classes.Names, c.labelText(label))
		}
	}
	return classes
}

// checkClasses checks labels of more than two classes. It returns an error if opt names a
// positive label, or if a class has only one row, because such a label is usually a typing
// mistake. kinds holds the different labels, each with the place where it first occurs.
func (d *Dataset) checkClasses(name string, opt *ReadOptions, kinds []seenLabel) error {
	if opt.Positive != nil || opt.PositiveName != "" {
		return &ParseError{
			File: name,
			Msg: fmt.Sprintf("the label %s is to be positive, but there are %d classes, %s: expected two",
				opt.positiveText(), len(d.Classes.Values), firstNames(d.Classes.All())),
			Remedies: []Remedy{{Field: "ReadOptions.Positive", To: "nil"}},
		}
	}
	rowCounts := make([]int, len(d.Classes.Values))
	_ = d.eachLabelBlock(func(_ int, labels []float64) error {
		for _, label := range labels {
			k, _ := d.Classes.Find(label)
			rowCounts[k]++
		}
		return nil
	})
	for _, kind := range slices.Backward(kinds) {
		k, _ := d.Classes.Find(kind.label)
		if rowCounts[k] > 1 {
			continue
		}
		class := d.Classes.Name(k)
		otherClasses := slices.DeleteFunc(d.Classes.All(), func(s string) bool { return s == class })
		return &ParseError{
			File: name, Line: kind.line, Column: kind.column, Token: class,
			Msg: fmt.Sprintf("the only row of this label, beside %s: expected two rows of every class or more",
				firstNames(otherClasses)),
			Remedies: []Remedy{correctLabel, leaveRowOut, readNumbers},
		}
	}
	return nil
}

// eachLabelBlock calls do for all labels, at most 2^20 at a time; lo is the row of the first of these labels.
// After each call it releases the memory of labels in a mapped file.
func (d *Dataset) eachLabelBlock(do func(lo int, labels []float64) error) error {
	const maxLabels = 1 << 20
	for lo := 0; lo < len(d.Labels); lo += maxLabels {
		hi := min(lo+maxLabels, len(d.Labels))
		err := do(lo, d.Labels[lo:hi])
		if d.X != nil && d.X.file != nil {
			d.X.file.ReleaseLabels(d.X.file.firstRow+lo, d.X.file.firstRow+hi)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
