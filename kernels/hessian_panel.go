package kernels

import (
	"math/bits"
	"unsafe"
)

// Where rows are dense enough it pays to write them out: panelRows rows by
// panelCols columns at a time, zeros included. The tile of h in these columns
// then takes one nonzero of a row after the other, times the row of the panel,
// by vectors, in registers. A zero changes nothing: the product is a zero, since
// byPanels is for finite numbers alone, and adding one to h leaves all but the
// sign of a zero, which is + in the end.
const (
	panelRows = 64 // bits of a mask
	panelCols = 64
	panelSpan = 1024    // rows of h at a time: a tile of them stays in the second-level cache
	panelHeld = 1 << 17 // nonzeros at a time in these rows
	panelMost = 64      // blocks of panelRows rows at a time
)

// A HessianScratch is the room that Hessian needs, 32 kB, and 2.2 MB where rows are long.
// It may serve any number of calls, one at a time. What it holds between calls has no
// meaning.
type HessianScratch struct {
	spans []span
	panel []float64 // panelRows rows; it and what follows is nil until needed
	tile  []float64 // of h, where its columns are not all to be touched
	t     []float64 // c[i]*x_ij by block, then column, then row
	mask  []uint64  // rows of a block that hold column j
	begin []int     // where in t each block's columns begin, every panelCols
	next  []int64   // the first nonzero of each row not yet in a panel
	room  []int32   // by column
}

// NewHessianScratch returns a HessianScratch, for data of any size.
func NewHessianScratch() *HessianScratch {
	return &HessianScratch{spans: make([]span, spanRows)}
}

// makePanels makes room for panels, once.
func (s *HessianScratch) makePanels() {
	if s.panel != nil {
		return
	}
	s.panel = aligned(panelRows * panelCols)
	s.tile = aligned(panelSpan * panelCols)
	s.t = make([]float64, panelHeld)
	s.mask = make([]uint64, panelMost*panelSpan)
	s.begin = make([]int, panelMost*(panelSpan/panelCols))
	s.next = make([]int64, panelMost*panelRows)
	s.room = make([]int32, panelSpan)
}

// aligned returns room for n numbers that begins at a cache line.
func aligned(n int) []float64 {
	v := make([]float64, n+7)
	past := int(uintptr(unsafe.Pointer(&v[0])) / 8 % 8)
	return v[(8-past)%8:][:n]
}

// panels reports whether panels are expected to be faster than rows. Nothing
// but time depends on it. In cycles of a Zen 5 core a nonzero takes 1.3 for each
// multiply-add, ten times that when h is beyond the caches; or 15 to sort it, and
// about 6 for every tile it meets, or 10 with vectors half as wide.
func (a *Rows) panels(p int) bool {
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
	mean := float64(a.Ptr[n]-a.Ptr[0]) / float64(n)
	return perAdd*mean/2 > 15+float64(perTile*(float64(float64(p)/(2*panelCols))+0.5))
}

// tame reports whether all products c[i]*x_ij and all x_ij are finite, for
// certain.
func (a *Rows) tame(c []float64) bool {
	lo, hi := a.Ptr[0], a.Ptr[a.Len()]
	largest := 1.0
	if a.Val != nil {
		largest = size(a.Val[lo:hi])
	} else if a.Val32 != nil {
		largest = size(a.Val32[lo:hi])
	}
	// An infinite or NaN factor makes NaN of 0 times it.
	return (float64(size(c)*largest)+size(c)+largest)*0 == 0
}

// size returns the largest absolute value, or NaN if there is one.
func size[V value](v []V) float64 {
	var largest, nan V
	for _, x := range v {
		nan += x - x // not 0 for an infinity, too
		largest = max(largest, x, -x)
	}
	return float64(largest + nan)
}

// A pass is the work on some rows of h: the nonzeros of a in these columns, of
// as many rows as there is room for.
type pass struct {
	*HessianScratch
	*Rows
	h         []float64
	p, stride int
	lo, hi    int // rows of h
	row       int // first row of a
	rows      int
	c         []float64
}

func (s *HessianScratch) byPanels(h []float64, p, stride, lo, hi int, a *Rows, c []float64) {
	s.makePanels()
	for ; lo < hi; lo += panelSpan {
		x := pass{HessianScratch: s, Rows: a, h: h, p: p, stride: stride, lo: lo, hi: min(lo+panelSpan, hi), c: c}
		for x.row < len(c) {
			x.collect()
			for col := x.lo; col < p; col += panelCols {
				x.tiles(col)
			}
			x.row += x.rows
		}
	}
}

// collect sorts the nonzeros of the pass, block after block.
func (x *pass) collect() {
	x.rows = 0
	held := 0
	for b := range panelMost {
		lo := x.row + b*panelRows
		rows := min(panelRows, len(x.c)-lo)
		if rows <= 0 {
			return
		}
		var spans [panelRows]span
		most := held
		for r := range rows {
			first := x.seek(x.Ptr[lo+r], x.Ptr[lo+r+1], x.lo)
			last := x.seek(x.Ptr[lo+r], x.Ptr[lo+r+1], x.hi)
			spans[r] = span{first, last, 0, x.c[lo+r]}
			x.next[b*panelRows+r] = first
			most += int(last - first)
		}
		if most > panelHeld {
			return
		}
		x.sort(b, held, spans[:rows])
		held = most
		x.rows += rows
	}
}

