package exact

import (
	"slices"

	"github.com/scas-admm/scas/kernels"
)

// transpose returns X' and keeps it for the next call.
func (s *Solver) transpose() kernels.Rows {
	if s.summary.columns.Ptr == nil {
		s.summary.columns = s.Data.Transpose().Compact(false)
	}
	return s.summary.columns
}

// rowCounts returns the number of entries of each row in the given columns.
func (s *Solver) rowCounts(cols []int32) []int64 {
	counts := make([]int64, s.Rows.Len())
	if len(cols) == s.p {
		for i := range counts {
			counts[i] = s.Rows.Ptr[i+1] - s.Rows.Ptr[i]
		}
		return counts
	}
	columns := s.transpose()
	for _, j := range cols {
		if lo, hi := columns.Ptr[j], columns.Ptr[j+1]; columns.Idx != nil {
			increment(counts, columns.Idx[lo:hi])
		} else {
			increment(counts, columns.Idx16[lo:hi])
		}
	}
	return counts
}

// increment adds 1 to counts[i] for each i in idx.
func increment[I int32 | uint16](counts []int64, idx []I) {
	for _, i := range idx {
		counts[i]++
	}
}

// rowsOf returns the entries of X in the columns cols, stored row by row. There may be at most 65,536
// columns. If chosen is not nil, the row of every sample i with chosen[i] = false is empty.
func (s *Solver) rowsOf(cols []int32, chosen []bool) kernels.Rows {
	counts := s.rowCounts(cols)
	ptr := make([]int64, 1, len(counts)+1)
	for i, count := range counts {
		if chosen != nil && !chosen[i] {
			count = 0
		}
		ptr = append(ptr, ptr[i]+count)
	}
	columns, nnz := s.transpose(), ptr[len(counts)]
	data := kernels.Rows{Ptr: ptr, Cols: len(cols), Idx16: make([]uint16, nnz)}
	switch {
	case columns.Val != nil:
		data.Val = make([]float64, nnz)
	case columns.Val32 != nil:
		data.Val32 = make([]float32, nnz)
	}
	ends := slices.Clone(ptr[:len(counts)])
	for k, j := range cols {
		if lo, hi := columns.Ptr[j], columns.Ptr[j+1]; columns.Idx != nil {
			appendColumn(&data, ends, k, columns.Idx[lo:hi], columns, lo, chosen)
		} else {
			appendColumn(&data, ends, k, columns.Idx16[lo:hi], columns, lo, chosen)
		}
	}
	return data
}

// appendColumn appends a column of X to dst, where it gets the number k. idx has the sample indices of its
// entries, which are the entries first, first + 1, … of columns. ends[i] is the position in dst of the next
// entry of row i. See rowsOf for chosen.
func appendColumn[I int32 | uint16](dst *kernels.Rows, ends []int64, k int, idx []I, columns kernels.Rows, first int64, chosen []bool) {
	for m, i := range idx {
		if chosen != nil && !chosen[i] {
			continue
		}
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
