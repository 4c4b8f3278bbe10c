package linalg

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
)

// A Cholesky is the Cholesky factor L of a symmetric positive definite matrix L L'. It does not use
// a library, because the order of summation in libraries depends on the machine, and a solution
// must have the same bits on every machine. Every sum has a fixed order; Factor sums in the order of
// kernels.Dot.
type Cholesky struct {
	n int       // order of the matrix
	l []float64 // row-major

	upper, above []float64 // scratch memory of diagonalBlock
	tiles        tiles     // scratch memory of blocks
}

// NewCholesky returns a Cholesky for matrices of order n.
func NewCholesky(n int) *Cholesky { return &Cholesky{n: n, l: make([]float64, n*n)} }

// Resize prepares for matrices of order n. It uses the memory of the last factor if that is large
// enough.
func (c *Cholesky) Resize(n int) { c.n, c.l = n, slices.Grow(c.l[:0], n*n)[:n*n] }

// Factor factors h and reports whether h is positive definite. h is row-major; Factor reads
// its upper triangle.
func (c *Cholesky) Factor(h []float64) bool {
	n := c.n
	for i := range n {
		row := c.l[i*n : (i+1)*n]
		for j := range i {
			other := c.l[j*n : (j+1)*n]
			row[j] = (h[j*n+i] - kernels.Dot(row[:j], other[:j])) / other[j]
		}
		pivot := h[i*n+i] - kernels.Dot(row[:i], row[:i])
		if !(pivot > 0) || math.IsInf(pivot, 1) {
			return false
		}
		row[i] = math.Sqrt(pivot)
	}
	return true
}

// Solve sets dst to the solution of L L' v = b; dst may be b.
func (c *Cholesky) Solve(dst, b []float64) {
	n := c.n
	copy(dst, b)
	for i := range n {
		row := c.l[i*n : (i+1)*n]
		dst[i] = (dst[i] - kernels.Dot(row[:i], dst[:i])) / row[i]
	}
	for i := n - 1; i >= 0; i-- {
		row := c.l[i*n : (i+1)*n]
		dst[i] /= row[i]
		kernels.Axpy(-dst[i], row[:i], dst[:i])
	}
}

// LeastPivot returns the square of the smallest entry on the factor's diagonal.
func (c *Cholesky) LeastPivot() float64 {
	least := math.Inf(1)
	for i := range c.n {
		d := c.l[i*c.n+i]
		least = math.Min(least, float64(d*d))
	}
	return least
}

// Entry returns entry (i, j) of the factor, where j ≤ i.
func (c *Cholesky) Entry(i, j int) float64 { return c.l[i*c.n+j] }
