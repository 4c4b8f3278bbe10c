package sparse

import (
	"fmt"
	"math"
	"slices"
)

// A labelCollector collects the labels of a file. At the end of the file it decides what they are: numbers,
// labels of two classes, which the Dataset stores as −1 and +1, or labels of more classes.
type labelCollector struct {
	name   string
	opt    *ReadOptions
	words  []string   // words[k] is the word for which the label k stands; nil if labels are numbers
	labels []float64  // the labels as they are in the file
	kinds  labelKinds // the different labels; empty if the options ask for numbers
}

// A labelKind is a label, the number of its rows, and the place where it first occurs.
type labelKind struct {
	label        float64
	rows         int
	line, column int
}

// labelKinds holds the different labels of a file.
type labelKinds struct {
	list  []labelKind     // in order of first occurrence
	index map[float64]int // the position of each label in list
}

// add adds a kind, whose label must be new.
func (k *labelKinds) add(kind labelKind) {
	if k.index == nil {
		k.index = map[float64]int{}
	}
	k.index[kind.label] = len(k.list)
	k.list = append(k.list, kind)
}

// find returns the kind of a label, or nil if the label is new.
func (k *labelKinds) find(label float64) *labelKind {
	const shortList = 8 // the first kinds are found faster without the index
	for i := range k.list[:min(len(k.list), shortList)] {
		if k.list[i].label == label {
			return &k.list[i]
		}
	}
	if i, ok := k.index[label]; ok {
		return &k.list[i]
	}
	return nil
}

// allows reports whether label, which must be new, may be added. Up to two labels are allowed, or up to
// maxLabels if all of them are whole numbers.
func (k *labelKinds) allows(label float64, maxLabels int) bool {
	isFraction := func(s labelKind) bool { return s.label != math.Trunc(s.label) }
	n := len(k.list)
	return n < max(2, maxLabels) &&
		(n < 2 || label == math.Trunc(label) && !slices.ContainsFunc(k.list, isFraction))
}

func (c *labelCollector) labelText(label float64) string {
	if c.words != nil {
		return c.words[int(label)]
	}
	return formatFloat(label)
}

// add adds the label of a row, or returns an error if opt does not allow it.
func (c *labelCollector) add(label float64, line, column int) error {
	err := c.count(labelKind{label, 1, line, column})
	if err == nil {
		c.labels = append(c.labels, label)
	}
	return err
}

// count adds a label and its number of rows to c.kinds. If opt asks for numbers, count only checks the label.
// It returns an error if opt does not allow the label.
func (c *labelCollector) count(rows labelKind) error {
	if c.opt.Counts && rows.label < 0 {
		return c.errorAt(rows,
			"a label below 0: expected counts, or other numbers that are not negative",
			correctLabel, leaveRowOut,
			Remedy{Field: "ReadOptions.Counts", To: "false", If: "negative labels are right"})
	}
	if c.opt.numericLabels() {
		return nil
	}
	if kind := c.kinds.find(rows.label); kind != nil {
		kind.rows += rows.rows
		return nil
	}
	if c.opt.listsLabels() {
		if _, listed := c.listedClass(rows.label); !listed {
			return c.errorAt(rows, c.opt.unknownLabelMessage(c.words != nil), ignoreLabels)
		}
	} else if !c.kinds.allows(rows.label, c.opt.MaxClasses) {
		msg, remedies := c.tooManyMessage()
		return c.errorAt(rows, msg, remedies...)
	}
	c.kinds.add(rows)
	return nil
}

// listedClass returns the number of the class, among the classes that the options list, for a label of the
// file. ok is false if the options do not list this label.
func (c *labelCollector) listedClass(label float64) (k int, ok bool) {
	if c.words == nil {
		return c.opt.Classes.Find(label)
	}
	return find(c.opt.Classes.Names, c.words[int(label)])
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
		return fmt.Sprintf("more than %d different labels: expected at most %[1]d classes",
			maxClasses), []Remedy{readRemedy}
	}
	remedies = []Remedy{keepTwo, mergeSome}
	if maxClasses <= 2 {
		remedies = append(remedies, moreClasses)
	}
	msg = fmt.Sprintf("a third label, after %s (line %d) and %s (line %d): expected two classes%s",
		c.labelText(kinds[0].label), kinds[0].line, c.labelText(kinds[1].label), kinds[1].line, suffix)
	return msg, append(remedies, readRemedy)
}

// numericLabels reports whether the options ask for the labels of the file as they are. They then do not
// become the labels of classes.
func (o *ReadOptions) numericLabels() bool { return o.Regression || o.AnyLabels }

// listsLabels reports whether the options list the allowed labels.
func (o *ReadOptions) listsLabels() bool { return !o.Classes.IsZero() }

// listsWords reports whether the options list the allowed labels as words.
func (o *ReadOptions) listsWords() bool { return o.Classes.Names != nil }

