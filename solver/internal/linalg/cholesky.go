package linalg

import (
	"math"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/sparse/pages"
)

// A Cholesky is the Cholesky factor L of a symmetric positive definite matrix. It does not use a library,
// because the bits of its results must not depend on the machine.
type Cholesky struct {
	// Threads is the number of goroutines of Factor; 0 means 1. The bits of L do not depend on it.
	Threads int

	n      int       // order of the matrix
	stride int       // entry (i, j) of L has the index i·stride + j in l
	l      []float64 // row-major

	upper, factors []float64 // scratch memory of factorDiagonalBlock
	tiles          tiles     // scratch memory of factorBlocks
}

// NewCholesky returns a Cholesky for matrices of order n.
func NewCholesky(n int) *Cholesky { return &Cholesky{n: n, stride: n, l: pages.Make[float64](n * n)} }

// Resize prepares for matrices of order n. It reuses memory that is large enough. Memory that is larger
// leaves space for rows that Append adds.
func (c *Cholesky) Resize(n int) {
	c.n, c.stride = n, max(n, min(spacious(n), int(math.Sqrt(float64(cap(c.l))))))
	c.l = pages.Resize(c.l, c.stride*c.stride)
}

// spacious returns an order that leaves space for more rows than n.
func spacious(n int) int { return n + n/4 + 16 }

// Append adds new rows and columns to the end of the factored matrix. columns[k] has the entries of the k-th new column
// above the diagonal: one for each old row, and one for each new row before row k. Its entry on the diagonal is
// diagonals[k]. If a pivot is not larger than minPivot, Append returns false, and only the new rows before this pivot
// are in the factor. Append overwrites columns.
func (c *Cholesky) Append(columns [][]float64, diagonals []float64, minPivot float64) bool {
	n := c.n
	c.solveLower(0, columns) // reads L once for all columns
	for k, column := range columns {
		c.solveLower(n, columns[k:k+1])
		pivot := diagonals[k] - kernels.Dot(column, column)
		if !(pivot > minPivot) {
			return false
		}
		c.appendRow(column, math.Sqrt(pivot))
	}
	return true
}

// appendRow adds a row to L: the given entries, and an entry on the diagonal.
func (c *Cholesky) appendRow(entries []float64, diagonal float64) {
	if c.n == c.stride {
		newStride := spacious(c.n)
		l := pages.Make[float64](newStride * newStride)
		for i := range c.n {
			copy(l[i*newStride:], c.row(i, 0, i+1))
		}
		c.stride, c.l = newStride, l
	}
	c.n++
	row := c.row(c.n-1, 0, c.n)
	copy(row, entries)
	row[c.n-1] = diagonal
}

// Delete removes row and column i of the factored matrix. Givens rotations restore the triangular form of the
// rows below row i (Golub and Van Loan, Matrix Computations, section 6.5).
func (c *Cholesky) Delete(i int) {
	cosines, sines := make([]float64, c.n), make([]float64, c.n)
	for r := i; r < c.n-1; r++ {
		src, dst := c.row(r+1, 0, r+2), c.row(r, 0, r+1)
		copy(dst[:i], src)
		entry := src[i] // the entry that the next rotation combines with its right neighbour
		for j := i; j < r; j++ {
			rightEntry := src[j+1]
			dst[j] = float64(cosines[j]*entry) + float64(sines[j]*rightEntry)
			entry = float64(cosines[j]*rightEntry) - float64(sines[j]*entry)
		}
		dst[r] = math.Sqrt(float64(entry*entry) + float64(src[r+1]*src[r+1]))
		cosines[r], sines[r] = entry/dst[r], src[r+1]/dst[r]
	}
	c.n--
}

// SolveLower sets dst to the solution of L v = b; dst may be b.
func (c *Cholesky) SolveLower(dst, b []float64) {
	copy(dst, b)
	c.solveLower(0, [][]float64{dst})
}

// solveLower replaces each of the given vectors b by the solution of L v = b. The entries before entry first must
// already be those of the solution.
func (c *Cholesky) solveLower(first int, vectors [][]float64) {
	for i := first; i < c.n; i++ {
		row := c.row(i, 0, i+1)
		for _, v := range vectors {
			v[i] = (v[i] - kernels.Dot(row[:i], v[:i])) / row[i]
		}
	}
}

// Solve sets dst to the solution of L L' v = b; dst may be b.
func (c *Cholesky) Solve(dst, b []float64) {
	c.SolveLower(dst, b)
	for i := c.n - 1; i >= 0; i-- {
		row := c.row(i, 0, i+1)
		dst[i] /= row[i]
		kernels.Axpy(-dst[i], row[:i], dst[:i])
	}
}

// LeastPivot returns the square of the smallest entry on the diagonal of L.
func (c *Cholesky) LeastPivot() float64 {
	least := math.Inf(1)
	for i := range c.n {
		d := c.l[i*c.stride+i]
		least = math.Min(least, float64(d*d))
	}
	return least
}
