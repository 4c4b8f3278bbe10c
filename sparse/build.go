package sparse

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Identity returns the n x n identity. It panics if n is negative or above
// MaxCols.
func Identity(n int) *CSR {
	if n < 0 || n > MaxCols {
		panic(fmt.Sprintf("sparse: Identity(%d): want 0 <= n <= %d", n, MaxCols))
	}
	a := &CSR{rows: n, cols: n, ptr: make([]int64, n+1), idx: make([]int32, n), val: make([]float64, n)}
	for i := range n {
		a.ptr[i+1] = int64(i + 1)
		a.idx[i] = int32(i)
		a.val[i] = 1
	}
	return a
}

// Stack returns the matrix [top; bottom]. Both must have the same number of
// columns. The result shares no memory with its arguments.
func Stack(top, bottom *CSR) (*CSR, error) {
	if top.cols != bottom.cols {
		return nil, fmt.Errorf("sparse: cannot stack a matrix of %d columns on one of %d", top.cols, bottom.cols)
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
	ptr := make([]int64, rows+1)
	for k, e := range entries {
		if e.Row < 0 || e.Row >= rows || e.Col < 0 || e.Col >= cols {
			return nil, fmt.Errorf("sparse: entry %d: place (%d, %d) is outside the %d x %d matrix", k, e.Row, e.Col, rows, cols)
		}
		if math.IsNaN(e.Value) || math.IsInf(e.Value, 0) {
			return nil, fmt.Errorf("sparse: entry %d at (%d, %d): value %v is not finite", k, e.Row, e.Col, e.Value)
		}
		ptr[e.Row+1]++
	}
	for i := range rows {
		ptr[i+1] += ptr[i]
	}
	order := slices.Clone(entries)
	slices.SortFunc(order, func(a, b Triplet) int {
		return cmp.Or(cmp.Compare(a.Row, b.Row), cmp.Compare(a.Col, b.Col))
	})
	idx, val := make([]int32, len(order)), make([]float64, len(order))
	for k, e := range order {
		if k > 0 && order[k-1].Row == e.Row && order[k-1].Col == e.Col {
			return nil, fmt.Errorf("sparse: two entries at (%d, %d): want each place once", e.Row, e.Col)
		}
		idx[k], val[k] = int32(e.Col), e.Value
	}
	return New(rows, cols, ptr, idx, val)
}

// FromDense builds a matrix from rows*cols values in row-major order. Zeros
// are not stored. The argument is copied.
func FromDense(rows, cols int, data []float64) (*CSR, error) {
	if rows < 0 || cols < 0 || cols > MaxCols || (cols > 0 && rows > math.MaxInt/cols) {
		return nil, fmt.Errorf("sparse: shape %d x %d is out of range", rows, cols)
	}
	if len(data) != rows*cols {
		return nil, fmt.Errorf("sparse: %d values for a dense %d x %d table: want %d", len(data), rows, cols, rows*cols)
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
