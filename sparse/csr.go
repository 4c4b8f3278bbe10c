package sparse

import (
	"fmt"
	"math"

	"github.com/scas-admm/scas/kernels"
)

// MaxCols is the largest number of columns a matrix may have: column indices
// are 32-bit.
const MaxCols = math.MaxInt32 + 1

// CSR is a real matrix in compressed sparse row form with 64-bit row pointers,
// 32-bit column indices and float64 values. Within each row the columns are
// strictly increasing; stored values are finite and may be zero. A CSR never
// changes after construction and may be shared between goroutines.
type CSR struct {
	rows, cols int
	ptr        []int64
	idx        []int32
	val        []float64
}

// New builds a rows x cols matrix whose row i holds the entries
// idx[ptr[i]:ptr[i+1]], val[ptr[i]:ptr[i+1]] (0-based columns). It takes
// ownership of the three slices: the caller must not touch them again.
//
// It refuses a ptr that is not rows+1 long, does not start at 0, decreases or
// does not end at len(idx); columns that are out of range or not strictly
// increasing within a row; and values that are NaN or infinite. The error
// names the row, the position within it and the offending number.
func New(rows, cols int, ptr []int64, idx []int32, val []float64) (*CSR, error) {
	if err := checkShape(rows, cols, ptr, len(idx), len(val)); err != nil {
		return nil, err
	}
	for i := range rows {
		if err := checkRow(i, cols, idx[ptr[i]:ptr[i+1]], val[ptr[i]:ptr[i+1]]); err != nil {
			return nil, err
		}
	}
	return &CSR{rows: rows, cols: cols, ptr: ptr, idx: idx, val: val}, nil
}

func checkShape(rows, cols int, ptr []int64, nidx, nval int) error {
	switch {
	case rows < 0 || cols < 0 || cols > MaxCols:
		return fmt.Errorf("sparse: shape %d x %d is out of range: want rows >= 0 and 0 <= cols <= %d", rows, cols, MaxCols)
	case len(ptr) != rows+1:
		return fmt.Errorf("sparse: %d row pointers for %d rows: want rows+1", len(ptr), rows)
	case nidx != nval:
		return fmt.Errorf("sparse: %d column indices but %d values: want as many of both", nidx, nval)
	case ptr[0] != 0:
		return fmt.Errorf("sparse: row pointer 0 is %d: want 0", ptr[0])
	}
	for i := range rows {
		if ptr[i+1] < ptr[i] {
			return fmt.Errorf("sparse: row pointer %d is %d, below its predecessor %d: want no decrease", i+1, ptr[i+1], ptr[i])
		}
	}
	if ptr[rows] != int64(nidx) {
		return fmt.Errorf("sparse: last row pointer is %d: want the number of entries, %d", ptr[rows], nidx)
	}
	return nil
}

func checkRow(i, cols int, idx []int32, val []float64) error {
	prev := int32(-1)
	for k, j := range idx {
		if j < 0 || int(j) >= cols {
			return fmt.Errorf("sparse: row %d, position %d: column %d is outside 0..%d", i, k, j, cols-1)
		}
		if j <= prev {
			return fmt.Errorf("sparse: row %d, position %d: column %d follows column %d: want strictly increasing columns", i, k, j, prev)
		}
		prev = j
		if v := val[k]; math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("sparse: row %d, position %d (column %d): value %v is not finite", i, k, j, v)
		}
	}
	return nil
}

// Dims returns the number of rows and columns.
func (a *CSR) Dims() (rows, cols int) { return a.rows, a.cols }

// NNZ returns the number of stored entries, explicit zeros included.
func (a *CSR) NNZ() int64 { return a.ptr[a.rows] }

// Row returns the columns and values of row i. Both are views of the matrix
// and must not be written to. It panics if i is out of range.
func (a *CSR) Row(i int) ([]int32, []float64) {
	lo, hi := a.ptr[i], a.ptr[i+1]
	return a.idx[lo:hi:hi], a.val[lo:hi:hi]
}

// Rows returns rows lo..hi-1 as the kernels take them: Ptr has hi-lo+1 absolute
// offsets into all of Idx and Val. Everything is a view of the matrix and must
// not be written to. It panics unless 0 <= lo <= hi <= rows.
func (a *CSR) Rows(lo, hi int) kernels.Rows {
	return kernels.Rows{Ptr: a.ptr[lo : hi+1 : hi+1], Idx: a.idx, Val: a.val}
}
