// Package linalg provides the linear algebra of the constraint matrix A of a problem: products with A and
// A', the matrix A'A with its diagonal, connected components, eigenbasis and extreme eigenvalues, and
// solutions of (s I + ρ A'A) v = b by eigenbasis or conjugate gradients. It also has Cholesky
// factorizations of dense and sparse matrices. Sums have a fixed order, so results have the same bits on
// every machine. Read [Algebra] first.
package linalg

import (
	"math"
	"slices"
	"sync"

	"github.com/scas-admm/scas/sparse"
)

// A Map is a linear map from R^p to R^l. *sparse.CSR implements it.
type Map interface {
	Dims() (rows, cols int)
	MulVec(dst, x []float64)
	MulVecTrans(dst, v []float64)
}

// An Algebra has the constraint matrix A and computes quantities of A when they are needed. It is safe for
// concurrent use.
type Algebra struct {
	rows, cols int
	operator   Map         // nil for A = I
	matrix     *sparse.CSR // nil if A is I or not given as a matrix

	transpose          func() *sparse.CSR
	gram               func() *sparse.CSR
	parts              func() *Parts
	components         func() *Components
	largestEigenvalue  func() float64
	smallestEigenvalue func() float64

	lock     sync.Mutex // protects the field spectrum
	spectrum *Spectrum
}

// New returns the Algebra of a. A nil a means the identity of R^p. Stored zeros of a matrix are left out.
func New(a Map, p int) *Algebra {
	if matrix, ok := a.(*sparse.CSR); ok {
		a = withoutZeros(matrix)
	}
	return newAlgebra(a, p)
}

// newAlgebra is New, but keeps stored zeros of a matrix.
func newAlgebra(a Map, p int) *Algebra {
	q := &Algebra{rows: p, cols: p, operator: a}
	if a != nil {
		q.rows, q.cols = a.Dims()
		q.matrix, _ = a.(*sparse.CSR)
	}
	q.transpose = sync.OnceValue(func() *sparse.CSR { return q.matrix.Transpose() })
	q.gram = sync.OnceValue(q.newGram)
	q.parts = sync.OnceValue(func() *Parts { return newParts(q) })
	q.components = sync.OnceValue(func() *Components { return newComponents(q.Gram()) })
	q.largestEigenvalue = sync.OnceValue(q.estimateLargest)
	q.smallestEigenvalue = sync.OnceValue(q.boundSmallest)
	return q
}

// withoutZeros returns a matrix that stores only the entries of a that are not 0: a itself if it stores no
// zeros.
func withoutZeros(a *sparse.CSR) *sparse.CSR {
	rows, cols := a.Dims()
	stored := a.Rows(0, rows)
	if !slices.Contains(stored.Val[:a.NNZ()], 0) {
		return a
	}
	ptr, idx, val := make([]int64, rows+1), []int32(nil), []float64(nil)
	for i := range rows {
		rowIdx, rowVal := a.Row(i)
		for k, v := range rowVal {
			if v != 0 {
				idx, val = append(idx, rowIdx[k]), append(val, v)
			}
		}
		ptr[i+1] = int64(len(idx))
	}
	out, err := sparse.New(rows, cols, ptr, idx, val)
	if err != nil {
		panic(err) // unreachable: a part of a valid matrix is valid
	}
	return out
}

// Dims returns the numbers of rows and columns of A.
func (q *Algebra) Dims() (rows, cols int) { return q.rows, q.cols }

// IsIdentity reports whether New was called with nil, for A = I.
func (q *Algebra) IsIdentity() bool { return q.operator == nil }

// Matrix returns A without stored zeros, or nil if A is the identity or not given as a matrix.
func (q *Algebra) Matrix() *sparse.CSR { return q.matrix }

// Gram returns A'A. It returns nil if A is the identity or not given as a matrix, or if A'A could have many more
// entries than A, for example because a row of A has many entries.
func (q *Algebra) Gram() *sparse.CSR {
	if q.matrix == nil {
		return nil
	}
	return q.gram()
}

// mostGramEntries is the largest number of entries of A'A for each entry and column of A.
const mostGramEntries = 20

