package sparse

import (
	"fmt"
	"slices"
	"strings"
)

// tableLabels collects the labels of a table. They are words if the options list words, or, without
// a list, if the first label is a word.
type tableLabels struct {
	labelCollector
	begun, worded bool
	numbers       map[string]float64 // the number of each word, in order of first occurrence
	words         []string
	seen          []labelKind // the place where each word first occurs
}

// take adds the label in a cell; it returns what is wrong with the label, or nil.
func (l *tableLabels) take(c *cell, b []byte, line int) (wrong *ParseError) {
	v, number := c.number(b)
	if !l.begun {
		l.begin(number)
	}
	switch word := string(c.text); {
	case isMissing(c.text):
		return wrongCell("a missing label: expected a label in every line")
	case isNonFinite(word):
		return wrongCell("the label is not finite: expected a finite decimal number")
	case l.worded:
		return l.takeWord(word, line)
	case !number && l.opt.listLabels():
		return l.unknown()
	case !number:
		return wrongCell("expected a finite decimal number, as in the first line of the labels")
	}
	if err := l.add(v, line, 0); err != nil {
		return err.(*ParseError)
	}
	return nil
}

// begin decides whether the labels are words. number says whether the first label is a
// number.
func (l *tableLabels) begin(number bool) {
	l.begun, l.worded = true, !number
	if l.opt.listLabels() {
		l.worded = l.opt.Mapping.named() || l.opt.Classes.Names != nil
	}
	l.numbers = map[string]float64{}
	for k, word := range l.opt.Classes.Names {
		l.numbers[word] = l.opt.Classes.Values[k]
	}
}

// unknown returns the error that a word is not a label that the options list.
func (l *tableLabels) unknown() *ParseError { return wrongCell(l.opt.unknownLabel(true), ignoreLabels) }

// takeWord adds a label that is a word; it returns what is wrong with the label, or nil.
func (l *tableLabels) takeWord(word string, line int) (wrong *ParseError) {
	v, known := l.numbers[word]
	switch o := l.opt; {
	case o.Regression:
		return wrongCell("a label that is a word: expected a finite decimal number",
			Remedy{Field: "ReadOptions.Regression", To: "false", If: "these are classes"}, chooseLabel)
	case !o.Mapping.IsZero():
		switch word {
		case o.Mapping.PositiveName:
			v = 1
		case o.Mapping.NegativeName:
			v = -1
		default:
			return l.unknown()
		}
	case known:
	case o.listLabels():
		return l.unknown()
	case len(l.words) >= max(2, o.MaxClasses) && !o.AnyLabels:
		return l.tooManyWords()
	default:
		v = float64(len(l.words))
		l.numbers[strings.Clone(word)] = v
		l.words, l.seen = append(l.words, word), append(l.seen, labelKind{v, line, 0})
	}
	l.labels = append(l.labels, v)
	return nil
}

// tooManyWords returns the error that a word is one class too many.
func (l *tableLabels) tooManyWords() *ParseError {
	if limit := l.opt.MaxClasses; limit > 2 {
		msg := fmt.Sprintf("more than %d different labels: expected at most %[1]d classes", limit)
		return wrongCell(msg, chooseLabel)
	}
	msg := fmt.Sprintf("a third label, after %s and %s: expected two classes", l.words[0], l.words[1])
	return wrongCell(msg, keepTwo, mergeSome)
}

// settle sets the labels of d and their mapping or classes.
func (l *tableLabels) settle(d *Dataset) error {
	switch {
	case !l.begun:
		return nil
	case !l.worded || l.opt.listLabels():
		return l.labelCollector.settle(d)
	}
	classes := slices.Sorted(slices.Values(l.words))
	d.Labels, d.Table.Classes = l.labels, classes
	switch {
	case !l.opt.AnyLabels && len(classes) == 1:
		return &ParseError{File: l.name, Msg: fmt.Sprintf("every label is %s: expected two classes", classes[0])}
	case !l.opt.AnyLabels && len(classes) == 2:
		return l.settleWords(d, classes)
	}
	rank := l.rank(classes)
	for i, v := range d.Labels {
		d.Labels[i] = rank[int(v)]
	}
	if l.opt.AnyLabels {
		return nil
	}
	for k := range l.seen {
		l.seen[k].label = rank[k]
	}
	values := make([]float64, len(classes))
	for k := range values {
		values[k] = float64(k)
	}
	d.Classes = Classes{values, classes}
	return d.checkClasses(l.name, l.opt, l.seen)
}

// rank returns, for the words in order of occurrence, their positions in the sorted
// classes.
func (l *tableLabels) rank(classes []string) []float64 {
	rank := make([]float64, len(classes))
	for k, word := range classes {
		rank[int(l.numbers[word])] = float64(k)
	}
	return rank
}

// settleWords sets labels of two words.
func (l *tableLabels) settleWords(d *Dataset, classes []string) error {
	positive := classes[1]
	if name := l.opt.PositiveName; name != "" {
		if positive = name; !slices.Contains(classes, name) {
			return &ParseError{File: l.name, Msg: fmt.Sprintf("the label %s said to be positive does not occur: the labels are %s and %s", name, classes[0], classes[1])}
		}
	}
	d.Mapping = LabelMapping{Negative: 0, Positive: 1, PositiveName: positive, NegativeName: classes[0]}
	if positive == classes[0] {
		d.Mapping.NegativeName = classes[1]
	}
	for i, v := range d.Labels {
		d.Labels[i] = -1
		if l.words[int(v)] == positive {
			d.Labels[i] = 1
		}
	}
	return nil
}
