package sparse

import (
	"cmp"
	"slices"
	"strconv"
)

// Classes lists the labels of a classification problem. The zero value lists none.
type Classes struct {
	// Values holds the labels in increasing order. If there are two, the negative class may be the larger
	// label: it is always the first, and the positive class the second. Labels that are words have numbers as
	// their values: in a file, 0, 1, ... in the byte order of the words.
	Values []float64
	// Names holds the words, in the order of Values; it is nil if the labels are numbers.
	Names []string
}

// IsZero reports whether c lists no classes.
func (c Classes) IsZero() bool { return len(c.Values) == 0 }

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
func (c Classes) Find(label float64) (k int, ok bool) { return find(c.Values, label) }

// find returns the position of label in a list of labels: two in any order, or others in increasing order.
func find[L cmp.Ordered](list []L, label L) (k int, ok bool) {
	if len(list) != 2 {
		return slices.BinarySearch(list, label)
	}
	k = slices.Index(list, label)
	return max(k, 0), k >= 0
}

// WithPositive returns two classes in the order of negative and positive. positive or name says which class
// is positive, see ReadOptions.Positive and ReadOptions.PositiveName. If positive is nil and name is "", it
// is class 1 of c. ok is false if there is no such class.
func (c Classes) WithPositive(positive *float64, name string) (ordered Classes, ok bool) {
	k := 1 // the positive class
	switch {
	case positive == nil && name == "":
	case c.Names != nil && name != "":
		k = slices.Index(c.Names, name)
	case c.Names != nil:
		k = slices.Index(c.Names, strconv.FormatFloat(*positive, 'f', -1, 64))
	case positive != nil:
		k = slices.Index(c.Values, *positive)
	default: // a word, and the labels are numbers
		k = -1
	}
	if k == 0 {
		c = c.Reversed()
	}
	return c, k >= 0
}

// Reversed returns the classes in the reverse order, which makes the negative one of two classes positive.
func (c Classes) Reversed() Classes {
	c.Values, c.Names = slices.Clone(c.Values), slices.Clone(c.Names)
	slices.Reverse(c.Values)
	slices.Reverse(c.Names)
	return c
}

// ClassOf returns the number of the class in d.Classes, counted from 0, for a label in d.Labels. ok is false
// if there is no such class.
func (d *Dataset) ClassOf(label float64) (k int, ok bool) {
	switch {
	case !d.Signs:
		return d.Classes.Find(label)
	case label == 1:
		k = 1
	}
	return k, label == signOf(k) && k < len(d.Classes.Values)
}

// Original returns the label of the file for a label in d.Labels. The two differ only if d.Signs is true. If
// the label of the file is a word, Original returns its number in d.Classes.Values.
func (d *Dataset) Original(label float64) float64 {
	if !d.Signs {
		return label
	}
	if k, ok := d.ClassOf(label); ok {
		return d.Classes.Values[k]
	}
	return label
}

// signsAreLabels reports whether −1 and +1 are the labels of the file. d.Signs must be true.
func (d *Dataset) signsAreLabels() bool { return slices.Equal(d.Classes.Values, []float64{-1, 1}) }

// OriginalLabels returns a copy of the labels as they are in the file, or nil if there are no labels; see
// Original.
func (d *Dataset) OriginalLabels() []float64 {
	if d.Labels == nil {
		return nil
	}
	labels := make([]float64, len(d.Labels))
	for i, b := range d.Labels {
		labels[i] = d.Original(b)
	}
	return labels
}

// signOf returns −1 for the first of two classes, and +1 for the second.
func signOf(k int) float64 { return float64(2*k - 1) }