// newGram returns the result of method Gram for a matrix.
func (q *Algebra) newGram() *sparse.CSR {
	most := mostGramEntries * float64(q.matrix.NNZ()+int64(q.cols))
	pairs := 0.0 // A'A has at most this number of entries
	for row := range q.rows {
		idx, _ := q.matrix.Row(row)
		pairs += float64(float64(len(idx)) * float64(len(idx)))
	}
	if min(pairs, float64(float64(q.cols)*float64(q.cols))) > most && q.gramExceeds(most) {
		return nil
	}
	return q.matrix.Gram()
}

// gramExceeds reports whether A'A has more than most entries.
func (q *Algebra) gramExceeds(most float64) bool {
	count := 0
	lastSeenBy := make([]int, q.cols) // for each row of A'A: 1 plus the last column that was found to have an entry in it
	for j := range q.cols {
		rows, _ := q.transpose().Row(j)
		for _, row := range rows {
			idx, _ := q.matrix.Row(int(row))
			for _, k := range idx {
				if lastSeenBy[k] != j+1 {
					lastSeenBy[k] = j + 1
					count++
				}
			}
		}
		if float64(count) > most {
			return true
		}
	}
	return false
}

// Diagonal returns the diagonal of A'A. isDiagonal is true if all other entries of A'A are zero; it is false if Gram
// returns nil. If A is a Map that is not a matrix, the diagonal is not known, and Diagonal returns zeros.
func (q *Algebra) Diagonal() (d []float64, isDiagonal bool) {
	if q.IsIdentity() {
		return slices.Repeat([]float64{1}, q.cols), true
	}
	d = make([]float64, q.cols)
	if q.matrix == nil {
		return d, false
	}
	gram := q.Gram()
	if gram == nil {
		for row := range q.rows {
			idx, val := q.matrix.Row(row)
			for k, j := range idx {
				d[j] += float64(val[k] * val[k])
			}
		}
		return d, false
	}
	isDiagonal = true
	for j := range d {
		cols, val := gram.Row(j)
		for k, c := range cols {
			if int(c) == j {
				d[j] = val[k]
			} else if val[k] != 0 {
				isDiagonal = false
			}
		}
	}
	return d, isDiagonal
}

// Components returns the connected components of the nonzero pattern of A'A. The result of Gram must not be nil.
func (q *Algebra) Components() *Components { return q.components() }

// Spectrum returns the eigenvalues and eigenvectors of A'A. The result of Gram must not be nil. If interrupt is not
// nil, it is called from time to time, and its error ends the computation.
func (q *Algebra) Spectrum(interrupt func() error) (*Spectrum, error) {
	q.lock.Lock()
	defer q.lock.Unlock()
	if q.spectrum != nil {
		return q.spectrum, nil
	}
	if interrupt == nil {
		interrupt = func() error { return nil }
	}
	s, err := newSpectrum(q.Gram(), q.Components(), interrupt)
	if err != nil {
		return nil, err
	}
	q.spectrum = s
	return s, nil
}

// LargestEigenvalue returns an estimate of the largest eigenvalue of A'A. The estimate is usually slightly
// too large.
func (q *Algebra) LargestEigenvalue() float64 {
	if q.IsIdentity() {
		return 1
	}
	return q.largestEigenvalue()
}

// SmallestEigenvalue returns an upper bound, up to rounding, of the smallest eigenvalue of A'A.
func (q *Algebra) SmallestEigenvalue() float64 {
	if q.IsIdentity() {
		return 1
	}
	return q.smallestEigenvalue()
}

// transProduct returns a function that multiplies by A'.
func (q *Algebra) transProduct() func(dst, v []float64) {
	if q.matrix != nil {
		return q.transpose().MulVec
	}
	return q.operator.MulVecTrans
}

// LeastSingleton returns the largest w such that every feature has a singleton row whose weight times |entry|
// is at least w. Then Σ weightⱼ|(A x)ⱼ| ≥ w |x_k| for every feature k. weights has one number ≥ 0 for each
// row of A. LeastSingleton returns 0 if a feature has no singleton row, or if A is a Map that is not a
// matrix.
func (q *Algebra) LeastSingleton(weights []float64) float64 {
	switch {
	case q.IsIdentity():
		return slices.Min(weights)
	case q.matrix == nil:
		return 0
	}
	largest := make([]float64, q.cols) // the largest weight times |entry| of each feature
	for row, w := range weights {
		if idx, val := q.matrix.Row(row); len(idx) == 1 {
			largest[idx[0]] = max(largest[idx[0]], math.Abs(w*val[0]))
		}
	}
	return slices.Min(largest)
}
