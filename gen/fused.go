package gen

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// stepKernel is the signature of the inner loops. Package kernels declares stepArgs.
const stepKernel = "func(a *stepArgs) (done int)"

// Row pointers are prefetched pointersAhead samples before their use; nonzeros, labels and slopes are
// prefetched nonzerosAhead samples before their use.
const (
	pointersAhead = 16
	nonzerosAhead = 8
)

// A fusedLoop emits a loop of inner steps on sparse rows. A step first decodes its row into two arrays, so
// that its loops over nonzeros are the same for all storage forms. For each nonzero, off gets the distance
// in bytes from column 0 to its column in the loop's vectors, and num gets its value. The row is padded to
// a multiple of 8 nonzeros, with the value -0 and the distance of a place that contains +0; this changes no
// sum.
type fusedLoop struct {
	*emitter
	shift               int           // log2 of the bytes from a column to the next in the loop's vectors
	sampled, sampledEnd reg.GPVirtual // addresses of the current entry and of the end of a.sampled
	off, num            reg.GPVirtual // addresses of a.scratch.off and a.scratch.num
	i, n                reg.GPVirtual // the row's number, and its number of nonzeros
	end                 reg.GPVirtual // length in bytes of the decoded and padded row in off and num
	// pad is the entry of off for the padding: the distance in bytes from column 0 to a place that has +0.
	pad operand.Mem
}

func (e *emitter) fusedLoop(shift int) *fusedLoop {
	f := &fusedLoop{emitter: e, shift: shift, i: e.GP64(), n: e.GP64(), end: e.GP64(), sampledEnd: e.GP64()}
	f.sampled, f.off, f.num = e.base("a.sampled"), e.base("a.scratch.off"), e.base("a.scratch.num")
	f.pad = e.AllocLocal(8)
	e.LEAQ(operand.Mem{Base: f.sampled, Index: e.length("a.sampled"), Scale: 4}, f.sampledEnd)
	return f
}

// eachStep emits the loop over the sampled rows. A step reduces a.work by the number of nonzeros of
// its row, plus fixedWork. The loop ends after the last row, when a.work is used up, when the code of step
// jumps to the label exit, or before a row that does not fit into the scratch memory. exit is empty if step
// has no such jump.
func (f *fusedLoop) eachStep(fixedWork operand.Op, exit operand.LabelRef, step func()) {
	nextStep, done := f.label("step"), f.label("done")
	f.placeLabel(nextStep)
	f.CMPQ(f.sampled, f.sampledEnd)
	f.JGE(done)
	lo := f.GP64()
	f.MOVLQSX(operand.Mem{Base: f.sampled}, f.i)
	ptr := f.base("a.Rows.Ptr")
	f.MOVQ(operand.Mem{Base: ptr, Index: f.i, Scale: 8}, lo)
	f.MOVQ(operand.Mem{Base: ptr, Index: f.i, Scale: 8, Disp: 8}, f.n)
	f.SUBQ(lo, f.n)
	f.LEAQ(operand.Mem{Base: f.n, Disp: 7}, f.end)
	f.ANDQ(operand.I32(-8), f.end)
	f.CMPQ(f.end, f.address(f.param("a.scratch.off").Len()))
	f.JGT(done)
	f.SHLQ(operand.Imm(3), f.end)
	f.prefetch(ptr)
	f.decode(lo)
	step()
	f.ADDQ(operand.Imm(4), f.sampled)
	f.ADDQ(fixedWork, f.n)
	f.SUBQ(f.n, f.field("a.work"))
	f.JGT(nextStep)
	if exit != "" {
		f.JMP(done)
		f.placeLabel(exit)
		f.ADDQ(operand.Imm(4), f.sampled)
	}
	f.placeLabel(done)
	f.SUBQ(f.base("a.sampled"), f.sampled)
	f.SHRQ(operand.Imm(2), f.sampled)
	f.MOVQ(f.sampled, f.address(f.ReturnIndex(0)))
}

// prefetch emits prefetches of the numbers that a later step reads. It prefetches only the first cache lines
// of a row, because the processor itself prefetches the lines that follow.
func (f *fusedLoop) prefetch(ptr reg.GPVirtual) {
	skip := f.label("noRow")
	t, j := f.GP64(), f.GP64()
	f.LEAQ(operand.Mem{Base: f.sampled, Disp: 4 * pointersAhead}, t)
	f.CMPQ(t, f.sampledEnd)
	f.JGE(skip)
	f.MOVLQSX(operand.Mem{Base: t}, j)
	f.PREFETCHT0(operand.Mem{Base: ptr, Index: j, Scale: 8})
	f.MOVLQSX(operand.Mem{Base: t, Disp: 4 * (nonzerosAhead - pointersAhead)}, j)
	f.PREFETCHT0(operand.Mem{Base: f.base("a.Label"), Index: j, Scale: 8})
	f.PREFETCHT0(operand.Mem{Base: f.base("a.Slope0"), Index: j, Scale: 8})
	f.MOVQ(operand.Mem{Base: ptr, Index: j, Scale: 8}, j)
	// The slices of other storage forms are nil, and prefetchForm skips them: a prefetch near address 0
	// would be slow.
	f.prefetchForm(j, f.columnDecoders())
	f.prefetchForm(j, valueDecoders())
	f.placeLabel(skip)
}

