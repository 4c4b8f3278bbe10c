package sparse

import (
	"fmt"
	"slices"
	"strings"
)

// tableLabels are the labels of a table: numbers or, if the first is none, words.
type tableLabels struct {
	labelCollector
	begun, worded bool
	numbers       map[string]float64 // of words, in the order in which they came
	words         []string
}

// take takes the cell of a label, or says what is wrong with it.
func (l *tableLabels) take(c *cell, b []byte, line int) (wrong string) {
	v, number := c.number(b)
	if !l.begun {
		l.begun, l.worded = true, !number
		if !l.opt.Mapping.IsZero() {
			l.worded = l.opt.Mapping.named()
		}
	}
	switch word := string(c.text); {
	case isMissing(c.text):
		return "a missing label: expected one in every line"
	case isNonFinite(word):
		return "the label is not finite: expected a finite decimal number"
	case l.worded:
		return l.takeWord(word)
	case !number && !l.opt.Mapping.IsZero():
		return fmt.Sprintf("unknown label: the labels are %s and %s", l.opt.Mapping.Name(-1), l.opt.Mapping.Name(1))
	case !number:
		return "expected a finite decimal number, as in the first line of the labels"
	}
	err := l.add(v, line, 0)
	if err != nil {
		return err.(*ParseError).Msg
	}
	return ""
}

func (l *tableLabels) takeWord(word string) (wrong string) {
	v, known := l.numbers[word]
	switch o := l.opt; {
	case o.Regression:
		return "a label that is a word: expected a finite decimal number; are these classes, or are the labels another column?"
	case !o.Mapping.IsZero():
		sign, ok := o.Mapping.signOf(word)
		if !ok {
			return fmt.Sprintf("unknown label: the labels are %s and %s", o.Mapping.NegativeName, o.Mapping.PositiveName)
		}
		v = sign
	case !known && len(l.words) == 2 && !o.AnyLabels:
		return fmt.Sprintf("a third label, after %s and %s: expected two classes; keep two of them or merge some", l.words[0], l.words[1])
	case !known:
		if l.numbers == nil {
			l.numbers = map[string]float64{}
		}
		v = float64(len(l.words))
		l.numbers[strings.Clone(word)] = v
		l.words = append(l.words, word)
	}
	l.labels = append(l.labels, v)
	return ""
}

// result returns the labels as Dataset wants them.
func (l *tableLabels) result(facts *TableFacts) ([]float64, LabelMapping, error) {
	switch {
	case !l.begun:
		return nil, LabelMapping{}, nil
	case !l.worded || !l.opt.Mapping.IsZero():
		return l.finish()
	}
	facts.Classes = slices.Sorted(slices.Values(l.words))
	if l.opt.AnyLabels {
		rank := make([]float64, len(l.words))
		for k, word := range facts.Classes {
			rank[int(l.numbers[word])] = float64(k)
		}
		for i, v := range l.labels {
			l.labels[i] = rank[int(v)]
		}
		return l.labels, LabelMapping{}, nil
	}
	if len(l.words) == 1 {
		return nil, LabelMapping{}, &ParseError{File: l.name, Msg: fmt.Sprintf("every label is %s: expected two classes", l.words[0])}
	}
	positive := facts.Classes[1]
	if name := l.opt.PositiveName; name != "" {
		if positive = name; l.numbers[name] == 0 && l.words[0] != name {
			return nil, LabelMapping{}, &ParseError{File: l.name, Msg: fmt.Sprintf("the label %s said to be positive does not occur: the labels are %s and %s", name, facts.Classes[0], facts.Classes[1])}
		}
	}
	m := LabelMapping{Negative: 0, Positive: 1, PositiveName: positive, NegativeName: facts.Classes[0]}
	if positive == facts.Classes[0] {
		m.NegativeName = facts.Classes[1]
	}
	for i, v := range l.labels {
		l.labels[i] = -1
		if l.words[int(v)] == positive {
			l.labels[i] = 1
		}
	}
	return l.labels, m, nil
}
