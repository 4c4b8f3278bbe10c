package gen

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// margins emits dst[r] = the sum over row r of val[k]*w[idx[k]]. The loop over rows is in the
// assembly, because a call for each row would cost as much as a short row.
func (e *emitter) margins(t *isa, s *storage) {
	e.beginFormKernel(t, s, "margins", "func(dst []float64, a *Rows, w []float64)",
		"\tlane[k%8] = FMA(val[k], w[idx[k]], lane[k%8])   for each nonzero k of row r",
		"\tdst[r] = sum of the lanes")
	dst, ptr, r := e.base("dst"), e.base("a.Ptr"), e.nonzeros(s, "w")
	e.eachRow(r, ptr, dst, e.length("dst"), func() {
		end := e.GP64()
		e.MOVQ(operand.Mem{Base: ptr, Disp: 8}, end)
		acc := e.zeros(e.vectorsPer8())
		e.rowDot(r, end, acc)
		e.VMOVSD(e.sum(acc).AsX(), operand.Mem{Base: dst})
	})
}

// eachRow emits a kernel's loop over rows, whose number is in the register rows. In the code that body emits,
// ptr and vector are the addresses of the row's elements in a.Ptr and in the vector that has one for each
// row.
func (e *emitter) eachRow(r nonzeros, ptr, vector, rows reg.GPVirtual, body func()) {
	nextRow, done := e.label("row"), e.label("done")
	e.TESTQ(rows, rows)
	e.JZ(done)
	e.MOVQ(operand.Mem{Base: ptr}, r.cursor)
	e.placeLabel(nextRow)
	body()
	e.ADDQ(operand.Imm(8), vector)
	e.ADDQ(operand.Imm(8), ptr)
	e.DECQ(rows)
	e.JNZ(nextRow)
	e.placeLabel(done)
	e.ret()
}

// nonzeros loads the addresses of the slices that a kernel on sparse rows uses. vector is the name of
// the parameter with the dense vector.
func (e *emitter) nonzeros(s *storage, vector string) nonzeros {
	r := nonzeros{storage: s, idx: e.base("a." + s.columns.field), w: e.base(vector), cursor: e.GP64()}
	if s.valBytes > 0 {
		r.val = e.base("a." + s.values.field)
	}
	return r
}

// rowDot adds val[k]*w[idx[k]], for the nonzeros k from r.cursor to end, to the 8 lanes of acc. It sets
// r.cursor to end.
func (e *emitter) rowDot(r nonzeros, end reg.GPVirtual, acc []vec) {
	e.rowBlocks(r, end, func(element operand.Mem) {
		for i := range acc {
			w := e.load(e, element.Offset(8*i*e.lanes), nil)
			r.add(e, acc[i], w, r.value(i*e.lanes), nil)
		}
	}, func() {
		for i, w := range e.insertBlock(r) {
			r.add(e, acc[i], w, r.value(i*e.lanes), nil)
		}
	})
	done, n := e.label("rowDone"), e.GP64()
	e.MOVQ(end, n)
	e.SUBQ(r.cursor, n)
	e.JZ(done)
	state := e.startMasks(e, n)
	for i, w := range e.insertRest(r, n) {
		r.add(e, acc[i], w, r.value(i*e.lanes), e.mask(e, state, i))
	}
	e.MOVQ(end, r.cursor)
	e.placeLabel(done)
}

// scatter emits z[idx[k]] += slope[r]*val[k] for each nonzero k of each row r.
func (e *emitter) scatter(t *isa, s *storage) {
	e.beginFormKernel(t, s, "scatter", "func(z []float64, a *Rows, slope []float64)",
		"\tz[idx[k]] = FMA(slope[r], val[k], z[idx[k]])   for each nonzero k of each row r")
	ptr, slope, rows := e.base("a.Ptr"), e.base("slope"), e.length("slope")
	r := e.nonzeros(s, "z")
	e.eachRow(r, ptr, slope, rows, func() {
		g, end := e.XMM(), e.GP64()
		e.VMOVSD(operand.Mem{Base: slope}, g)
		e.MOVQ(operand.Mem{Base: ptr, Disp: 8}, end)
		r.prefetch(e)
		e.rowScatter(r, end, g)
	})
}

