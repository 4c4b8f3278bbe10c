package linalg

import (
	"math"

	"github.com/scas-admm/scas/kernels"
)

// A BandCholesky is the Cholesky factor L of a symmetric positive definite banded matrix: entries (i, j)
// with |i − j| > width are zero. For a matrix of order n, the factorisation takes about n·width²
// operations.
type BandCholesky struct {
	n, width int
	l        []float64 // row i holds columns i − width to i
}

// NewBandCholesky returns a BandCholesky for matrices of order n.
func NewBandCholesky(n, width int) *BandCholesky {
	return &BandCholesky{n: n, width: width, l: make([]float64, n*(width+1))}
}

// row returns columns lo to i of row i of L. The columns before lo are zero.
func (c *BandCholesky) row(i int) (lo int, row []float64) {
	lo = max(0, i-c.width)
	end := (i + 1) * (c.width + 1)
	return lo, c.l[end-(i-lo)-1 : end]
}

// Factor factors diag(scale) h diag(scale) + shift I and reports whether this matrix is positive definite.
// Entry (i, j) of h, i ≤ j ≤ i + width, is h[i·width + j]. A zero on the scaled diagonal is replaced by
// one.
func (c *BandCholesky) Factor(h, scale []float64, shift float64) bool {
	for i := range c.n {
		lo, row := c.row(i)
		for j := lo; j < i; j++ {
			loJ, rowJ := c.row(j)
			start := max(lo, loJ)
			v := float64(h[j*c.width+i]*scale[i]*scale[j]) -
				kernels.Dot(row[start-lo:j-lo], rowJ[start-loJ:j-loJ])
			row[j-lo] = v / rowJ[j-loJ]
		}
		pivot := float64(h[i*c.width+i] * scale[i] * scale[i])
		if pivot == 0 {
			pivot = 1
		}
		pivot += shift - kernels.Dot(row[:i-lo], row[:i-lo])
		if !(pivot > 0) || math.IsInf(pivot, 1) {
			return false
		}
		row[i-lo] = math.Sqrt(pivot)
	}
	return true
}

// Solve sets dst to the solution of L L' v = b; dst may be b.
func (c *BandCholesky) Solve(dst, b []float64) {
	copy(dst, b)
	for i := range c.n {
		lo, row := c.row(i)
		dst[i] = (dst[i] - kernels.Dot(row[:i-lo], dst[lo:i])) / row[i-lo]
	}
	for i := c.n - 1; i >= 0; i-- {
		lo, row := c.row(i)
		dst[i] /= row[i-lo]
		kernels.Axpy(-dst[i], row[:i-lo], dst[lo:i])
	}
}
