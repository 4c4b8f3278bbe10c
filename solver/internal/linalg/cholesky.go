package linalg

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
)

// A Cholesky is the Cholesky factor L of a symmetric positive definite matrix. It does not use a library,
// because the bits of its results must not depend on the machine.
type Cholesky struct {
	// Threads is the number of goroutines of Factor; 0 means 1. The bits of L do not depend on it.
	Threads int

	n int       // order of the matrix
	l []float64 // row-major

	upper, above []float64 // scratch memory of diagonalBlock
	tiles        tiles     // scratch memory of factorBlocks
}

// NewCholesky returns a Cholesky for matrices of order n.
func NewCholesky(n int) *Cholesky { return &Cholesky{n: n, l: make([]float64, n*n)} }

// Resize prepares for matrices of order n. It reuses memory that is large enough.
func (c *Cholesky) Resize(n int) { c.n, c.l = n, slices.Grow(c.l[:0], n*n)[:n*n] }

// SolveLower sets dst to the solution of L v = b; dst may be b.
func (c *Cholesky) SolveLower(dst, b []float64) {
	copy(dst, b)
	for i := range c.n {
		row := c.row(i, 0, i+1)
		dst[i] = (dst[i] - kernels.Dot(row[:i], dst[:i])) / row[i]
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
		d := c.l[i*c.n+i]
		least = math.Min(least, float64(d*d))
	}
	return least
}