// prefetchForm emits prefetches of 32 stored numbers from number k on, in the form that the rows have.
func (f *fusedLoop) prefetchForm(k reg.GPVirtual, decoders []decoder) {
	done := f.label("asked")
	for _, d := range decoders {
		if d.param == "" {
			continue
		}
		otherForm := f.label("other")
		base := f.base(d.param)
		f.TESTQ(base, base)
		f.JZ(otherForm)
		for l := range d.bytes / 2 {
			f.PREFETCHT0(operand.Mem{Base: base, Index: k, Scale: uint8(d.bytes), Disp: 64 * l})
		}
		f.JMP(done)
		f.placeLabel(otherForm)
	}
	f.placeLabel(done)
}

// delta returns a.Slope0[i] minus the slope of row i. z is b t for the logistic loss and t for the
// squared loss, where t is the margin of the row and b its label.
func (f *fusedLoop) delta(z vec) vec {
	b := f.scalar(operand.Mem{Base: f.base("a.Label"), Index: f.i, Scale: 8})
	d := f.scalar(operand.Mem{Base: f.base("a.Slope0"), Index: f.i, Scale: 8})
	squared, done := f.label("squared"), f.label("sloped")
	f.CMPB(f.field("a.Loss"), operand.Imm(0))
	f.JNE(squared)
	f.withScalarISA(func() {
		x := f.expNeg(f.andK(z, "absBits"))
		f.VSUBSD(f.logisticSlope(z, x, b), d, d)
	})
	f.JMP(done)
	f.placeLabel(squared)
	r := f.XMM()
	f.VSUBSD(b, z, r)
	f.VADDSD(r, r, r)
	f.VSUBSD(r, d, d)
	f.placeLabel(done)
	return d
}

// gain returns the g of kernels.Steps for row i: a.Eta times delta.
func (f *fusedLoop) gain(z vec) vec {
	g := f.delta(z)
	f.VMULSD(f.scalar(f.field("a.Eta")), g, g)
	return g
}

// labelOrOne returns the label for the logistic loss and 1 for the squared loss.
func (f *fusedLoop) labelOrOne() vec {
	done, b := f.label("factor"), f.XMM()
	f.VMOVSD(f.constant("one"), b)
	f.CMPB(f.field("a.Loss"), operand.Imm(0))
	f.JNE(done)
	f.VMOVSD(operand.Mem{Base: f.base("a.Label"), Index: f.i, Scale: 8}, b)
	f.placeLabel(done)
	return b
}

// eachBlock emits a loop over the decoded row, eight nonzeros at a time. body emits the code for eight
// nonzeros: off(k) and num(k) are the entries of the k-th of them, from 0, in the arrays f.off and f.num.
func (f *fusedLoop) eachBlock(body func(off, num func(k int) operand.Mem)) {
	block, done := f.label("block"), f.label("blocks")
	c := f.cursor()
	f.TESTQ(f.end, f.end)
	f.JZ(done)
	f.placeLabel(block)
	operands := func(base reg.GPVirtual) func(int) operand.Mem {
		return func(k int) operand.Mem { return operand.Mem{Base: base, Index: c, Scale: 1, Disp: 8 * k} }
	}
	body(operands(f.off), operands(f.num))
	f.ADDQ(operand.Imm(64), c)
	f.CMPQ(c, f.end)
	f.JLT(block)
	f.placeLabel(done)
}

// eachNonzero emits a loop over the nonzeros of the decoded row, without the padding. body emits the code
// for one nonzero: off and num are its entries in the arrays f.off and f.num. Both entries are k + disp
// bytes from the beginning of their arrays.
func (f *fusedLoop) eachNonzero(body func(off, num operand.Mem, k reg.GPVirtual, disp int)) {
	const unroll = 2
	block, rest, oneNonzero, done := f.label("two"), f.label("rest"), f.label("one"), f.label("nonzeros")
	k, end := f.cursor(), f.GP64()
	emitBody := func(disp int) {
		body(operand.Mem{Base: f.off, Index: k, Scale: 1, Disp: disp},
			operand.Mem{Base: f.num, Index: k, Scale: 1, Disp: disp}, k, disp)
	}
	f.MOVQ(f.n, end)
	f.SHLQ(operand.Imm(3), end)
	f.SUBQ(operand.Imm(8*unroll), end)
	f.CMPQ(k, end)
	f.JGT(rest)
	f.placeLabel(block)
	for u := range unroll {
		emitBody(8 * u)
	}
	f.ADDQ(operand.Imm(8*unroll), k)
	f.CMPQ(k, end)
	f.JLE(block)
	f.placeLabel(rest)
	f.ADDQ(operand.Imm(8*unroll), end)
	f.CMPQ(k, end)
	f.JGE(done)
	f.placeLabel(oneNonzero)
	emitBody(0)
	f.ADDQ(operand.Imm(8), k)
	f.CMPQ(k, end)
	f.JLT(oneNonzero)
	f.placeLabel(done)
}

// sumLanes adds eight lanes, each in its own register, in the order that the comment of package
// kernels gives.
func (f *fusedLoop) sumLanes(l []vec) vec {
	for h := 4; h > 0; h /= 2 {
		for i := range h {
			f.VADDPD(l[i+h], l[i], l[i])
		}
	}
	return l[0]
}
