package sparse

import (
	"fmt"
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/sparse/internal/coordinates"
	"github.com/scas-admm/scas/sparse/pages"
)

// MaxCols is the largest number of columns a matrix may have: column indices
// are 32-bit.
const MaxCols = math.MaxInt32 + 1

// CSR is a real matrix in compressed sparse row format with 64-bit row pointers, 32-bit
// column indices and float64 values. Within each row the columns are strictly increasing;
// stored values are finite and may be zero. A CSR never changes after construction and
// may be shared between goroutines. It implements mat.Matrix of gonum.
type CSR struct {
	rows, cols int
	ptr        []int64
	idx        []int32
	val        []float64
	file       *mapping // the .scas file that holds the slices, or nil
}

// New builds a rows x cols matrix whose row i holds the entries
// idx[ptr[i]:ptr[i+1]], val[ptr[i]:ptr[i+1]] (0-based columns). It takes
// ownership of the three slices: the caller must not touch them again.
//
// It returns an error unless ptr has rows+1 elements that rise from 0 to len(idx) without a
// decrease, idx and val have the same length, columns are in range and strictly increasing
// within each row, and values are finite.
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
		return errorf("shape %d x %d is out of range: want rows >= 0 and 0 <= cols <= %d",
			rows, cols, MaxCols)
	case len(ptr) != rows+1:
		return errorf("%d row pointers for %d rows: want rows+1", len(ptr), rows)
	case nidx != nval:
		return errorf("%d column indices but %d values: want as many of both", nidx, nval)
	case ptr[0] != 0:
		return errorf("row pointer 0 is %d: want 0", ptr[0])
	}
	for i := range rows {
		if ptr[i+1] < ptr[i] {
			return errorf("row pointer %d is %d, below its predecessor %d: want no decrease",
				i+1, ptr[i+1], ptr[i])
		}
	}
	if ptr[rows] != int64(nidx) {
		return errorf("last row pointer is %d: want the number of entries, %d", ptr[rows], nidx)
	}
	return nil
}

