package quadratic

import (
	"math"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/pages"
)

// mostLong is the largest number of long rows that the sparse factor may leave out.
const mostLong = 32

// WithoutLongRows returns a with empty rows in place of those that have more than most entries, and the number of these
// rows. It returns a itself if there are none, or more than mostLong.
func WithoutLongRows(a *sparse.CSR, most int) (short *sparse.CSR, longCount int) {
	rows, cols := a.Dims()
	ptr, idx, val := make([]int64, 1, rows+1), []int32(nil), []float64(nil)
	for row := range rows {
		if rowIdx, rowVal := a.Row(row); len(rowIdx) > most {
			longCount++
		} else {
			idx, val = append(idx, rowIdx...), append(val, rowVal...)
		}
		ptr = append(ptr, int64(len(idx)))
	}
	if longCount == 0 || longCount > mostLong {
		return a, 0
	}
	short, err := sparse.New(rows, cols, ptr, idx, val)
	if err != nil {
		panic(err) // unreachable: these are rows of a valid matrix
	}
	return short, longCount
}

// fewRows is a preconditioner P + R'diag(c)R, where R has few rows, and P has a sparse Cholesky factor L. With
// P = L L' and B = diag(√c) R L'⁻¹, the inverse of the preconditioner is
//
//	L'⁻¹ (I − B'(I + B B')⁻¹B) L⁻¹.
//
// This is Woodbury's formula. If R has no rows, the pointer to fewRows is nil.
type fewRows struct {
	order   int       // the number of columns of R
	rows    []float64 // R by rows
	weights []float64 // c
	b       []float64 // B by rows
	gram    []float64 // I + B B', the upper triangle
	chol    *linalg.Cholesky
	work, z []float64 // scratch memory, one number for each row of R
	y       []float64 // scratch memory, one number for each column of R
}

// factor prepares precondition. p is the factor of P.
func (f *fewRows) factor(p *linalg.SparseCholesky) bool {
	if f == nil {
		return true
	}
	n, order := len(f.weights), f.order
	if f.b == nil {
		f.b, f.gram = pages.Make[float64](n*order), make([]float64, n*n)
		f.work, f.z, f.y = make([]float64, n), make([]float64, n), make([]float64, order)
		f.chol = linalg.NewCholesky(n)
	}
	ones := make([]float64, n)
	for i, c := range f.weights {
		ones[i] = 1
		row, root := f.b[i*order:(i+1)*order], math.Sqrt(c)
		for j, v := range f.rows[i*order : (i+1)*order] {
			f.y[j] = root * v
		}
		p.Forward(row, f.y)
		for k := range i + 1 {
			f.gram[k*n+i] = kernels.Dot(row, f.b[k*order:(k+1)*order])
		}
		f.gram[i*n+i]++
	}
	return f.chol.Factor(f.gram, ones, 0)
}

// precondition sets dst = (P + R'diag(c)R)⁻¹ r. p is the factor of P.
//
// Let y = L⁻¹r and (I + B B')z = B y. Then B(y − B'z) = z. If c is large, z is small, and rounding errors make both
// sides of this equation differ by much more than z. A second round computes the difference, and corrects y and z.
func (f *fewRows) precondition(dst, r []float64, p *linalg.SparseCholesky) {
	if f == nil {
		p.Solve(dst, r)
		return
	}
	p.Forward(f.y, r)
	clear(f.z)
	for range 2 {
		for i, z := range f.z {
			f.work[i] = kernels.Dot(f.b[i*f.order:(i+1)*f.order], f.y) - z
		}
		f.chol.Solve(f.work, f.work)
		for i, v := range f.work {
			f.z[i] += v
			kernels.Axpy(-v, f.b[i*f.order:(i+1)*f.order], f.y)
		}
	}
	p.Backward(dst, f.y)
}

// setFewRows sets the rows and the weights of m.few, if it is not nil. The rows stay the same.
func (m *Implicit) setFewRows() {
	f := m.few
	if f == nil {
		return
	}
	f.weights = f.weights[:0]
	if m.kind == FewRows {
		f.weights = append(f.weights, m.columns.Weights...)
	}
	for _, k := range m.long {
		f.weights = append(f.weights, m.w[k])
	}
	if f.rows != nil {
		return
	}
	f.rows = pages.Make[float64](len(f.weights) * f.order)[:0]
	if m.kind == FewRows {
		f.rows = f.rows[:m.columns.XT.Cols*f.order]
		m.columns.copyRows(f.rows)
	}
	for _, k := range m.long {
		f.rows = append(f.rows, m.denseRow(k)...)
	}
}

// denseRow returns row k of the kept rows of A.
func (m *Implicit) denseRow(k int32) []float64 {
	row := make([]float64, len(m.gram))
	m.penalty.EachEntry(k, func(j int32, v float64) { row[j] = v })
	return row
}
