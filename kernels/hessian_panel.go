package kernels

import (
	"math"
	"math/bits"
	"unsafe"
)

// Panels make Hessian faster if rows have many nonzeros. A block is panelRows consecutive rows of the
// data. A panel is a dense copy of a block in panelCols columns, zeros included. A tile is the part of
// the result h in these columns and in up to tileRows rows. Vector instructions add multiples of the
// panel's rows to each row of a tile.
//
// Panels are used only for batches of rows (see sortBlocks) whose values, factors c and products of the two
// are all finite; the other batches are left to sumByRows. So a zero of a panel adds a zero, which can change
// only the sign of a zero in h; plusZero corrects it.
const (
	panelRows     = 64      // number of rows of a panel: one bit of HessianScratch.mask for each
	panelCols     = 64      // number of columns of a panel
	tileRows      = 1024    // largest number of rows of h in a tile
	panelNonzeros = 1 << 17 // largest number of nonzeros that are sorted at a time
	panelBlocks   = 64      // largest number of blocks of panelRows rows whose nonzeros are sorted at a time
)

// A HessianScratch is the scratch memory of Hessian. The zero value is ready to use, for data of any size.
// Hessian allocates 32 kB of it at the first call, and 2.2 MB at the first call with many nonzeros in each
// row. It may serve any number of calls, one at a time. Its content between calls has no meaning.
type HessianScratch struct {
	spans []span    // the argument of an assembly call; like all fields, nil until it is needed
	panel []float64 // panelRows rows of panelCols numbers
	tile  []float64 // a copy of the tile's rows that cross the diagonal of h or its right edge
	t     []float64 // the products c[i]*x_ij of Hessian, ordered by block, then column, then row
	// For each block and column, the set of the block's rows with a nonzero in the column.
	mask        []uint64
	groupBegin  []int   // for each block and each group of panelCols columns, where the group begins in t
	nextNonzero []int64 // for each row, the first nonzero that is not yet in a panel
	nextPlace   []int32 // for each column, the next free place in t
}

// makePanels allocates the memory for panels at its first call.
func (s *HessianScratch) makePanels() {
	if s.panel != nil {
		return
	}
	s.panel = alignedZeros(panelRows * panelCols)
	s.tile = alignedZeros(tileRows * panelCols)
	s.t = make([]float64, panelNonzeros)
	s.mask = make([]uint64, panelBlocks*tileRows)
	s.groupBegin = make([]int, panelBlocks*(tileRows/panelCols))
	s.nextNonzero = make([]int64, panelBlocks*panelRows)
	s.nextPlace = make([]int32, tileRows)
}

// alignedZeros returns n zeros whose memory begins at a multiple of 64 bytes, the start of a cache line.
func alignedZeros(n int) []float64 {
	v := make([]float64, n+7)
	offset := int(uintptr(unsafe.Pointer(&v[0])) / 8 % 8)
	return v[(8-offset)%8:][:n]
}

// panelsFaster estimates whether sumByPanels is faster than sumByRows. The costs are in cycles of a Zen 5
// core: sumByRows takes perAdd for a multiply-add; sumByPanels takes 15 to sort a nonzero, and perTile for
// each tile to which the nonzero contributes.
func (a *Rows) panelsFaster(p int) bool {
	n := a.Len()
	if active.level == Generic || n == 0 {
		return false
	}
	perAdd, perTile := 1.3, 6.0
	if p*p > 1<<22 {
		perAdd = 13
	}
	if active.level == AVX2 {
		perTile = 10
	}
	meanNonzeros := float64(a.Ptr[n]-a.Ptr[0]) / float64(n)
	return perAdd*meanNonzeros/2 > 15+float64(perTile*(float64(float64(p)/(2*panelCols))+0.5))
}

// sumByPanels has a function for each storage form. It adds the same sum to h as HessianScratch.sumByRows,
// but computes it from dense panels of the data.
var sumByPanels = [numForms]func(s *HessianScratch, h []float64, p, stride, lo, hi int, a *Rows, c []float64){
	int32Float64: panelSum[int32, float64], int32Float32: panelSum[int32, float32],
	int32Ones:     panelSum[int32, float64],
	uint16Float64: panelSum[uint16, float64], uint16Float32: panelSum[uint16, float32],
	uint16Ones: panelSum[uint16, float64],
}

