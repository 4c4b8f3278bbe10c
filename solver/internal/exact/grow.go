package exact

import (
	"slices"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/rows"
)

// A formerHessian is the last Hessian that was formed, if the working set has other columns now. It belongs
// to the curvatures in memorySamples.curvature.
type formerHessian struct {
	cols []int32   // the columns, in increasing order; nil if there is no former Hessian
	h    []float64 // the Hessian, all entries by rows; if cols is nil, only scratch memory
}

// mostNew is the largest part of the columns of a working set that may be new in growHessian.
const mostNew = 0.25

// growHessian makes a Hessian for the working set from the former Hessian. It forms only the rows of the
// new columns, with the curvatures of the former Hessian. growHessian returns false if there is no former
// Hessian, if too many columns are new, if the Hessian is not formed, or with several processes.
func (s *Solver) growHessian() bool {
	w, order := &s.set, len(s.set.cols)
	m, inMemory := s.rows.(*memorySamples)
	if !inMemory || !w.formed || w.former.cols == nil || !s.Team.Alone() {
		return false
	}
	oldPositions, newPositions := matchColumns(w.former.cols, w.cols)
	w.former.cols = nil
	if float64(len(newPositions)) > mostNew*float64(order) {
		return false
	}
	h := w.dense.H
	copyEntries(h, order, w.former.h, oldPositions)
	w.dense.Renumber(oldPositions)
	if len(newPositions) > 0 {
		s.formRows(h, newPositions, m.Scaled(m.curvature))
	}
	m.modelHessian = h
	return true
}

// formRows sets the rows and columns of h at the given positions to those of X'diag(c)X, where X is the data
// of the columns of the working set.
func (s *Solver) formRows(h []float64, positions []int, c []float64) {
	w, order, columns := &s.set, len(s.set.cols), s.transpose()
	rows.Spread(w.threads, len(positions), func(a int) {
		k := positions[a]
		row := h[k*order : (k+1)*order]
		clear(row)
		if column := columns.Row(int(w.cols[k])); column.Idx != nil {
			addRows(row, w.rows, column.Idx, column, c)
		} else {
			addRows(row, w.rows, column.Idx16, column, c)
		}
	})
	for _, k := range positions {
		for q, v := range h[k*order : (k+1)*order] {
			h[q*order+k] = v
		}
	}
}

// addRows adds Σ c_i x_i r_i to dst, where x_i is the entry of sample i in the given column of X, and r_i is
// row i of set. idx is the slice of indices that column uses.
func addRows[I int32 | uint16](dst []float64, set kernels.Rows, idx []I, column kernels.Rows, c []float64) {
	var factor [1]float64
	for entry := column.Ptr[0]; entry < column.Ptr[1]; entry++ {
		i := idx[entry]
		factor[0] = c[i]
		switch {
		case column.Val != nil:
			factor[0] *= column.Val[entry]
		case column.Val32 != nil:
			factor[0] *= float64(column.Val32[entry])
		}
		kernels.Gradient(dst, set.Row(int(i)), factor[:])
	}
}

// matchColumns compares two lists of columns, in both of which the numbers increase. oldPositions has the
// position in cols of each column of oldCols, or −1 for none. newPositions has all other positions in cols,
// in increasing order.
func matchColumns(oldCols, cols []int32) (oldPositions, newPositions []int) {
	oldPositions = make([]int, len(oldCols))
	for a, j := range oldCols {
		k, found := slices.BinarySearch(cols, j)
		oldPositions[a] = k
		if !found {
			oldPositions[a] = -1
		}
	}
	for k, j := range cols {
		if _, found := slices.BinarySearch(oldCols, j); !found {
			newPositions = append(newPositions, k)
		}
	}
	return oldPositions, newPositions
}

// copyEntries copies entries of the square matrix h to dst, a matrix with the given order: row and column a
// become row and column positions[a], or are left out if this is −1. The other positions must increase.
func copyEntries(dst []float64, order int, h []float64, positions []int) {
	type run struct{ from, to, length int } // columns with consecutive positions
	var runs []run
	for a, k := range positions {
		if k < 0 {
			continue
		}
		if r := len(runs) - 1; r >= 0 && runs[r].from+runs[r].length == a && runs[r].to+runs[r].length == k {
			runs[r].length++
		} else {
			runs = append(runs, run{a, k, 1})
		}
	}
	oldOrder := len(positions)
	for a, k := range positions {
		if k < 0 {
			continue
		}
		row, oldRow := dst[k*order:(k+1)*order], h[a*oldOrder:(a+1)*oldOrder]
		for _, r := range runs {
			copy(row[r.to:r.to+r.length], oldRow[r.from:])
		}
	}
}
