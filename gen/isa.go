package gen

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// An isa describes an instruction set: the width of its vectors, and how it masks, selects and
// merges lanes.
type isa struct {
	name  string // suffix of the kernels' names, and name of the Level constant
	lanes int    // float64 lanes of a vector

	vector func(*emitter) vec
	bcst   bool // whether instructions can broadcast an operand from memory

	// startMasks returns a register, called state, from which mask computes the masks for the last
	// n < 16 elements. mask returns the mask of the i-th vector, where i = 0 is the current vector;
	// stepMasks makes the next vector the current one.
	startMasks func(e *emitter, n reg.GPVirtual) reg.GPVirtual
	mask       func(e *emitter, state reg.GPVirtual, i int) mask
	stepMasks  func(e *emitter, state reg.GPVirtual)

	// load and store do not touch memory in lanes outside the mask; load sets the lanes outside to +0.
	// merge copies the lanes of x inside the mask to dst.
	load  func(e *emitter, m operand.Mem, k mask) vec
	store func(e *emitter, v vec, m operand.Mem, k mask)
	merge func(e *emitter, x, dst vec, k mask)

	// compare returns the mask of the lanes in which "a pred b" is true, such as a > b. choose returns
	// x inside the mask and y outside; keep returns x inside and +0 outside. jumpIfAll emits a jump to the
	// label if the mask has all lanes.
	compare func(e *emitter, pred predicate, b, a vec) mask
	choose  func(e *emitter, k mask, x, y vec) vec
	keep    func(e *emitter, k mask, x vec) vec

	jumpIfAll func(e *emitter, k mask, to operand.LabelRef)

	// decodeRest converts the last m numbers of a row from src to dst, 0 < m < 8. It fills the other 8 − m
	// places of dst with the number that is stored at pad.
	decodeRest func(e *emitter, d decoder, src, dst, m reg.GPVirtual, pad operand.Mem)
}

// A vec is a vector register. A mask is a set of its lanes: an opmask register, or a vector
// register in which the bits of a lane are all 1 or all 0. A nil mask means every lane.
type (
	vec  = reg.VecVirtual
	mask = reg.Register
)

// A predicate is the operand of VCMPPD that selects the comparison. Both predicates are false if an
// operand is NaN.
type predicate operand.U8

const (
	greater        predicate = 0x1e // Intel's name: GT_OQ
	greaterOrEqual predicate = 0x1d // Intel's name: GE_OQ
)

// isas lists the instruction sets in ascending order of level.
var isas = []*isa{&avx2, &avx512}

// vectorsPer8 returns the number of vectors that hold the 8 lanes of a sparse sum.
func (t *isa) vectorsPer8() int { return 8 / t.lanes }

// vectorsPer16 returns the number of vectors that hold the 16 lanes of a dense sum.
func (t *isa) vectorsPer16() int { return 16 / t.lanes }

// withScalarISA runs f with an isa that handles one number, in the low lane of a 128-bit register. The
// upper lane has no meaning.
func (e *emitter) withScalarISA(f func()) {
	vectorISA := e.isa
	scalarISA := *vectorISA
	scalarISA.lanes, scalarISA.bcst = 2, false
	scalarISA.vector = func(e *emitter) vec { return e.XMM() }
	e.isa = &scalarISA
	f()
	e.isa = vectorISA
}
