package main

import (
	"fmt"

	"github.com/scas-admm/scas/sparse"
)

// releasedRows is how many rows of mapped data are gone through before they leave memory.
const releasedRows = 1 << 20

// classCounts counts the rows of the classes -1 and +1.
func classCounts(d *sparse.Dataset) (rows [2]int) {
	if d.Mapping.IsZero() {
		return rows
	}
	eachLabel(d, func(b float64) {
		switch b {
		case -1:
			rows[0]++
		case 1:
			rows[1]++
		}
	})
	return rows
}

// countClasses counts the rows of each of several classes.
func countClasses(d *sparse.Dataset) []int {
	rows := make([]int, len(d.Classes.Values))
	eachLabel(d, func(label float64) {
		if k, ok := d.Classes.Find(label); ok {
			rows[k]++
		}
	})
	return rows
}

// eachLabel calls do for every label; of rows that are mapped and not checked yet they may be
// anything.
func eachLabel(d *sparse.Dataset, do func(label float64)) {
	for i, b := range d.Labels {
		do(b)
		if i%releasedRows == 0 {
			d.X.Release(max(0, i-releasedRows), i)
		}
	}
}

// labelCounts tells the two classes and their sizes.
func labelCounts(m sparse.LabelMapping, rows [2]int) string {
	return fmt.Sprintf("%s is the positive class (%s), %s the negative (%s)",
		m.Name(1), plural(rows[1], "row"), m.Name(-1), plural(rows[0], "row"))
}