// A panelTask adds to rows lo to hi-1 of the upper triangle of h the sum of c[i] a_i a_i' over the rows of
// the data, where a_i is row i of the data.
type panelTask[I column, V value] struct {
	*HessianScratch
	*Rows
	idx       []I // the columns of Rows
	val       []V // the values of Rows, nil if all are 1
	h         []float64
	p, stride int
	lo, hi    int
	row, rows int
	c         []float64 // c of Hessian: the factor of each row of the data
}

func panelSum[I column, V value](
	s *HessianScratch, h []float64, p, stride, lo, hi int, a *Rows, c []float64,
) {
	s.makePanels()
	x := panelTask[I, V]{HessianScratch: s, Rows: a, h: h, p: p, stride: stride, c: c}
	x.idx, x.val = stored[I, V](a)
	for ; lo < hi; lo += tileRows {
		x.row, x.lo, x.hi = 0, lo, min(lo+tileRows, hi)
		for x.row < len(c) {
			x.sortBlocks()
			end := x.row + x.rows
			if x.finite() {
				for col := x.lo; col < p; col += panelCols {
					x.updateTiles(col)
				}
			} else {
				s.sumByRows(h, p, stride, x.lo, x.hi, a.Slice(x.row, end), c[x.row:end])
			}
			x.row = end
		}
	}
}

// finite reports whether all values x_ij of the rows that sortBlocks has prepared, and all products c[i]*x_ij,
// are certainly finite. Panels may be used only then. All columns of these rows count, not only columns x.lo
// to x.hi-1, because these columns are multiplied by all columns after them.
func (x *panelTask[I, V]) finite() bool {
	end := x.row + x.rows
	largestValue, largestFactor := 1.0, maxAbs(x.c[x.row:end])
	if x.val != nil {
		largestValue = maxAbs(x.val[x.Ptr[x.row]:x.Ptr[end]])
	}
	// 0 times an infinity or NaN is NaN.
	return (float64(largestFactor*largestValue)+largestFactor+largestValue)*0 == 0
}

// maxAbs returns the largest absolute value. Here an infinity is larger than any number, and a NaN larger
// than an infinity.
func maxAbs[V value](v []V) float64 {
	var largest uint64 // without the sign, the bits, read as an integer, have the order of the numbers
	for _, x := range v {
		largest = max(largest, math.Float64bits(math.Abs(float64(x))))
	}
	return math.Float64frombits(largest)
}

// sortBlocks sorts the nonzeros of each block of rows by columns. It begins with the block at row x.row, and
// ends when the scratch memory is full or no rows are left. It sets x.rows to the number of rows in these
// blocks.
func (x *panelTask[I, V]) sortBlocks() {
	x.rows = 0
	place := 0
	for b := range panelBlocks {
		lo := x.row + b*panelRows
		rows := min(panelRows, len(x.c)-lo)
		if rows <= 0 {
			return
		}
		var spans [panelRows]span
		end := place
		for r := range rows {
			first := x.seek(x.Ptr[lo+r], x.Ptr[lo+r+1], x.lo)
			last := x.seek(x.Ptr[lo+r], x.Ptr[lo+r+1], x.hi)
			spans[r] = span{first, last, 0, x.c[lo+r]}
			x.nextNonzero[b*panelRows+r] = first
			end += int(last - first)
		}
		if end > panelNonzeros {
			return
		}
		x.sortBlock(b, place, spans[:rows])
		place = end
		x.rows += rows
	}
}

// sortBlock sorts the nonzeros of block b by columns into x.t, beginning at x.t[place]. spans says where the
// nonzeros of each row of the block are.
func (x *panelTask[I, V]) sortBlock(b, place int, spans []span) {
	mask := x.mask[b*tileRows:][:x.hi-x.lo]
	clear(mask)
	markRows(mask, x.idx, x.lo, spans)
	for j, m := range mask {
		if j%panelCols == 0 {
			x.groupBegin[b*(tileRows/panelCols)+j/panelCols] = place
		}
		x.nextPlace[j] = int32(place)
		place += bits.OnesCount64(m)
	}
	x.sortNonzeros(spans)
}

// markRows sets bit r in the mask of every column in which span r has a nonzero. mask[0] belongs to
// column lo.
func markRows[I column](mask []uint64, idx []I, lo int, spans []span) {
	for r, s := range spans {
		for _, j := range idx[s.first:s.last] {
			mask[int(j)-lo] |= 1 << (r & 63)
		}
	}
}

