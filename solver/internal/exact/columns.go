package exact

import (
	"slices"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/linalg"
)

// transpose returns X' and keeps it for the next call.
func (s *Solver) transpose() kernels.Rows {
	if s.summary.columns.Ptr == nil {
		s.summary.columns = s.Data.Transpose().Compact(false)
	}
	return s.summary.columns
}

// rowCounts returns the number of entries of each row in the given columns, which must be in increasing
// order. The result is valid until the next call. If the last call had nearly the same columns, rowCounts
// reads only the columns that differ.
func (s *Solver) rowCounts(cols []int32) []int64 {
	c := &s.summary.counted
	if c.counts == nil {
		c.counts = make([]int64, s.Rows.Len())
	}
	if len(cols) == s.p {
		for i := range c.counts {
			c.counts[i] = s.Rows.Ptr[i+1] - s.Rows.Ptr[i]
		}
	} else if removed, added := difference(c.cols, cols), difference(cols, c.cols); len(removed)+len(added) < len(cols) {
		s.addToCounts(c.counts, removed, -1)
		s.addToCounts(c.counts, added, 1)
	} else {
		clear(c.counts)
		s.addToCounts(c.counts, cols, 1)
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

// addToCounts adds change to counts[i] for each entry of row i in the given columns.
func (s *Solver) addToCounts(counts []int64, cols []int32, change int64) {
	columns := s.transpose()
	for _, j := range cols {
		if lo, hi := columns.Ptr[j], columns.Ptr[j+1]; columns.Idx != nil {
			addAt(counts, columns.Idx[lo:hi], change)
		} else {
			addAt(counts, columns.Idx16[lo:hi], change)
		}
	}
}

// addAt adds change to counts[i] for each i in idx.
func addAt[I int32 | uint16](counts []int64, idx []I, change int64) {
	for _, i := range idx {
		counts[i] += change
	}
}

// copyColumns copies the entries of X in the given columns, at most 65,536, to dst, stored row by row. Column
// cols[k] of X becomes column k. The memory of dst is used again.
func (s *Solver) copyColumns(dst *kernels.Rows, cols []int32) {
	counts, columns := s.rowCounts(cols), s.transpose()
	dst.Cols, dst.Ptr = len(cols), append(dst.Ptr[:0], 0)
	for i, count := range counts {
		dst.Ptr = append(dst.Ptr, dst.Ptr[i]+count)
	}
	nnz := int(dst.Ptr[len(counts)])
	dst.Idx16 = linalg.Resized(dst.Idx16, nnz)
	switch {
	case columns.Val != nil:
		dst.Val = linalg.Resized(dst.Val, nnz)
	case columns.Val32 != nil:
		dst.Val32 = linalg.Resized(dst.Val32, nnz)
	}
	ends := slices.Clone(dst.Ptr[:len(counts)])
	for k, j := range cols {
		if lo, hi := columns.Ptr[j], columns.Ptr[j+1]; columns.Idx != nil {
			appendColumn(dst, ends, k, columns.Idx[lo:hi], columns, lo)
		} else {
			appendColumn(dst, ends, k, columns.Idx16[lo:hi], columns, lo)
		}
	}
}

// appendColumn appends a column of X to dst, where it gets the number k. idx has the sample indices of its
// entries, which are the entries first, first + 1, … of columns. ends[i] is the position in dst of the next
// entry of row i.
func appendColumn[I int32 | uint16](dst *kernels.Rows, ends []int64, k int, idx []I, columns kernels.Rows, first int64) {
	for m, i := range idx {
		position := ends[i]
		ends[i]++
		dst.Idx16[position] = uint16(k)
		switch entry := first + int64(m); {
		case columns.Val != nil:
			dst.Val[position] = columns.Val[entry]
		case columns.Val32 != nil:
			dst.Val32[position] = columns.Val32[entry]
		}
	}
}
