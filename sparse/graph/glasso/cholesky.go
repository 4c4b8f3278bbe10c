package glasso

import (
	"math"

	"github.com/scas-admm/scas/kernels"
)

// A cholesky is the Cholesky factor L of a symmetric positive definite n x n matrix L L'. It uses no
// library, because the results of a library depend on the machine.
type cholesky struct {
	n int
	l []float64 // row by row; entries above the diagonal are not used
}

// factor computes the Cholesky factor of the n x n matrix a, given row by row. It reads only the lower
// triangle of a. It returns false if a is not positive definite.
func (c *cholesky) factor(a []float64, n int) bool {
	c.n = n
	if len(c.l) != n*n {
		c.l = make([]float64, n*n)
	}
	for i := range n {
		row := c.l[i*n : (i+1)*n]
		for j := range i {
			rowJ := c.l[j*n : (j+1)*n]
			row[j] = (a[i*n+j] - kernels.Dot(row[:j], rowJ[:j])) / rowJ[j]
		}
		pivot := a[i*n+i] - kernels.Dot(row[:i], row[:i])
		if !(pivot > 0) || math.IsInf(pivot, 1) {
			return false
		}
		row[i] = math.Sqrt(pivot)
	}
	return true
}

func (c *cholesky) logDet() float64 {
	sum := 0.0
	for i := range c.n {
		sum += kernels.Log(c.l[i*c.n+i])
	}
	return 2 * sum
}

// solve replaces b by the solution of L L' v = b.
func (c *cholesky) solve(b []float64) {
	n := c.n
	for i := range n {
		row := c.l[i*n : (i+1)*n]
		b[i] = (b[i] - kernels.Dot(row[:i], b[:i])) / row[i]
	}
	for i := n - 1; i >= 0; i-- {
		row := c.l[i*n : (i+1)*n]
		b[i] /= row[i]
		kernels.Axpy(-b[i], row[:i], b[:i])
	}
}

// inverse sets w to the inverse of L L', row by row. scratch is scratch memory. w and scratch have n x n
// elements.
func (c *cholesky) inverse(w, scratch []float64) {
	n := c.n
	for i := range n { // row i of scratch becomes column i of the inverse of L
		u := scratch[i*n : (i+1)*n]
		u[i] = 1 / c.l[i*n+i]
		for k := i + 1; k < n; k++ {
			row := c.l[k*n : (k+1)*n]
			u[k] = -kernels.Dot(row[i:k], u[i:k]) / row[k]
		}
	}
	for i := range n {
		for j := range i + 1 {
			v := kernels.Dot(scratch[i*n+i:(i+1)*n], scratch[j*n+i:(j+1)*n])
			w[i*n+j], w[j*n+i] = v, v
		}
	}
}
