package quad

import (
	"math"
	"sync"
	"sync/atomic"

	"github.com/scas-admm/scas/kernels"
)

// factorBlock is the number of columns that are eliminated together. It is part of
// the definition of the factor's bits.
const factorBlock = 96

// blockedFrom is the order from which FactorScaled works by blocks: the factor no
// longer fits the second-level cache.
const blockedFrom = 600

// FactorScaled factors diag(scale) h diag(scale) + lift I, h as for Factor, and
// reports whether that is positive definite. A zero on the diagonal counts as one.
// Large matrices are factored by blocks of columns, so that a tile of the rest is
// read once for a block and not once for a column: entries of L are sums over the
// blocks, in order, of inner products in the order of kernels.Dot, whatever the
// number of threads.
func (c *Cholesky) FactorScaled(h, scale []float64, lift float64, threads int) bool {
	n := c.n
	for i, d := range scale {
		for j, e := range scale[:i] {
			c.l[i*n+j] = h[j*n+i] * d * e
		}
		if v := float64(h[i*n+i] * d * d); v == 0 {
			c.l[i*n+i] = 1 + lift
		} else {
			c.l[i*n+i] = v + lift
		}
	}
	if n < blockedFrom {
		return c.diagonalBlock(0, n)
	}
	return c.blocks(threads)
}

// blocks factors the matrix whose lower triangle is in the place of the factor.
func (c *Cholesky) blocks(threads int) bool {
	n := c.n
	for lo := 0; lo < n; lo += factorBlock {
		hi := min(lo+factorBlock, n)
		if !c.diagonalBlock(lo, hi) {
			return false
		}
		spread(threads, (n-hi+panelRows-1)/panelRows, func(k int) {
			first := hi + k*panelRows
			c.panel(lo, hi, first, min(first+panelRows, n))
		})
		spread(threads, (n-hi+panelRows-1)/panelRows, func(k int) {
			first := hi + k*panelRows
			c.trail(lo, hi, first, min(first+panelRows, n))
		})
	}
	return true
}

// panelRows is the number of rows that are updated together.
const panelRows = 48

// spread calls do for 0 ≤ k < count on up to so many goroutines.
func spread(threads, count int, do func(k int)) {
	if threads = min(threads, count/4); threads <= 1 {
		for k := range count {
			do(k)
		}
		return
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range threads {
		wg.Go(func() {
			// The last rows are the longest, so they come first.
			for k := int(next.Add(1)); k <= count; k = int(next.Add(1)) {
				do(count - k)
			}
		})
	}
	wg.Wait()
}

// row returns columns lo to hi−1 of row i of the factor.
func (c *Cholesky) row(i, lo, hi int) []float64 { return c.l[i*c.n+lo : i*c.n+hi] }

// diagonalBlock factors the block of columns lo to hi−1.
func (c *Cholesky) diagonalBlock(lo, hi int) bool {
	for i := lo; i < hi; i++ {
		c.eliminate(i, lo, i)
		part := c.row(i, lo, i)
		pivot := c.l[i*c.n+i] - kernels.Dot(part, part)
		if !(pivot > 0) || math.IsInf(pivot, 1) {
			return false
		}
		c.l[i*c.n+i] = math.Sqrt(pivot)
	}
	return true
}

// eliminate sets entries lo to hi−1 of row i, given those rows of the factor.
func (c *Cholesky) eliminate(i, lo, hi int) {
	row := c.row(i, lo, hi)
	for j := range row {
		other := c.row(lo+j, lo, lo+j)
		row[j] = (row[j] - kernels.Dot(row[:j], other)) / c.l[(lo+j)*c.n+lo+j]
	}
}

// panel sets entries lo to hi−1 of the rows from first to last−1 below the block.
func (c *Cholesky) panel(lo, hi, first, last int) {
	for i := first; i < last; i++ {
		c.eliminate(i, lo, hi)
	}
}

// trail subtracts the block's part from those rows right of the block, by tiles.
func (c *Cholesky) trail(lo, hi, first, last int) {
	for j0 := hi; j0 < last; j0 += panelRows {
		for i := first; i < last; i++ {
			row := c.row(i, lo, hi)
			for j := j0; j < min(j0+panelRows, i+1); j++ {
				c.l[i*c.n+j] -= kernels.Dot(row, c.row(j, lo, hi))
			}
		}
	}
}

// SolveLower sets dst to the solution of L v = b; dst may be b.
func (c *Cholesky) SolveLower(dst, b []float64) {
	copy(dst, b)
	for i := range c.n {
		row := c.l[i*c.n : (i+1)*c.n]
		dst[i] = (dst[i] - kernels.Dot(row[:i], dst[:i])) / row[i]
	}
}