// unknownLabelMessage returns the error message for a label that the options do not list. areWords says
// whether the labels in the file are words. If the file has numbers and the options list words, the message
// also has the number of each word.
func (o *ReadOptions) unknownLabelMessage(areWords bool) string {
	names := o.Classes.All()
	if o.listsWords() && !areWords {
		for k, v := range o.Classes.Values {
			names[k] = formatFloat(v) + " (" + names[k] + ")"
		}
	}
	if len(names) == 2 {
		return fmt.Sprintf("unknown label: expected %s or %s", names[0], names[1])
	}
	return "unknown label: expected one of " + firstNames(names)
}

func (c *labelCollector) errorAt(kind labelKind, msg string, remedies ...Remedy) error {
	return &ParseError{
		File: c.name, Line: kind.line, Column: kind.column, Token: c.labelText(kind.label),
		Msg: msg, Remedies: remedies,
	}
}

// assignLabels sets the labels of d and their classes; see resolve.
func (c *labelCollector) assignLabels(d *Dataset) error {
	value, err := c.resolve(d)
	if err != nil {
		return err
	}
	d.Labels = c.labels
	for i, label := range d.Labels {
		d.Labels[i] = value(label)
	}
	return nil
}

// resolve sets d.Classes and d.Signs. All labels must have been counted before. It returns a function that
// converts a label of the file to the label that d stores. A file with a single label is an error, unless opt
// lists the labels or asks for numbers.
func (c *labelCollector) resolve(d *Dataset) (value func(label float64) float64, err error) {
	number := c.sortWords()
	switch kinds := c.kinds.list; {
	case c.opt.numericLabels():
		for k := range c.words {
			d.Classes.Values = append(d.Classes.Values, float64(k))
		}
		d.Classes.Names = c.words
		return number, nil
	case c.opt.listsLabels():
		d.Classes, d.Signs = c.opt.Classes, len(c.opt.Classes.Values) == 2
		return func(label float64) float64 {
			label = number(label)
			switch k, _ := c.listedClass(label); {
			case d.Signs:
				return signOf(k)
			case c.words != nil:
				return d.Classes.Values[k]
			}
			return label
		}, nil
	case len(kinds) == 1:
		remedies := []Remedy{{Field: "ReadOptions.Classes", To: "the classes of an existing model"}}
		if c.words == nil {
			remedies = append([]Remedy{readNumbers}, remedies...)
		}
		return nil, fileErrorf(c.name, "every label is %s: expected two classes",
			c.labelText(kinds[0].label)).with(remedies...)
	case len(kinds) > 2:
		d.Classes = c.classes()
		return number, c.checkClasses(d.Classes)
	}
	classes := c.classes()
	ordered, ok := classes.WithPositive(c.opt.Positive, c.opt.PositiveName)
	if !ok {
		return nil, fileErrorf(c.name,
			"the label %s said to be positive does not occur: the labels are %s and %s",
			c.opt.positiveText(), classes.Name(0), classes.Name(1))
	}
	d.Classes, d.Signs = ordered, true
	return func(label float64) float64 {
		k, _ := ordered.Find(number(label))
		return signOf(k)
	}, nil
}

// sortWords sorts c.words in byte order. A label that stands for a word is the position of the word in
// c.words, so sortWords also changes the labels in c.kinds. It returns a function that converts a label from
// before to the new one. If labels are not words, this function returns its argument.
func (c *labelCollector) sortWords() (number func(label float64) float64) {
	if c.words == nil {
		return func(label float64) float64 { return label }
	}
	sorted := slices.Sorted(slices.Values(c.words))
	positions := make([]float64, len(sorted))
	for k, word := range c.words {
		position, _ := slices.BinarySearch(sorted, word)
		positions[k] = float64(position)
	}
	for k := range c.kinds.list {
		kind := &c.kinds.list[k]
		kind.label = positions[int(kind.label)]
	}
	c.words = sorted
	return func(label float64) float64 { return positions[int(label)] }
}

// positiveText returns the label that o says to be positive.
func (o *ReadOptions) positiveText() string {
	if o.PositiveName != "" {
		return o.PositiveName
	}
	return formatFloat(*o.Positive)
}

// classes returns the labels that have occurred. The words must be in byte order.
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

// checkClasses checks labels of more than two classes. It returns an error if opt names a positive label, or
// if a class has only one row, because such a label is usually a typing mistake.
func (c *labelCollector) checkClasses(classes Classes) error {
	if c.opt.Positive != nil || c.opt.PositiveName != "" {
		return fileErrorf(c.name,
			"the label %s is to be positive, but there are %d classes, %s: expected two",
			c.opt.positiveText(), len(classes.Values), firstNames(classes.All())).with(anyPositive)
	}
	for _, kind := range slices.Backward(c.kinds.list) {
		if kind.rows > 1 {
			continue
		}
		class := c.labelText(kind.label)
		otherClasses := slices.DeleteFunc(classes.All(), func(s string) bool { return s == class })
		msg := fmt.Sprintf("the only row of this label, beside %s: expected two rows of every class or more",
			firstNames(otherClasses))
		return c.errorAt(kind, msg, correctLabel, leaveRowOut, readNumbers)
	}
	return nil
}
