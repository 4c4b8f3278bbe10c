package sparse

import (
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

// Mapping returns the mapping of two classes to -1 and +1. positive or positiveName says which class is
// positive, see ReadOptions.Positive and ReadOptions.PositiveName. If positive is nil and positiveName is "",
// it is class 1. ok is false if there is no such class.
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