func checkRow(i, cols int, idx []int32, val []float64) error {
	prev := int32(-1)
	for k, j := range idx {
		if j < 0 || int(j) >= cols {
			return errorf("row %d, position %d: column %d is outside 0..%d", i, k, j, cols-1)
		}
		if j <= prev {
			return errorf("row %d, position %d: column %d follows column %d: want strictly increasing columns", i, k, j, prev)
		}
		prev = j
		if v := val[k]; math.IsNaN(v) || math.IsInf(v, 0) {
			return errorf("row %d, position %d (column %d): value %v is not finite", i, k, j, v)
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

// Rows returns rows lo to hi-1 in the type that kernels take. Ptr holds hi-lo+1 positions in Idx
// and Val, which are the slices of the whole matrix. All slices are views of the matrix and must
// not be written to. It panics unless 0 <= lo <= hi <= rows.
func (a *CSR) Rows(lo, hi int) kernels.Rows {
	if lo > hi || hi > a.rows {
		panic("sparse: CSR.Rows: want 0 <= lo <= hi <= rows")
	}
	return kernels.Rows{Ptr: a.ptr[lo : hi+1 : hi+1], Idx: a.idx, Val: a.val, Cols: a.cols}
}

// Identity returns the n x n identity. It panics if n is negative or above
// MaxCols.
func Identity(n int) *CSR {
	if n < 0 || n > MaxCols {
		panic(fmt.Sprintf("sparse: Identity(%d): want 0 <= n <= %d", n, MaxCols))
	}
	a := &CSR{
		rows: n, cols: n, ptr: make([]int64, n+1), idx: make([]int32, n), val: slices.Repeat([]float64{1}, n),
	}
	for i := range n {
		a.ptr[i+1], a.idx[i] = int64(i+1), int32(i)
	}
	return a
}

// Stack returns the matrix [top; bottom]. Both must have the same number of
// columns. The result shares no memory with its arguments.
func Stack(top, bottom *CSR) (*CSR, error) {
	if top.cols != bottom.cols {
		return nil, errorf("cannot stack a matrix of %d columns on one of %d", top.cols, bottom.cols)
	}
	a := &CSR{
		rows: top.rows + bottom.rows,
		cols: top.cols,
		ptr:  make([]int64, top.rows+bottom.rows+1),
		idx:  slices.Concat(top.idx, bottom.idx),
		val:  slices.Concat(top.val, bottom.val),
	}
	copy(a.ptr, top.ptr)
	for i, p := range bottom.ptr {
		a.ptr[top.rows+i] = top.NNZ() + p
	}
	return a, nil
}

// Triplet is one matrix entry, with 0-based row and column.
type Triplet struct {
	Row, Col int
	Value    float64
}

// FromTriplets builds a rows x cols matrix from entries in any order. Two
// entries at one place, an entry out of range and a value that is not finite
// are errors. The argument is copied.
func FromTriplets(rows, cols int, entries []Triplet) (*CSR, error) {
	if rows < 0 || cols < 0 || cols > MaxCols {
		return nil, checkShape(rows, cols, nil, 0, 0)
	}
	for k, e := range entries {
		if e.Row < 0 || e.Row >= rows || e.Col < 0 || e.Col >= cols {
			return nil, errorf("entry %d: place (%d, %d) is outside the %d x %d matrix",
				k, e.Row, e.Col, rows, cols)
		}
		if math.IsNaN(e.Value) || math.IsInf(e.Value, 0) {
			return nil, errorf("entry %d at (%d, %d): value %v is not finite", k, e.Row, e.Col, e.Value)
		}
	}
	m, i, j, twice := coordinates.NewMatrix(rows, cols, func(do func(i int, j int32, v float64)) {
		for _, e := range entries {
			do(e.Row, int32(e.Col), e.Value)
		}
	})
	if twice {
		return nil, errorf("two entries at (%d, %d): want each place once", i, j)
	}
	return &CSR{rows: rows, cols: cols, ptr: m.Ptr, idx: m.Idx, val: m.Val}, nil
}

// FromDense builds a matrix from rows*cols values in row-major order. Zeros are not stored.
// The argument is copied. Another number of values and a value that is not finite are errors.
func FromDense(rows, cols int, data []float64) (*CSR, error) {
	if rows < 0 || cols < 0 || cols > MaxCols || (cols > 0 && rows > math.MaxInt/cols) {
		return nil, errorf("shape %d x %d is out of range", rows, cols)
	}
	if len(data) != rows*cols {
		return nil, errorf("%d values for a dense %d x %d table: want %d", len(data), rows, cols, rows*cols)
	}
	ptr, idx, val := make([]int64, rows+1), []int32(nil), []float64(nil)
	for i := range rows {
		for j, v := range data[i*cols : (i+1)*cols] {
			if v != 0 {
				idx, val = append(idx, int32(j)), append(val, v)
			}
		}
		ptr[i+1] = int64(len(idx))
	}
	return New(rows, cols, ptr, idx, val)
}

// maxShortCols is the largest number of columns for which 16-bit indices are enough.
const maxShortCols = math.MaxUint16 + 1

// Compact returns all rows in the smallest storage form of package kernels: 16-bit column indices if
// there are at most 65,536 columns, and no values if all are 1. Otherwise values are float32 if that is
// exact or, with round, if none of them overflows. Rounding has a relative error of at most 6e-8, or more for
// values below 1.2e-38. Without round, kernels give the same bits for every form. Slices that are
// not made smaller are views of the matrix and must not be written to.
func (a *CSR) Compact(round bool) kernels.Rows {
	rows, nnz := a.Rows(0, a.rows), a.NNZ()
	if nnz == 0 {
		return rows
	}
	idx16, allOnes, val32 := a.compactForm(round)
	if idx16 {
		rows.Idx, rows.Idx16 = nil, pages.Make[uint16](int(nnz))
		for k, j := range a.idx[:nnz] {
			rows.Idx16[k] = uint16(j)
		}
	}
	switch {
	case allOnes:
		rows.Val = nil
	case val32:
		rows.Val, rows.Val32 = nil, pages.Make[float32](int(nnz))
		for k, v := range a.val[:nnz] {
			rows.Val32[k] = float32(v)
		}
	}
	return rows
}

// CompactBytes returns the number of bytes that Compact(false) copies.
func (a *CSR) CompactBytes() int64 {
	var copiedBytes int64
	idx16, _, val32 := a.compactForm(false)
	if idx16 {
		copiedBytes += 2
	}
	if val32 {
		copiedBytes += 4
	}
	return copiedBytes * a.NNZ()
}

// compactForm says in which form Compact stores the matrix. If idx16, column indices have 16 bits. If
// allOnes, all values are 1, and no values are stored. If val32, values are stored as float32. At most one
// of allOnes and val32 is true.
func (a *CSR) compactForm(round bool) (idx16, allOnes, val32 bool) {
	val := a.val[:a.NNZ()]
	allOnes = !slices.ContainsFunc(val, func(v float64) bool { return v != 1 })
	return a.cols <= maxShortCols, allOnes, !allOnes && fitFloat32(val, round)
}

// fitFloat32 reports whether float32 can hold all values: exactly or, if round is set, rounded.
func fitFloat32(val []float64, round bool) bool {
	return !slices.ContainsFunc(val, func(v float64) bool {
		f := float64(float32(v))
		return f != v && (!round || math.IsInf(f, 0))
	})
}
