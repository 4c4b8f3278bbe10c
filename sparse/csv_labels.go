package sparse

import (
	"slices"
	"strings"
)

// tableLabels collects the labels of a table. The labels are words if the options list words or,
// without a list, if the first label is a word.
type tableLabels struct {
	labelCollector
	begun  bool // true after the first label
	worded bool // true if the labels are words
	// numbers maps words to 0, 1 and so on, in order of first occurrence. It is not used if the options list
	// words.
	numbers map[string]float64
}

// take adds the label in the cell c of the buffer b. It returns what is wrong with the label, or nil.
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
	case !number && l.opt.listsLabels():
		return l.unknown()
	case !number:
		return wrongCell("expected a finite decimal number, as in the first line of the labels")
	}
	if err := l.add(v, line, 0); err != nil {
		return err.(*ParseError)
	}
	return nil
}

// begin decides whether the labels are words. number is true if the first label is a
// number.
func (l *tableLabels) begin(number bool) {
	l.begun, l.worded = true, !number
	if l.opt.listsLabels() {
		l.worded = l.opt.listsWords()
	}
	l.numbers = map[string]float64{}
}

// unknown returns the error for a word that the options do not list as a label.
func (l *tableLabels) unknown() *ParseError { return wrongCell(l.opt.unknownLabel(true), ignoreLabels) }

// takeWord adds a label that is a word. It returns what is wrong with the label, or nil. If the
// options list no labels, a new word gets the next number.
func (l *tableLabels) takeWord(word string, line int) (wrong *ParseError) {
	switch o := l.opt; {
	case o.Regression:
		return wrongCell("a label that is a word: expected a finite decimal number", fitClasses, chooseLabel)
	case o.listsLabels():
		v, listed := o.storedWord(word)
		if !listed {
			return l.unknown()
		}
		l.labels = append(l.labels, v)
		return nil
	}
	v, known := l.numbers[word]
	if !known {
		v, word = float64(len(l.words)), strings.Clone(word)
		l.numbers[word], l.words = v, append(l.words, word)
	}
	if err := l.add(v, line, 0); err != nil {
		return err.(*ParseError)
	}
	return nil
}

// settle sets the labels of d and their mapping or classes. If the labels are words, and the options list no
// labels, it replaces the number of each word by the position of the word in byte order.
func (l *tableLabels) settle(d *Dataset) error {
	if !l.begun {
		return nil
	}
	if l.worded && !l.opt.listsLabels() {
		classes := slices.Sorted(slices.Values(l.words))
		rank := l.rank(classes)
		for i, v := range l.labels {
			l.labels[i] = rank[int(v)]
		}
		for k := range l.kinds.list {
			l.kinds.list[k].label = rank[k]
		}
		l.words, d.Table.Classes = classes, classes
	}
	return l.labelCollector.settle(d)
}

// rank returns the position of each word of l.words in classes, which are the same words in byte
// order.
func (l *tableLabels) rank(classes []string) []float64 {
	rank := make([]float64, len(classes))
	for k, word := range classes {
		rank[int(l.numbers[word])] = float64(k)
	}
	return rank
}
