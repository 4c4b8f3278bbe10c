package main

import (
	"fmt"

	"github.com/scas-admm/scas/sparse"
)

// releasedRows is the number of rows of mapped data that are read before they leave memory.
const releasedRows = 1 << 20

// countClasses counts the rows of each class; of two classes, the class -1 comes first. It returns nil
// for numbers.
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

// eachLabel calls do for every label. Labels of mapped rows that are not checked yet may be any
// number.
func eachLabel(d *sparse.Dataset, do func(label float64)) {
	for i, b := range d.Labels {
		do(b)
		if i%releasedRows == 0 {
			d.X.Release(max(0, i-releasedRows), i)
		}
	}
}

// labelCounts returns the two classes and their sizes as text.
func labelCounts(m sparse.LabelMapping, rows []int) string {
	return fmt.Sprintf("%s is the positive class (%s), %s the negative (%s)",
		m.Name(1), plural(rows[1], "row"), m.Name(-1), plural(rows[0], "row"))
}
