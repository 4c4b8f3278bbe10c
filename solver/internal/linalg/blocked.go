package linalg

import (
	"math"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/sparse/faults"
	"github.com/scas-admm/scas/sparse/pages"
)

// factorBlock is the number of columns that are eliminated together, as a block. Another value would change
// the bits of the factor.
const factorBlock = kernels.TileSide

// Factor factors diag(scale) h diag(scale) + shift I and reports whether this matrix is positive definite.
// h is row-major, and only its upper triangle is read. A zero on the scaled diagonal is replaced by one.
func (c *Cholesky) Factor(h, scale []float64, shift float64) bool {
	n := c.n
	for i := 0; i < n; i += factorBlock {
		for j := 0; j <= i; j += factorBlock {
			c.copyTile(h, scale, i, j)
		}
	}
	for i := range n {
		pivot := &c.l[i*c.stride+i]
		if *pivot == 0 {
			*pivot = 1
		}
		*pivot += shift
	}
	return c.factorBlocks()
}

// copyTile sets the tile of c.l that begins at row i and column j to the scaled entries of h, which it reads
// in the upper triangle.
func (c *Cholesky) copyTile(h, scale []float64, i, j int) {
	n := c.n
	for row := i; row < min(i+factorBlock, n); row++ {
		for col := j; col < min(j+factorBlock, row+1); col++ {
			c.l[row*c.stride+col] = float64(h[col*n+row]*scale[row]) * scale[col]
		}
	}
}

// factorBlocks factors the matrix whose lower triangle is in c.l, one block of columns after the other. It
// returns false if the matrix is not positive definite.
func (c *Cholesky) factorBlocks() bool {
	n := c.n
	var t *tiles
	if n > factorBlock {
		t = c.allocTiles()
	}
	for lo := 0; lo < n; lo += factorBlock {
		hi := min(lo+factorBlock, n)
		if !c.factorDiagonalBlock(lo, hi) {
			return false
		}
		if hi == n {
			break
		}
		t.beginBlock(lo)
		tileCount := (n - hi + factorBlock - 1) / factorBlock
		c.spread(tileCount, t.solve)
		c.spread(tileCount, t.subtract)
	}
	return true
}

// spread calls do for 0 ≤ k < count on several goroutines, at most Threads and at most count/4. It begins
// with the largest k, for which do may take longest.
func (c *Cholesky) spread(count int, do func(k int)) {
	faults.Each(max(1, min(c.Threads, count/4)), count, func() func(k int) {
		return func(k int) { do(count - 1 - k) }
	})
}

func (c *Cholesky) row(i, lo, hi int) []float64 { return c.l[i*c.stride+lo : i*c.stride+hi] }

// factorDiagonalBlock factors the block of rows and columns lo to hi−1, at most factorBlock of them. It works
// on the transpose, because one kernel call subtracts multiples of several rows from a row. It returns false
// if a pivot is not a positive finite number.
func (c *Cholesky) factorDiagonalBlock(lo, hi int) bool {
	const side = factorBlock
	if c.upper == nil {
		c.upper, c.factors = make([]float64, side*side), make([]float64, side)
	}
	u := c.upper
	clear(u[:(hi-lo)*side])
	for i := lo; i < hi; i++ {
		for j, v := range c.row(i, lo, i+1) {
			u[j*side+i-lo] = v
		}
	}
	for i := range hi - lo {
		row := u[i*side : (i+1)*side]
		for k := range i {
			c.factors[k] = -u[k*side+i]
		}
		kernels.AddRows(row, c.factors[:i], u)
		pivot := row[i]
		if !(pivot > 0) || math.IsInf(pivot, 1) {
			return false
		}
		sqrtPivot := math.Sqrt(pivot)
		row[i] = sqrtPivot
		for j := i + 1; j < hi-lo; j++ {
			row[j] /= sqrtPivot
		}
	}
	for i := lo; i < hi; i++ {
		for j := range c.row(i, lo, i+1) {
			c.l[i*c.stride+lo+j] = u[j*side+i-lo]
		}
	}
	return true
}

// tiles has, for a block of columns of the factor, the rows below the diagonal square of the block, in tiles
// of factorBlock rows.
type tiles struct {
	*Cholesky
	lo       int       // first column of the block
	diagonal []float64 // −L in the diagonal square of the block, by rows
	transL   []float64 // L below the diagonal square, in the columns of the block, each tile transposed
	minusL   []float64 // −L below the diagonal square, in the columns of the block, by rows
	squares  []float64 // for each tile, the square in its rows that lies on the matrix diagonal; see subtract
}

// allocTiles returns c.tiles with enough memory for the factor.
func (c *Cholesky) allocTiles() *tiles {
	const side = factorBlock
	size := (c.n + side - 1) / side * side * side
	t := &c.tiles
	t.Cholesky = c
	if t.diagonal == nil {
		t.diagonal = make([]float64, side*side)
	}
	for _, v := range []*[]float64{&t.transL, &t.minusL, &t.squares} {
		*v = pages.Resize(*v, size)
	}
	return t
}

// beginBlock prepares t for the block whose first column is lo. The diagonal square of the block must be
// factored already.
func (t *tiles) beginBlock(lo int) {
	t.lo = lo
	for i := range factorBlock {
		for j, v := range t.row(lo+i, lo, lo+i) {
			t.diagonal[i*factorBlock+j] = -v
		}
	}
}

// span returns the first row of tile k and the row after its last row, end. offset is the start of the tile
// in transL, minusL and squares.
func (t *tiles) span(k int) (first, end, offset int) {
	offset = k * factorBlock
	first = t.lo + factorBlock + offset
	return first, min(first+factorBlock, t.n), offset * factorBlock
}

// solve computes the entries of L in the rows of tile k and the factorBlock columns from t.lo on.
func (t *tiles) solve(k int) {
	const side = factorBlock
	first, end, offset := t.span(k)
	transL := t.transL[offset : offset+side*side]
	clear(transL)
	for i := first; i < end; i++ {
		for j, v := range t.row(i, t.lo, t.lo+side) {
			transL[j*side+i-first] = v
		}
	}
	for j := range side {
		column := transL[j*side : (j+1)*side]
		kernels.AddRows(column, t.diagonal[j*side:j*side+j], transL)
		pivot := t.l[(t.lo+j)*t.stride+t.lo+j]
		for i := range column {
			column[i] /= pivot
		}
	}
	for i := first; i < end; i++ {
		minusL := t.minusL[offset+(i-first)*side:][:side]
		for j := range t.row(i, t.lo, t.lo+side) {
			v := transL[j*side+i-first]
			t.l[i*t.stride+t.lo+j], minusL[j] = v, -v
		}
	}
}

// subtract updates the entries in the rows of tile k to the right of the block of columns (see tiles). It
// subtracts the products of the entries of L in the columns of the block.
func (t *tiles) subtract(k int) {
	const side = factorBlock
	first, end, offset := t.span(k)
	minusL := t.minusL[offset : offset+(end-first)*side]
	for m := range k {
		col, _, start := t.span(m)
		kernels.AddTile(t.l[first*t.stride+col:], t.stride, end-first, minusL,
			t.transL[start:start+side*side])
	}
	// AddTile also writes above the diagonal, so it works on a copy of the diagonal square.
	square := t.squares[offset : offset+side*side]
	clear(square)
	for i := first; i < end; i++ {
		copy(square[(i-first)*side:], t.row(i, first, i+1))
	}
	kernels.AddTile(square, side, end-first, minusL, t.transL[offset:offset+side*side])
	for i := first; i < end; i++ {
		copy(t.row(i, first, i+1), square[(i-first)*side:])
	}
}
