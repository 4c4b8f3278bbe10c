package main

import (
	"fmt"

	"github.com/scas-admm/scas/sparse"
)

// releasedRows is the number of rows of mapped data that are read before their memory is released.
const releasedRows = 1 << 20

// countClasses returns the number of rows of each class. If there are two classes, class -1 comes first. It
// returns nil if the labels are numbers, not classes.
func countClasses(d *sparse.Dataset) []int {
	if d.Mapping.IsZero() && d.Classes.IsZero() {
		return nil
	}
	rows := make([]int, max(2, len(d.Classes.Values)))
	eachLabel(d, func(label float64) {
		switch k, ok := d.Classes.Find(label); {
		case ok:
			rows[k]++
		case d.Mapping.IsZero():
		case label == -1:
			rows[0]++
		case label == 1:
			rows[1]++
		}
	})
	return rows
}

// eachLabel calls do for every label. A label of a mapped file may be any number, because the rows may not
// have been checked yet.
func eachLabel(d *sparse.Dataset, do func(label float64)) {
	for i, b := range d.Labels {
		do(b)
		if i%releasedRows == 0 {
			d.X.Release(max(0, i-releasedRows), i)
		}
	}
}

// labelCounts returns a text with the names of the two classes and their numbers of rows.
func labelCounts(m sparse.LabelMapping, rows []int) string {
	return fmt.Sprintf("%s is the positive class (%s), %s the negative (%s)",
		m.Name(1), plural(rows[1], "row"), m.Name(-1), plural(rows[0], "row"))
}
