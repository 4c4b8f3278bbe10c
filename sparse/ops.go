package sparse

import (
	"fmt"
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/sparse/pages"
)

// MulVec sets dst = A x. dst has one element per row, x one per column; they must not overlap. The elements
// are summed in the order that kernels.Margins defines. It panics on wrong lengths.
func (a *CSR) MulVec(dst, x []float64) {
	if len(dst) != a.rows || len(x) != a.cols {
		panic(fmt.Sprintf("sparse: MulVec of a %d x %d matrix with len(dst) = %d, len(x) = %d",
			a.rows, a.cols, len(dst), len(x)))
	}
	kernels.Margins(dst, a.Rows(0, a.rows), x)
}

// MulVecTrans sets dst = A'x. dst has one element per column, x one per row; they must not overlap.
// Products are added in row order, each with one fused multiply-add, as kernels.Gradient defines. It panics
// on wrong lengths.
func (a *CSR) MulVecTrans(dst, x []float64) {
	if len(dst) != a.cols || len(x) != a.rows {
		panic(fmt.Sprintf("sparse: MulVecTrans of a %d x %d matrix with len(dst) = %d, len(x) = %d",
			a.rows, a.cols, len(dst), len(x)))
	}
	clear(dst)
	kernels.Gradient(dst, a.Rows(0, a.rows), x)
}

// Transpose returns A' as a new matrix. It panics if A has more than MaxCols rows.
func (a *CSR) Transpose() *CSR {
	if a.rows > MaxCols {
		panic(fmt.Sprintf("sparse: Transpose of a matrix with %d rows: at most %d fit column indices",
			a.rows, MaxCols))
	}
	t := &CSR{
		rows: a.cols,
		cols: a.rows,
		ptr:  make([]int64, a.cols+1),
		idx:  make([]int32, len(a.idx)),
		val:  make([]float64, len(a.val)),
	}
	for _, j := range a.idx {
		t.ptr[j+1]++
	}
	for j := range t.rows {
		t.ptr[j+1] += t.ptr[j]
	}
	nextEntry := slices.Clone(t.ptr[:t.rows])
	for i := range a.rows {
		for k := a.ptr[i]; k < a.ptr[i+1]; k++ {
			entry := nextEntry[a.idx[k]]
			nextEntry[a.idx[k]]++
			t.idx[entry], t.val[entry] = int32(i), a.val[k]
		}
	}
	return t
}

// Gram returns A'A as a new cols x cols matrix, exactly symmetric. Every element is the sum of separately
// rounded products over the rows of A in increasing order. Zeros are not stored. The time grows with the
// squares of the numbers of entries in the rows of A. Gram panics if an element overflows.
func (a *CSR) Gram() *CSR {
	t := a.Transpose()
	g := &CSR{rows: a.cols, cols: a.cols, ptr: make([]int64, a.cols+1)}
	sum, seen := make([]float64, a.cols), make([]bool, a.cols)
	var touched []int32 // the columns of the row of A'A that have a product
	for j := range t.rows {
		rows, weights := t.Row(j)
		for k, i := range rows {
			idx, val := a.Row(int(i))
			for l, c := range idx {
				if !seen[c] {
					seen[c] = true
					touched = append(touched, c)
				}
				sum[c] += float64(weights[k] * val[l])
			}
		}
		slices.Sort(touched)
		for _, c := range touched {
			if math.IsNaN(sum[c] - sum[c]) {
				panic(fmt.Sprintf("sparse: Gram: element (%d, %d) overflows: scale the columns of the matrix",
					j, c))
			}
			if sum[c] != 0 {
				g.idx, g.val = append(g.idx, c), append(g.val, sum[c])
			}
			sum[c], seen[c] = 0, false
		}
		touched = touched[:0]
		g.ptr[j+1] = int64(len(g.idx))
	}
	return g
}

// SelectRows returns the matrix whose row k is row rows[k] of A. Rows may repeat and come in any order. An
// index out of range is an error. The result shares no memory with A.
func (a *CSR) SelectRows(rows []int) (*CSR, error) {
	var nnz int64
	for k, i := range rows {
		if i < 0 || i >= a.rows {
			return nil, errorf("selection %d: row %d is outside 0..%d", k, i, a.rows-1)
		}
		nnz += a.ptr[i+1] - a.ptr[i]
	}
	s := &CSR{
		rows: len(rows),
		cols: a.cols,
		ptr:  pages.Make[int64](len(rows) + 1),
		idx:  pages.Make[int32](int(nnz))[:0],
		val:  pages.Make[float64](int(nnz))[:0],
	}
	for k, i := range rows {
		idx, val := a.Row(i)
		s.idx, s.val = append(s.idx, idx...), append(s.val, val...)
		s.ptr[k+1] = int64(len(s.idx))
	}
	return s, nil
}

// ScaleColumns returns A diag(factor) as a new matrix. factor must have one finite number per column. It is
// an error if factor has another length, or if an element of the result overflows.
func (a *CSR) ScaleColumns(factor []float64) (*CSR, error) {
	if len(factor) != a.cols {
		return nil, errorf("%d column factors for %d columns: want one per column", len(factor), a.cols)
	}
	val := make([]float64, len(a.val))
	for k, j := range a.idx {
		val[k] = a.val[k] * factor[j]
	}
	return New(a.rows, a.cols, slices.Clone(a.ptr), slices.Clone(a.idx), val)
}