// prefetch emits prefetches of about 16 nonzeros that MarginsGradient reads in its next block.
func (r nonzeros) prefetch(e *emitter) {
	distance := e.integer("gradientBlock")
	e.PREFETCHT0(r.column(distance))
	if r.valBytes > 0 {
		e.PREFETCHT0(r.value(distance))
	}
	if r.valBytes > 4 {
		e.PREFETCHT0(r.value(distance + 8))
	}
}

// rowScatter adds g times the nonzeros from r.cursor to end to the dense vector r.w. The factor g is in the
// low lane of its register. Blocks of 8 consecutive columns are added as vectors. All other nonzeros are
// added one at a time, because two of them may have the same column.
func (e *emitter) rowScatter(r nonzeros, end reg.GPVirtual, g vec) {
	e.rowBlocks(r, end, func(element operand.Mem) {
		factor := e.vector(e)
		e.VBROADCASTSD(g, factor)
		for i := range e.vectorsPer8() {
			m := element.Offset(8 * i * e.lanes)
			z := e.load(e, m, nil)
			r.add(e, z, factor, r.value(i*e.lanes), nil)
			e.store(e, z, m, nil)
		}
	}, func() {
		for k := range 8 {
			e.scatterNonzero(r, k, g)
		}
	})
	oneNonzero, done := e.label("one"), e.label("rowDone")
	e.CMPQ(r.cursor, end)
	e.JGE(done)
	e.placeLabel(oneNonzero)
	e.scatterNonzero(r, 0, g)
	e.INCQ(r.cursor)
	e.CMPQ(r.cursor, end)
	e.JLT(oneNonzero)
	e.placeLabel(done)
}

// rowBlocks emits a loop that takes 8 nonzeros of a row at a time. The loop begins at r.cursor, and ends when
// fewer than 8 nonzeros are left before end. It contains two versions of the code for a block of 8 nonzeros:
//
//   - consecutive emits the version for blocks whose columns are consecutive. Its argument is the element of r.w
//     in the block's first column.
//   - apart emits the version for all blocks.
//
// The loop begins with the first version if the nonzeros between the row's first and last column could fill
// all columns between them: if the last column minus the first is the number of nonzeros minus 1. At the first
// block whose columns are not consecutive, it changes to the second version for the rest of the row.
func (e *emitter) rowBlocks(
	r nonzeros, end reg.GPVirtual, consecutive func(element operand.Mem), apart func(),
) {
	nextConsecutive, next, rest := e.label("consecutive"), e.label("nonzeros"), e.label("rest")
	lastBlock, first, last := e.GP64(), e.GP64(), e.GP64()
	e.LEAQ(operand.Mem{Base: end, Disp: -8}, lastBlock)
	e.CMPQ(r.cursor, lastBlock)
	e.JGT(rest)
	r.index(e, r.column(0), first)
	r.index(e, operand.Mem{Base: r.idx, Index: end, Scale: uint8(r.idxBytes), Disp: -r.idxBytes}, last)
	e.SUBQ(first, last)
	e.LEAQ(operand.Mem{Base: r.cursor, Index: last, Scale: 1, Disp: 1}, last)
	e.CMPQ(last, end)
	e.JNE(next)

	e.placeLabel(nextConsecutive)
	r.jumpUnlessConsecutive(e, r.column(0), next)
	consecutive(r.element(e, 0))
	e.ADDQ(operand.Imm(8), r.cursor)
	e.CMPQ(r.cursor, lastBlock)
	e.JLE(nextConsecutive)
	e.JMP(rest)

	e.placeLabel(next)
	apart()
	e.ADDQ(operand.Imm(8), r.cursor)
	e.CMPQ(r.cursor, lastBlock)
	e.JLE(next)
	e.placeLabel(rest)
}

// scatterNonzero adds g times the nonzero k places after r.cursor to the dense vector r.w. It first loads
// the element of the vector into a register, because some emulators read 16 bytes for a scalar memory
// operand.
func (e *emitter) scatterNonzero(r nonzeros, k int, g vec) {
	z, x := r.element(e, k), e.XMM()
	e.VMOVSD(z, x)
	e.addNumber(x, g, r.number(e, r.value(k)))
	e.VMOVSD(x, z)
}
