package main

import (
	"fmt"

	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/solver/model"
	"github.com/scas-admm/scas/sparse"
)

// countRowsByClass returns the number of rows of each class. It returns nil if the labels are numbers, not
// classes.
func countRowsByClass(d *sparse.Dataset) []int {
	if d.Classes.IsZero() {
		return nil
	}
	rowCounts := make([]int, len(d.Classes.Values))
	for lo, hi := range rows.Parts(d.X, rows.PartRows) {
		for _, label := range d.Labels[lo:hi] {
			// A label without a class is possible if the rows were not checked.
			if k, ok := d.ClassOf(label); ok {
				rowCounts[k]++
			}
		}
	}
	return rowCounts
}

func describeClasses(c sparse.Classes, rowCounts []int) string {
	return fmt.Sprintf("%s is the positive class (%s), %s the negative (%s)",
		c.Name(1), plural(rowCounts[1], "row"), c.Name(0), plural(rowCounts[0], "row"))
}

// fitsOf returns the number of fits to data for one lambda: one for each of more than two classes, against
// the rest, and otherwise 1.
func fitsOf(data *sparse.Dataset) int {
	if k := len(data.Classes.Values); k > 2 {
		return k
	}
	return 1
}

// columnNames returns the names of the classes if m has a column for each of them, and otherwise nil.
func columnNames(m *model.Model) []string {
	if len(m.Columns) == 1 {
		return nil
	}
	return m.Classes.All()
}

// classWords returns the class names if they are words, in the order of the numbers that stand for them. It
// returns nil if labels are numbers.
func classWords(m *model.Model) []string {
	c := m.Classes
	if len(c.Values) == 2 && c.Values[1] < c.Values[0] {
		c = c.Reversed()
	}
	return c.Names
}
