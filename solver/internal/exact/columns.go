package exact

import (
	"slices"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/sparse/pages"
)

// transpose returns X' and keeps it for the next call.
func (s *Solver) transpose() kernels.Rows {
	switch c := &s.transposed; {
	case c.Ptr != nil:
	case isFull(s.Rows):
		*c = transposeFull(s.Rows)
	default:
		counts := make([]int64, s.p)
		addToCounts(counts, s.Rows, 1)
		transposeRows(c, s.Rows, allColumns(s.Rows.Len()), counts)
	}
	return s.transposed
}

// countedColumns is the last result of Solver.rowCounts: for each row, the number of its entries in the
// columns cols.
type countedColumns struct {
	cols   []int32
	counts []int64
}

// rowCounts returns the number of entries of each row in the given columns, which must be in increasing
// order. The result is valid until the next call. If the last call had nearly the same columns, rowCounts
// reads only the columns that differ.
func (s *Solver) rowCounts(cols []int32) []int64 {
	c := &s.counted
	if c.counts == nil {
		c.counts = make([]int64, s.Rows.Len())
	}
	if len(cols) == s.p {
		for i := range c.counts {
			c.counts[i] = s.Rows.Ptr[i+1] - s.Rows.Ptr[i]
		}
	} else if removed, added := difference(c.cols, cols), difference(cols, c.cols); len(removed)+len(added) < len(cols) {
		s.countRows(removed, -1)
		s.countRows(added, 1)
	} else {
		clear(c.counts)
		s.countRows(cols, 1)
	}
	c.cols = cols
	return c.counts
}

// difference returns the columns of a that are not in b. The columns of both are in increasing order.
func difference(a, b []int32) (cols []int32) {
	for _, j := range a {
		for len(b) > 0 && b[0] < j {
			b = b[1:]
		}
		if len(b) == 0 || b[0] != j {
			cols = append(cols, j)
		}
	}
	return cols
}

// countRows adds change to counted.counts[i] for each entry of row i in the given columns.
func (s *Solver) countRows(cols []int32, change int64) {
	columns := s.transpose()
	for _, j := range cols {
		addToCounts(s.counted.counts, columns.Row(int(j)), change)
	}
}

// addToCounts adds change to counts[i] for each entry of a in column i.
func addToCounts(counts []int64, a kernels.Rows, change int64) {
	if first, end := a.Ptr[0], a.Ptr[a.Len()]; a.Idx != nil {
		addAt(counts, a.Idx[first:end], change)
	} else {
		addAt(counts, a.Idx16[first:end], change)
	}
}

// addAt adds change to counts[i] for each i in idx.
func addAt[I int32 | uint16](counts []int64, idx []I, change int64) {
	for _, i := range idx {
		counts[i] += change
	}
}

// transposeRows stores the transpose of some rows of src in dst: row chosen[k] of src becomes column k of
// dst. counts[i] must be the number of entries that the chosen rows have in column i. transposeRows uses the
// memory of dst again.
func transposeRows(dst *kernels.Rows, src kernels.Rows, chosen []int32, counts []int64) {
	ptr := append(slices.Grow(dst.Ptr[:0], len(counts)+2), 0, 0) // ptr[i+1] is the first entry of row i
	for i, count := range counts {
		ptr = append(ptr, ptr[i+1]+count)
	}
	nnz := int(ptr[len(counts)+1])
	// placeRows moves ptr[i+1] to the end of row i, where row i + 1 begins.
	dst.Ptr, dst.Cols = ptr[:len(counts)+1], len(chosen)
	switch {
	case src.Val != nil:
		dst.Val = pages.Resize(dst.Val, nnz)
	case src.Val32 != nil:
		dst.Val32 = pages.Resize(dst.Val32, nnz)
	}
	if len(chosen) <= 1<<16 {
		dst.Idx, dst.Idx16 = nil, pages.Resize(dst.Idx16, nnz)
		placeRows(dst, dst.Idx16, src, chosen, ptr[1:])
	} else {
		dst.Idx, dst.Idx16 = pages.Resize(dst.Idx, nnz), nil
		placeRows(dst, dst.Idx, src, chosen, ptr[1:])
	}
}

// placeRows does the copying of transposeRows. idx is dst.Idx or dst.Idx16. next[i] is the position in dst
// for the next entry of row i of dst.
func placeRows[I int32 | uint16](dst *kernels.Rows, idx []I, src kernels.Rows, chosen []int32, next []int64) {
	for k, j := range chosen {
		if lo, hi := src.Ptr[j], src.Ptr[j+1]; src.Idx != nil {
			placeRow(dst, idx, I(k), src, src.Idx[lo:hi], lo, next)
		} else {
			placeRow(dst, idx, I(k), src, src.Idx16[lo:hi], lo, next)
		}
	}
}

// placeRow copies a row of src to column k of dst. rowIdx has the column indices of the row. first is
// the position of the row's first entry in src. See placeRows for the other arguments.
func placeRow[I, J int32 | uint16](
	dst *kernels.Rows, idx []I, k I, src kernels.Rows, rowIdx []J, first int64, next []int64,
) {
	for m, i := range rowIdx {
		position := next[i]
		next[i]++
		idx[position] = k
		switch entry := first + int64(m); {
		case src.Val != nil:
			dst.Val[position] = src.Val[entry]
		case src.Val32 != nil:
			dst.Val32[position] = src.Val32[entry]
		}
	}
}
