package gen

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A place is a position in a loop over vectors: a cursor that all slices share, a
// constant distance in bytes from it, and the mask of the lanes that exist.
type place struct {
	cursor reg.GPVirtual
	disp   int
	mask   mask
}

// mem returns the memory operand of a slice's elements at the place.
func (p place) mem(base reg.GPVirtual) operand.Mem {
	return operand.Mem{Base: base, Index: p.cursor, Scale: 8, Disp: p.disp}
}

func (e *emitter) read(base reg.GPVirtual, p place) vec { return e.load(e, p.mem(base), p.mask) }

func (e *emitter) write(v vec, base reg.GPVirtual, p place) { e.store(e, v, p.mem(base), p.mask) }

// A body emits the work of a summing loop on one vector of elements. acc is the accumulator for the lanes of
// these elements.
type body func(p place, acc vec)

// eachPlace emits an elementwise loop over n elements: blocks of 16, then single vectors, then
// one masked vector.
func (e *emitter) eachPlace(n reg.GPVirtual, f func(p place)) {
	i := e.cursor()
	e.loopBlocks(i, n, func() {
		for j := range e.vectorsPer16() {
			f(place{cursor: i, disp: 8 * e.lanes * j})
		}
		e.ADDQ(operand.Imm(16), i)
	})
	oneVector, rest, done := e.label("single"), e.label("rest"), e.label("done")
	e.SUBQ(i, n)
	e.placeLabel(oneVector)
	e.CMPQ(n, operand.Imm(uint64(e.lanes)))
	e.JLT(rest)
	f(place{cursor: i})
	e.ADDQ(operand.Imm(uint64(e.lanes)), i)
	e.SUBQ(operand.Imm(uint64(e.lanes)), n)
	e.JMP(oneVector)
	e.placeLabel(rest)
	e.TESTQ(n, n)
	e.JZ(done)
	f(place{cursor: i, mask: e.mask(e, e.startMasks(e, n), 0)})
	e.placeLabel(done)
}

// reduce emits a loop that sums over n elements, and returns the 16 lanes of the sum. The loop
// contains the body once for every vector of a block of 16 elements.
func (e *emitter) reduce(n reg.GPVirtual, f body) []vec {
	acc := e.zeros(e.vectorsPer16())
	i := e.cursor()
	e.loopBlocks(i, n, func() {
		for j := range e.vectorsPer16() {
			f(place{cursor: i, disp: 8 * e.lanes * j}, acc[j])
		}
		e.ADDQ(operand.Imm(16), i)
	})
	e.reduceTail(i, n, acc, f)
	return acc
}

// reduceRolled does what reduce does, for a long body: its loop contains the body only once. Each iteration
// rotates the accumulators, so that they are back in their places after every 16 elements.
func (e *emitter) reduceRolled(n reg.GPVirtual, f body) []vec {
	acc := e.zeros(e.vectorsPer16())
	i := e.cursor()
	e.loopBlocks(i, n, func() {
		f(place{cursor: i}, acc[0])
		e.rotate(acc)
		e.ADDQ(operand.Imm(uint64(e.lanes)), i)
	})
	e.reduceTail(i, n, acc, f)
	return acc
}

// reduceTail emits a loop of the body over the last n-i < 16 elements, one masked vector in each iteration.
// The loop has one iteration for each accumulator; iterations without elements skip the body. Each iteration
// rotates the accumulators, so that they are back in their places at the end.
func (e *emitter) reduceTail(i, n reg.GPVirtual, acc []vec, f body) {
	step, skip, done := e.label("step"), e.label("skip"), e.label("done")
	e.SUBQ(i, n)
	e.JZ(done)
	state := e.startMasks(e, n)
	iterations := e.GP64()
	e.MOVQ(operand.U32(uint32(e.vectorsPer16())), iterations)
	e.placeLabel(step)
	e.TESTQ(n, n)
	e.JLE(skip)
	f(place{cursor: i, mask: e.mask(e, state, 0)}, acc[0])
	e.placeLabel(skip)
	e.rotate(acc)
	e.stepMasks(e, state)
	e.ADDQ(operand.Imm(uint64(e.lanes)), i)
	e.SUBQ(operand.Imm(uint64(e.lanes)), n)
	e.DECQ(iterations)
	e.JNZ(step)
	e.placeLabel(done)
}

// loopBlocks emits a loop of f, which advances the cursor i. The loop ends at the largest multiple of 16
// that is at most n.
func (e *emitter) loopBlocks(i, n reg.GPVirtual, f func()) {
	block, done := e.label("block"), e.label("blocksDone")
	blocksEnd := e.GP64()
	e.MOVQ(n, blocksEnd)
	e.ANDQ(operand.I32(-16), blocksEnd)
	e.JZ(done)
	e.placeLabel(block)
	f()
	e.CMPQ(i, blocksEnd)
	e.JLT(block)
	e.placeLabel(done)
}

func (e *emitter) cursor() reg.GPVirtual {
	i := e.GP64()
	e.XORQ(i, i)
	return i
}

// rotate moves every accumulator one place down and the first to the end.
func (e *emitter) rotate(acc []vec) {
	firstAcc := e.vector(e)
	e.VMOVAPD(acc[0], firstAcc)
	for j := range acc[1:] {
		e.VMOVAPD(acc[j+1], acc[j])
	}
	e.VMOVAPD(firstAcc, acc[len(acc)-1])
}
