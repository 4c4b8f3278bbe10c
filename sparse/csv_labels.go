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
	// wordNumbers maps words to 0, 1 and so on, in order of first occurrence. It is not used if the options
	// list words.
	wordNumbers map[string]float64
}

// addCell adds the label in the cell c of the buffer b. It returns what is wrong with the label, or nil.
func (l *tableLabels) addCell(c *cell, b []byte, line int) (wrong *ParseError) {
	v, isNumber := c.number(b)
	lists := l.opt.listsLabels()
	if !l.begun {
		l.begun, l.worded, l.wordNumbers = true, !isNumber, map[string]float64{}
		if lists {
			l.worded = l.opt.listsWords()
		}
	}
	word := string(c.text)
	switch {
	case isMissing(c.text):
		return cellError("a missing label: expected a label in every line")
	case !isNumber && isNonFinite(word):
		return cellError("the label is not finite: expected a finite decimal number")
	case l.worded && l.opt.Regression:
		return cellError("a label that is a word: expected a finite decimal number", fitClasses, chooseLabel)
	case lists && (l.worded || !isNumber):
		v, listed := l.opt.wordValue(word)
		if !listed {
			return cellError(l.opt.unknownLabelMessage(true), ignoreLabels)
		}
		l.labels = append(l.labels, v)
		return nil
	case l.worded:
		v = l.wordNumber(word)
	case !isNumber:
		return cellError("expected a finite decimal number, as in the first line of the labels")
	}
	if err := l.add(v, line, 0); err != nil {
		return err.(*ParseError)
	}
	return nil
}

// wordNumber returns the number of a word. A new word gets the next number.
func (l *tableLabels) wordNumber(word string) float64 {
	v, known := l.wordNumbers[word]
	if !known {
		v, word = float64(len(l.words)), strings.Clone(word) // so that only new words take memory
		l.wordNumbers[word], l.words = v, append(l.words, word)
	}
	return v
}

// assignLabels sets the labels of d and their mapping or classes. If the labels are words, and the options
// list no labels, it replaces the number of each word by the position of the word in byte order.
func (l *tableLabels) assignLabels(d *Dataset) error {
	if !l.begun {
		return nil
	}
	if l.worded && !l.opt.listsLabels() {
		classes := slices.Sorted(slices.Values(l.words))
		positions := l.wordPositions(classes)
		for i, v := range l.labels {
			l.labels[i] = positions[int(v)]
		}
		for k := range l.kinds.list {
			l.kinds.list[k].label = positions[k]
		}
		l.words, d.Table.Classes = classes, classes
	}
	return l.labelCollector.assignLabels(d)
}

// wordPositions returns the position of each word of l.words in classes, which are the same words in byte
// order.
func (l *tableLabels) wordPositions(classes []string) []float64 {
	positions := make([]float64, len(classes))
	for k, word := range classes {
		positions[int(l.wordNumbers[word])] = float64(k)
	}
	return positions
}
