package sparse

import (
	"strings"

	"github.com/scas-admm/scas/sparse/internal/text"
)

// tableLabels collects the labels of a table. The labels are words if the options list words or,
// without a list, if the first label is a word.
type tableLabels struct {
	labelCollector
	begun bool // true after the first label
	// wordNumbers maps each word to its position in words. It is nil if the labels are numbers.
	wordNumbers map[string]float64
}

// addCell adds the label in a cell. It returns what is wrong with the label, or nil.
func (l *tableLabels) addCell(cellText []byte, line int) (wrong *ParseError) {
	v, isNumber := text.ParseFloat(cellText)
	lists := l.opt.listsLabels()
	if !l.begun {
		l.begun = true
		if lists && l.opt.listsWords() || !lists && !isNumber {
			l.wordNumbers = map[string]float64{}
		}
	}
	worded := l.wordNumbers != nil
	switch {
	case isMissing(cellText):
		return cellError("a missing label: expected a label in every line")
	case !isNumber && isNonFinite(string(cellText)):
		return cellError("the label is not finite: expected a finite decimal number")
	case worded && l.opt.Regression:
		return cellError("a label that is a word: expected a finite decimal number", fitClasses, chooseLabel)
	case worded:
		v = l.wordNumber(string(cellText))
	case !isNumber && lists:
		return cellError(l.opt.unknownLabelMessage(true), chooseLabel, ignoreLabels)
	case !isNumber:
		return cellError("expected a finite decimal number, as in the first line of the labels")
	}
	err := l.add(v, line, 0)
	if err == nil {
		return nil
	}
	wrong = err.(*ParseError)
	if lists {
		wrong.Remedies = append([]Remedy{chooseLabel}, wrong.Remedies...)
	}
	return wrong
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