// sort sorts the nonzeros of block b by columns, from t[held] on.
func (x *pass) sort(b, held int, spans []span) {
	mask := x.mask[b*panelSpan:][:x.hi-x.lo]
	clear(mask)
	if x.Idx != nil {
		markRows(mask, x.Idx, x.lo, spans)
	} else {
		markRows(mask, x.Idx16, x.lo, spans)
	}
	for j, m := range mask {
		if j%panelCols == 0 {
			x.begin[b*(panelSpan/panelCols)+j/panelCols] = held
		}
		x.room[j] = int32(held)
		held += bits.OnesCount64(m)
	}
	if x.Idx != nil {
		sortAt(x, x.Idx, spans)
	} else {
		sortAt(x, x.Idx16, spans)
	}
}

// markRows sets bit r of the mask of every column of span r.
func markRows[I column](mask []uint64, idx []I, lo int, spans []span) {
	for r, s := range spans {
		for _, j := range idx[s.first:s.last] {
			mask[int(j)-lo] |= 1 << (r & 63)
		}
	}
}

func sortAt[I column](x *pass, idx []I, spans []span) {
	if x.Val == nil && x.Val32 != nil {
		sortOf(x, idx, x.Val32, spans)
	} else {
		sortOf(x, idx, x.Val, spans)
	}
}

// sortOf puts every nonzero, times its row's factor, where its column has room.
func sortOf[I column, V value](x *pass, idx []I, val []V, spans []span) {
	room, t := x.room, x.t
	for _, s := range spans {
		cols, v := idx[s.first:s.last], val
		if v != nil {
			v = v[s.first:s.last]
		}
		for k, j := range cols {
			to := &room[int(j)-x.lo]
			if v == nil {
				t[*to] = s.c
			} else {
				t[*to] = float64(s.c * float64(v[k]))
			}
			*to++
		}
	}
}

// tiles adds the pass to the columns from col on, to as many as a panel has.
// Rows of h in which all of these are to be touched take it directly.
func (x *pass) tiles(col int) {
	last := min(x.hi, col+panelCols)
	split := min(max(x.lo, col), last) // rows from here on have a part below the diagonal
	if col+panelCols > x.p {
		split = x.lo
	}
	x.load(split, last, col)
	for b := 0; b*panelRows < x.rows; b++ {
		x.pack(b, col)
		mask, begin := x.mask[b*panelSpan:], x.begin[b*(panelSpan/panelCols):]
		if split > x.lo {
			hessianPanelBlock(x.h[x.lo*x.stride+col:], x.stride, mask[:split-x.lo], x.t[begin[0]:], x.panel)
		}
		if split < last {
			from := split - x.lo
			hessianPanelBlock(x.tile, panelCols, mask[from:last-x.lo], x.t[begin[from/panelCols]:], x.panel)
		}
	}
	x.store(split, last, col)
}

// load copies rows of h to the tile, and store copies them back.
func (x *pass) load(lo, hi, col int) {
	for j := lo; j < hi; j++ {
		from := max(j, col)
		copy(x.tile[(j-lo)*panelCols+from-col:(j-lo+1)*panelCols], x.h[j*x.stride+from:j*x.stride+x.p])
	}
}

func (x *pass) store(lo, hi, col int) {
	for j := lo; j < hi; j++ {
		from := max(j, col)
		copy(x.h[j*x.stride+from:j*x.stride+x.p], x.tile[(j-lo)*panelCols+from-col:(j-lo+1)*panelCols])
	}
}

// pack writes out block b in the columns from col on.
func (x *pass) pack(b, col int) {
	if x.Idx != nil {
		packAt(x, x.Idx, b, col)
	} else {
		packAt(x, x.Idx16, b, col)
	}
}

func packAt[I column](x *pass, idx []I, b, col int) {
	if x.Val == nil && x.Val32 != nil {
		packOf(x, idx, x.Val32, b, col)
	} else {
		packOf(x, idx, x.Val, b, col)
	}
}

func packOf[I column, V value](x *pass, idx []I, val []V, b, col int) {
	next := x.next[b*panelRows : min((b+1)*panelRows, x.rows)]
	end := x.Ptr[x.row+b*panelRows+1:][:len(next)]
	for r, k := range next {
		to := (*[panelCols]float64)(x.panel[r*panelCols:])
		*to = [panelCols]float64{}
		cols := idx[k:end[r]]
		if val == nil {
			next[r] += int64(markOnes(to, cols, col))
		} else {
			next[r] += int64(markValues(to, cols, val[k:end[r]], col))
		}
	}
}

// markOnes puts ones in the columns from col on that a panel has, and returns how
// many; markValues puts values.
func markOnes[I column](to *[panelCols]float64, cols []I, col int) int {
	for n, j := range cols {
		at := uint(int(j) - col)
		if at >= panelCols {
			return n
		}
		to[at] = 1
	}
	return len(cols)
}

func markValues[I column, V value](to *[panelCols]float64, cols []I, val []V, col int) int {
	val = val[:len(cols)]
	for n, j := range cols {
		at := uint(int(j) - col)
		if at >= panelCols {
			return n
		}
		to[at] = float64(val[n])
	}
	return len(cols)
}