// sortNonzeros puts every nonzero, times the factor c of its span, at the next free place of its column
// in x.t.
func (x *panelTask[I, V]) sortNonzeros(spans []span) {
	nextPlace, t := x.nextPlace, x.t
	for _, s := range spans {
		cols, v := x.idx[s.first:s.last], x.val
		if v != nil {
			v = v[s.first:s.last]
		}
		for k, j := range cols {
			place := &nextPlace[int(j)-x.lo]
			if v == nil {
				t[*place] = s.c
			} else {
				t[*place] = float64(s.c * float64(v[k]))
			}
			*place++
		}
	}
}

// updateTiles does the work of panelTask for the rows of the data that sortBlocks has sorted, and for columns
// col to col+panelCols-1 of h. It updates rows of h before row col in place, and the others in the copy
// x.tile. If h has fewer than col+panelCols columns, it updates all rows in the copy.
func (x *panelTask[I, V]) updateTiles(col int) {
	end := min(x.hi, col+panelCols)
	// Rows from split on are updated in a copy.
	split := min(max(x.lo, col), end)
	if col+panelCols > x.p {
		split = x.lo
	}
	x.load(split, end, col)
	for b := 0; b*panelRows < x.rows; b++ {
		x.pack(b, col)
		mask, groupBegin := x.mask[b*tileRows:], x.groupBegin[b*(tileRows/panelCols):]
		if split > x.lo {
			hessianPanelBlock(x.h[x.lo*x.stride+col:], x.stride, mask[:split-x.lo], x.t[groupBegin[0]:],
				x.panel)
		}
		if split < end {
			offset := split - x.lo
			hessianPanelBlock(x.tile, panelCols, mask[offset:end-x.lo], x.t[groupBegin[offset/panelCols]:],
				x.panel)
		}
	}
	x.store(split, end, col)
}

// load copies to x.tile, from rows lo to hi-1 of h, the elements in columns col to col+panelCols-1 that
// are not below the diagonal.
func (x *panelTask[I, V]) load(lo, hi, col int) {
	for j := lo; j < hi; j++ {
		start := max(j, col)
		copy(x.tile[(j-lo)*panelCols+start-col:(j-lo+1)*panelCols], x.h[j*x.stride+start:j*x.stride+x.p])
	}
}

// store copies from x.tile back to h the elements that load copied, after their update.
func (x *panelTask[I, V]) store(lo, hi, col int) {
	for j := lo; j < hi; j++ {
		start := max(j, col)
		copy(x.h[j*x.stride+start:j*x.stride+x.p], x.tile[(j-lo)*panelCols+start-col:(j-lo+1)*panelCols])
	}
}

// pack sets x.panel to a dense copy, zeros included, of the rows of the data in block b of sortBlocks, for
// columns col to col+panelCols-1. From call to call for one block, col must increase, because each call
// begins where the one before has stopped (x.nextNonzero).
func (x *panelTask[I, V]) pack(b, col int) {
	nextNonzero := x.nextNonzero[b*panelRows : min((b+1)*panelRows, x.rows)]
	end := x.Ptr[x.row+b*panelRows+1:][:len(nextNonzero)]
	for r, k := range nextNonzero {
		row := (*[panelCols]float64)(x.panel[r*panelCols:])
		*row = [panelCols]float64{}
		cols := x.idx[k:end[r]]
		if x.val == nil {
			nextNonzero[r] += int64(markOnes(row, cols, col))
		} else {
			nextNonzero[r] += int64(markValues(row, cols, x.val[k:end[r]], col))
		}
	}
}

// markOnes writes 1 to a panel's row for each of cols that is in the panel, and returns the number of
// these columns. The panel begins with column col. cols increase, and none is below col.
func markOnes[I column](row *[panelCols]float64, cols []I, col int) int {
	for n, j := range cols {
		index := uint(int(j) - col)
		if index >= panelCols {
			return n
		}
		row[index] = 1
	}
	return len(cols)
}

// markValues writes val[n] to a panel's row for each cols[n] that is in the panel, and returns the number of
// these columns. The panel begins with column col. cols increase, and none is below col.
func markValues[I column, V value](row *[panelCols]float64, cols []I, val []V, col int) int {
	val = val[:len(cols)]
	for n, j := range cols {
		index := uint(int(j) - col)
		if index >= panelCols {
			return n
		}
		row[index] = float64(val[n])
	}
	return len(cols)
}
