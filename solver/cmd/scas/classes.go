package main

import (
	"fmt"
	"slices"

	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/solver/model"
	"github.com/scas-admm/scas/sparse"
)

// countRowsByClass returns the number of rows of each class. If there are two classes, class -1 comes first.
// It returns nil if the labels are numbers, not classes.
func countRowsByClass(d *sparse.Dataset) []int {
	if d.Mapping.IsZero() && d.Classes.IsZero() {
		return nil
	}
	rowCounts := make([]int, max(2, len(d.Classes.Values)))
	for lo, hi := range rows.Parts(d.X, rows.PartRows) {
		for _, label := range d.Labels[lo:hi] {
			switch k, ok := d.Classes.Find(label); {
			case ok:
				rowCounts[k]++
			case d.Mapping.IsZero(): // a label without a class is possible if the rows were not checked; skip it
			case label == -1:
				rowCounts[0]++
			case label == 1:
				rowCounts[1]++
			}
		}
	}
	return rowCounts
}

func describeClasses(m sparse.LabelMapping, rowCounts []int) string {
	return fmt.Sprintf("%s is the positive class (%s), %s the negative (%s)",
		m.Name(1), plural(rowCounts[1], "row"), m.Name(-1), plural(rowCounts[0], "row"))
}

// classNames returns the names of the classes as the data file writes them. mapping has the names of two
// classes, the negative class first; classes has the names of more than two. classNames returns nil if both
// arguments are zero.
func classNames(mapping sparse.LabelMapping, classes sparse.Classes) []string {
	switch {
	case !classes.IsZero():
		return classes.All()
	case !mapping.IsZero():
		return []string{mapping.Name(-1), mapping.Name(1)}
	}
	return nil
}

// classWords returns the class names if they are words, in the order of the numbers that stand for them. It
// returns nil if labels are numbers.
func classWords(m *model.Model) []string {
	if !m.Classes.IsZero() {
		return m.Classes.Names
	}
	l := m.Labels
	if l.NegativeName == "" {
		return nil
	}
	words := []string{l.NegativeName, l.PositiveName}
	if l.Positive < l.Negative {
		slices.Reverse(words)
	}
	return words
}
