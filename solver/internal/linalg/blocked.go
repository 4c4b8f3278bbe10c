package linalg

import (
	"math"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/rows"
)

// factorBlock is the number of columns that are eliminated together. It is part of
// the definition of the factor's bits.
const factorBlock = kernels.TileSide

// FactorScaled factors diag(scale) h diag(scale) + lift I, h as for Factor, and
// reports whether that is positive definite. A zero on the diagonal counts as one.
// Large matrices are factored by blocks of columns, so that a tile of the rest is
// read once for a block and not once for a column: entries of L are sums over all
// columns, in order, whatever the number of threads.
func (c *Cholesky) FactorScaled(h, scale []float64, lift float64, threads int) bool {
	n := c.n
	for i := 0; i < n; i += factorBlock {
		for j := 0; j <= i; j += factorBlock {
			c.take(h, scale, i, j)
		}
	}
	for i := range n {
		if c.l[i*n+i] == 0 {
			c.l[i*n+i] = 1
		}
		c.l[i*n+i] += lift
	}
	return c.blocks(threads)
}

// take sets the tile of the lower triangle that begins at i, j to that of the scaled
// matrix.
func (c *Cholesky) take(h, scale []float64, i, j int) {
	n := c.n
	for row := i; row < min(i+factorBlock, n); row++ {
		for col := j; col < min(j+factorBlock, row+1); col++ {
			c.l[row*n+col] = float64(h[col*n+row]*scale[row]) * scale[col]
		}
	}
}

// blocks factors the matrix whose lower triangle is in the place of the factor.
func (c *Cholesky) blocks(threads int) bool {
	n := c.n
	t := newTiles(c)
	for lo := 0; lo < n; lo += factorBlock {
		hi := min(lo+factorBlock, n)
		if !c.diagonalBlock(lo, hi) {
			return false
		}
		if hi == n {
			break
		}
		t.begin(lo)
		count := (n - hi + factorBlock - 1) / factorBlock
		spread(threads, count, t.solve)
		spread(threads, count, t.trail)
	}
	return true
}

// spread calls do for 0 ≤ k < count on up to so many goroutines. The last rows are the
// longest, so they come first.
func spread(threads, count int, do func(k int)) {
	rows.Spread(min(threads, count/4), count, func(k int) { do(count - 1 - k) })
}

// row returns columns lo to hi−1 of row i of the factor.
func (c *Cholesky) row(i, lo, hi int) []float64 { return c.l[i*c.n+lo : i*c.n+hi] }

// diagonalBlock factors the block of columns lo to hi−1, factorBlock at most, as an upper triangle:
// a row of that is the matrix's less those above it, in one call.
func (c *Cholesky) diagonalBlock(lo, hi int) bool {
	const side = factorBlock
	if c.upper == nil {
		c.upper, c.above = make([]float64, side*side), make([]float64, side)
	}
	u := c.upper
	clear(u)
	for i := lo; i < hi; i++ {
		for j, v := range c.row(i, lo, i+1) {
			u[j*side+i-lo] = v
		}
	}
	for i := range hi - lo {
		row := u[i*side : (i+1)*side]
		for k := range i {
			c.above[k] = -u[k*side+i]
		}
		kernels.AddRows(row, c.above[:i], u)
		pivot := row[i]
		if !(pivot > 0) || math.IsInf(pivot, 1) {
			return false
		}
		root := math.Sqrt(pivot)
		row[i] = root
		for j := i + 1; j < hi-lo; j++ {
			row[j] /= root
		}
	}
	for i := lo; i < hi; i++ {
		for j := range c.row(i, lo, i+1) {
			c.l[i*c.n+lo+j] = u[j*side+i-lo]
		}
	}
	return true
}

// tiles are the rows below a block of columns of the factor, 64 at a time.
type tiles struct {
	*Cholesky
	lo       int       // first column of the block
	diagonal []float64 // −L of the block itself, by rows
	across   []float64 // L below the block: its transpose, tile by tile
	left     []float64 // −L below the block, by rows
}

func newTiles(c *Cholesky) *tiles {
	const side = factorBlock
	rows := (c.n + side - 1) / side * side
	return &tiles{Cholesky: c, diagonal: make([]float64, side*side), across: make([]float64, rows*side), left: make([]float64, rows*side)}
}

// begin goes to the block that begins at column lo, whose diagonal part is factored.
func (t *tiles) begin(lo int) {
	t.lo = lo
	for i := range factorBlock {
		for j, v := range t.row(lo+i, lo, lo+i) {
			t.diagonal[i*factorBlock+j] = -v
		}
	}
}

// span returns the rows of tile k, and its place in across and left.
func (t *tiles) span(k int) (first, last, at int) {
	at = k * factorBlock
	first = t.lo + factorBlock + at
	return first, min(first+factorBlock, t.n), at * factorBlock
}

// solve sets the entries of the block's columns in tile k, column by column.
func (t *tiles) solve(k int) {
	const side = factorBlock
	first, last, at := t.span(k)
	across := t.across[at : at+side*side]
	clear(across)
	for i := first; i < last; i++ {
		for j, v := range t.row(i, t.lo, t.lo+side) {
			across[j*side+i-first] = v
		}
	}
	for j := range side {
		column := across[j*side : (j+1)*side]
		kernels.AddRows(column, t.diagonal[j*side:j*side+j], across)
		pivot := t.l[(t.lo+j)*t.n+t.lo+j]
		for i := range column {
			column[i] /= pivot
		}
	}
	for i := first; i < last; i++ {
		left := t.left[at+(i-first)*side:][:side]
		for j := range t.row(i, t.lo, t.lo+side) {
			v := across[j*side+i-first]
			t.l[i*t.n+t.lo+j], left[j] = v, -v
		}
	}
}

// trail subtracts the block's part from tile k, right of the block.
func (t *tiles) trail(k int) {
	const side = factorBlock
	first, last, at := t.span(k)
	left := t.left[at : at+(last-first)*side]
	for m := range k {
		col, _, panel := t.span(m)
		kernels.AddTile(t.l[first*t.n+col:], t.n, last-first, left, t.across[panel:panel+side*side])
	}
	// The last one has a part above the diagonal.
	own := make([]float64, side*side)
	for i := first; i < last; i++ {
		copy(own[(i-first)*side:], t.row(i, first, i+1))
	}
	kernels.AddTile(own, side, last-first, left, t.across[at:at+side*side])
	for i := first; i < last; i++ {
		copy(t.row(i, first, i+1), own[(i-first)*side:])
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
