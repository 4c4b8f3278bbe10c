package gen

import (
	"math/bits"

	"github.com/mmcloughlin/avo/gotypes"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A hessianLoop emits the loop that adds the products c*val[k]*val[m] to the upper triangle of h. k and m are
// nonzeros of one row, with k <= m; the type span of package kernels says which. The loop updates two rows of
// h together, to load columns and values once for both. It uses vector instructions only for nonzeros in
// consecutive columns, because scatter instructions would be as slow as single stores.
type hessianLoop struct {
	*emitter
	r                           nonzeros // the nonzeros of the row; r.cursor is at the nonzero m
	h, stride                   reg.GPVirtual
	k, last, end                reg.GPVirtual // the nonzero k, and two fields of the span
	upperRow, lowerRow          reg.GPVirtual // addresses of two rows of h
	c, upperFactor, lowerFactor vec           // c of the span, and c*val[k] for each of the two rows of h
}

// hessian emits h[idx[k]][idx[m]] += c*val[k]*val[m] for the nonzeros k of each span and the
// nonzeros m >= k of the same row.
func (e *emitter) hessian(t *isa, s *storage) {
	e.beginFormKernel(t, s, "hessian", "func(h []float64, stride int, a *Rows, spans []span)",
		"\th[idx[k]*stride+idx[m]] = FMA(c*val[k], val[m], h[idx[k]*stride+idx[m]])",
		"",
		"for first <= k < last and k <= m < end of each span")
	l := &hessianLoop{emitter: e, h: e.base("h"), stride: e.GP64(), k: e.GP64(), last: e.GP64(), end: e.GP64(),
		upperRow: e.GP64(), lowerRow: e.GP64(), c: e.XMM(), upperFactor: e.XMM(), lowerFactor: e.XMM()}
	l.r = nonzeros{storage: s, idx: e.base("a." + s.columns.field), cursor: e.GP64()}
	if s.valBytes > 0 {
		l.r.val = e.base("a." + s.values.field)
	}
	e.Load(e.Param("stride"), l.stride)
	e.SHLQ(operand.Imm(3), l.stride)
	spans, count := e.base("spans"), e.length("spans")
	span := e.pkg.Scope().Lookup("span").Type()
	e.pointers["span"] = pointer{spans, span} // to the current span
	nextSpan, done := e.label("span"), e.label("done")
	e.TESTQ(count, count)
	e.JZ(done)
	e.placeLabel(nextSpan)
	e.MOVQ(e.field("span.first"), l.k)
	e.MOVQ(e.field("span.last"), l.last)
	e.MOVQ(e.field("span.end"), l.end)
	e.VMOVSD(e.field("span.c"), l.c)
	l.span()
	e.ADDQ(operand.U32(gotypes.Sizes.Sizeof(span)), spans)
	e.DECQ(count)
	e.JNZ(nextSpan)
	e.placeLabel(done)
	e.ret()
}

// span emits the products of one span: each nonzero from l.k to l.last-1 times itself and times
// each nonzero after it, up to l.end-1.
func (l *hessianLoop) span() {
	rowPair, singleRow, done := l.label("pair"), l.label("single"), l.label("spanDone")
	oneNonzero := l.label("one")
	l.SUBQ(operand.Imm(2), l.last)
	l.CMPQ(l.k, l.last)
	l.JGT(singleRow)
	l.placeLabel(rowPair)
	l.MOVQ(l.k, l.r.cursor)
	l.setRow(0, l.upperRow, l.upperFactor)
	l.setRow(1, l.lowerRow, l.lowerFactor)
	l.addColumn(0, false)
	l.addColumn(1, true)
	l.ADDQ(operand.Imm(2), l.r.cursor)
	l.addRuns()
	l.eachNonzero(func(k int) { l.addColumn(k, true) })
	l.ADDQ(operand.Imm(2), l.k)
	l.CMPQ(l.k, l.last)
	l.JLE(rowPair)
	l.placeLabel(singleRow)
	l.ADDQ(operand.Imm(2), l.last)
	l.CMPQ(l.k, l.last)
	l.JGE(done)
	l.MOVQ(l.k, l.r.cursor)
	l.setRow(0, l.upperRow, l.upperFactor)
	l.placeLabel(oneNonzero)
	l.addColumn(0, false)
	l.INCQ(l.r.cursor)
	l.CMPQ(l.r.cursor, l.end)
	l.JLT(oneNonzero)
	l.placeLabel(done)
}

// setRow takes the nonzero k places after l.r.cursor. It sets row to the address of the row of h for
// the nonzero's column, and factor to l.c times the nonzero's value.
func (l *hessianLoop) setRow(k int, row reg.GPVirtual, factor vec) {
	l.r.index(l.emitter, l.r.column(k), row)
	l.IMULQ(l.stride, row)
	l.ADDQ(l.h, row)
	if v := l.r.number(l.emitter, l.r.value(k)); v != nil {
		l.VMULSD(v, l.c, factor)
	} else {
		l.VMOVAPD(l.c, factor)
	}
}

// addColumn takes the nonzero k places after l.r.cursor. In the nonzero's column, it adds l.upperFactor times
// the nonzero's value to the row of h at l.upperRow and, if bothRows is true, l.lowerFactor times this value
// to the row at l.lowerRow.
func (l *hessianLoop) addColumn(k int, bothRows bool) {
	j := l.GP64()
	l.r.index(l.emitter, l.r.column(k), j)
	v := l.r.number(l.emitter, l.r.value(k))
	l.addProduct(operand.Mem{Base: l.upperRow, Index: j, Scale: 8}, l.upperFactor, v)
	if bothRows {
		l.addProduct(operand.Mem{Base: l.lowerRow, Index: j, Scale: 8}, l.lowerFactor, v)
	}
}

func (l *hessianLoop) addProduct(h operand.Mem, factor, v vec) {
	x := l.scalar(h)
	l.addNumber(x, factor, v)
	l.VMOVSD(x, h)
}

// addRuns does the work of addColumn for both rows of h, for four nonzeros at a time. It ends when fewer than
// four nonzeros are left, or the next four do not have consecutive columns.
func (l *hessianLoop) addRuns() {
	nextFour, done := l.label("four"), l.label("noRun")
	firstCol, lastCol, nextCursor := l.GP64(), l.GP64(), l.GP64()
	l.placeLabel(nextFour)
	l.LEAQ(operand.Mem{Base: l.r.cursor, Disp: 4}, nextCursor)
	l.CMPQ(nextCursor, l.end)
	l.JGT(done)
	l.r.index(l.emitter, l.r.column(0), firstCol)
	l.r.index(l.emitter, l.r.column(3), lastCol)
	l.SUBQ(firstCol, lastCol)
	l.CMPQ(lastCol, operand.Imm(3))
	l.JNE(done)
	for i, row := range []reg.GPVirtual{l.upperRow, l.lowerRow} {
		h, factor := operand.Mem{Base: row, Index: firstCol, Scale: 8}, l.YMM()
		l.VBROADCASTSD([]vec{l.upperFactor, l.lowerFactor}[i], factor)
		x := l.load(l.emitter, h, nil)
		l.r.add(l.emitter, x, factor, l.r.value(0), nil)
		l.store(l.emitter, x, h, nil)
	}
	l.MOVQ(nextCursor, l.r.cursor)
	l.JMP(nextFour)
	l.placeLabel(done)
}

// eachNonzero emits a loop over the nonzeros from l.r.cursor to l.end-1. f(k) emits the code for the nonzero
// k places after l.r.cursor.
func (l *hessianLoop) eachNonzero(f func(k int)) {
	twoNonzeros, oddNonzero, done := l.label("two"), l.label("odd"), l.label("met")
	l.DECQ(l.end)
	l.CMPQ(l.r.cursor, l.end)
	l.JGE(oddNonzero)
	l.placeLabel(twoNonzeros)
	f(0)
	f(1)
	l.ADDQ(operand.Imm(2), l.r.cursor)
	l.CMPQ(l.r.cursor, l.end)
	l.JLT(twoNonzeros)
	l.placeLabel(oddNonzero)
	l.INCQ(l.end)
	l.CMPQ(l.r.cursor, l.end)
	l.JGE(done)
	f(0)
	l.placeLabel(done)
}

// hessianPanel emits a kernel that adds multiples of the rows of a panel to 64 columns of h. Bit r of mask[j]
// says whether row r of the panel is added to row j of h. The kernel updates one row of h at a time, or four
// consecutive rows if all bits of their four masks are set.
func (e *emitter) hessianPanel(t *isa) {
	e.beginKernel(t, "hessianPanel", "func(h []float64, stride int, mask []uint64, t, panel []float64)",
		"\th[j*stride+q] = FMA(t[k++], panel[64*r+q], h[j*stride+q])   for each bit r of mask[j] and q < 64")
	l := &panelLoop{emitter: e, h: e.base("h"), mask: e.base("mask"), t: e.base("t"), panel: e.base("panel"),
		stride: e.GP64(), rows: e.integer("panelRows"), cols: e.integer("panelCols")}
	rows := e.length("mask")
	e.Load(e.Param("stride"), l.stride)
	e.SHLQ(operand.Imm(3), l.stride)
	nextRow, singleRow, done := e.label("next"), e.label("one"), e.label("done")
	e.TESTQ(rows, rows)
	e.JZ(done)
	e.placeLabel(nextRow)
	e.CMPQ(operand.Mem{Base: l.mask}, operand.I8(-1))
	e.JNE(singleRow)
	e.CMPQ(rows, operand.Imm(4))
	e.JLT(singleRow)
	commonBits := e.GP64()
	e.MOVQ(operand.Mem{Base: l.mask, Disp: 8}, commonBits)
	e.ANDQ(operand.Mem{Base: l.mask, Disp: 16}, commonBits)
	e.ANDQ(operand.Mem{Base: l.mask, Disp: 24}, commonBits)
	e.CMPQ(commonBits, operand.I8(-1))
	e.JNE(singleRow)
	l.updateFourRows()
	e.SUBQ(operand.Imm(4), rows)
	e.JNZ(nextRow)
	e.JMP(done)
	e.placeLabel(singleRow)
	l.updateRow()
	e.DECQ(rows)
	e.JNZ(nextRow)
	e.placeLabel(done)
	e.ret()
}

// A panelLoop emits the parts of hessianPanel that update rows of h. Each part moves h, mask and t past
// the rows that it updates.
type panelLoop struct {
	*emitter
	h, mask, t, panel reg.GPVirtual
	stride            reg.GPVirtual // in bytes
	rows, cols        int           // numbers of rows and columns of the panel
}

// updateRow updates one row of h, eight vectors at a time.
func (l *panelLoop) updateRow() {
	const vectors = 8
	skip := l.label("skip")
	rowsLeft, factors, r := l.GP64(), l.GP64(), l.GP64()
	for q := 0; q < l.cols; q += vectors * l.lanes {
		nextBit := l.label("bit")
		l.MOVQ(operand.Mem{Base: l.mask}, rowsLeft)
		l.TESTQ(rowsLeft, rowsLeft)
		l.JZ(skip)
		l.MOVQ(l.t, factors)
		acc := make([]vec, vectors)
		for i := range acc {
			acc[i] = l.load(l.emitter, operand.Mem{Base: l.h, Disp: 8 * (q + i*l.lanes)}, nil)
		}
		l.placeLabel(nextBit)
		l.TZCNTQ(rowsLeft, r)
		l.SHLQ(operand.Imm(uint64(bits.TrailingZeros(uint(8*l.cols)))), r) // times 8*l.cols, a power of 2
		g := l.vector(l.emitter)
		l.VBROADCASTSD(operand.Mem{Base: factors}, g)
		l.ADDQ(operand.Imm(8), factors)
		for i := range acc {
			l.VFMADD231PD(operand.Mem{Base: l.panel, Index: r, Scale: 1, Disp: 8 * (q + i*l.lanes)}, g,
				acc[i])
		}
		l.BLSRQ(rowsLeft, rowsLeft)
		l.JNZ(nextBit)
		for i := range acc {
			l.store(l.emitter, acc[i], operand.Mem{Base: l.h, Disp: 8 * (q + i*l.lanes)}, nil)
		}
	}
	l.MOVQ(factors, l.t)
	l.placeLabel(skip)
	l.ADDQ(l.stride, l.h)
	l.ADDQ(operand.Imm(8), l.mask)
}

// updateFourRows updates four rows of h whose masks (see hessianPanel) have all bits set. It loads a vector
// of the panel once for all four rows. A block of columns of the four rows takes half of the vector
// registers.
func (l *panelLoop) updateFourRows() {
	const rows = 4
	vectors := l.lanes / 2 // number of vectors of one row in a block
	thirdRow, k, factors := l.GP64(), l.GP64(), l.GP64()
	l.LEAQ(operand.Mem{Base: l.h, Index: l.stride, Scale: 2}, thirdRow)
	row := func(i, disp int) operand.Mem {
		m := operand.Mem{Base: l.h, Disp: disp}
		if i >= 2 {
			m.Base = thirdRow
		}
		if i%2 == 1 {
			m.Index, m.Scale = l.stride, 1
		}
		return m
	}
	for q := 0; q < l.cols; q += vectors * l.lanes {
		var acc [rows][]vec
		for i := range acc {
			for v := range vectors {
				acc[i] = append(acc[i], l.load(l.emitter, row(i, 8*(q+v*l.lanes)), nil))
			}
		}
		nextTerm := l.label("term")
		l.MOVQ(l.t, factors)
		l.XORQ(k, k)
		l.placeLabel(nextTerm)
		x := make([]vec, vectors)
		for v := range x {
			x[v] = l.load(l.emitter,
				operand.Mem{Base: l.panel, Index: k, Scale: 1, Disp: 8 * (q + v*l.lanes)}, nil)
		}
		for i := range acc {
			g := l.vector(l.emitter)
			l.VBROADCASTSD(operand.Mem{Base: factors, Disp: 8 * i * l.rows}, g)
			for v := range x {
				l.VFMADD231PD(x[v], g, acc[i][v])
			}
		}
		l.ADDQ(operand.Imm(8), factors)
		l.ADDQ(operand.I32(8*l.cols), k)
		l.CMPQ(k, operand.I32(8*l.rows*l.cols))
		l.JNE(nextTerm)
		for i := range acc {
			for v := range vectors {
				l.store(l.emitter, acc[i][v], row(i, 8*(q+v*l.lanes)), nil)
			}
		}
	}
	l.LEAQ(operand.Mem{Base: thirdRow, Index: l.stride, Scale: 2}, l.h)
	l.ADDQ(operand.Imm(8*rows), l.mask)
	l.ADDQ(operand.I32(8*rows*l.rows), l.t)
}
