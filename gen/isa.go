package gen

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// An isa describes an instruction set: the width of its vectors, and how it masks, selects and
// merges lanes. Kernels are written once, with an isa as a parameter.
type isa struct {
	name  string // suffix of the kernels' names, and name of the Level constant
	lanes int    // float64 lanes of a vector

	vector func(*emitter) vec
	bcst   bool // instructions can broadcast a constant operand from memory

	// startMasks prepares the masks for the last n < 16 elements. mask returns the mask of the
	// vector that is i vectors ahead; stepMasks moves on by one vector.
	startMasks func(e *emitter, n reg.GPVirtual) reg.GPVirtual
	mask       func(e *emitter, state reg.GPVirtual, i int) mask
	stepMasks  func(e *emitter, state reg.GPVirtual)

	// load and store do not touch memory in lanes outside the mask; load sets these lanes
	// to +0. merge copies the lanes of x inside the mask to dst.
	load  func(e *emitter, m operand.Mem, k mask) vec
	store func(e *emitter, v vec, m operand.Mem, k mask)
	merge func(e *emitter, x, dst vec, k mask)

	// compare returns the mask of the lanes with a pred b. choose returns x inside the
	// mask and y outside; keep returns x inside and +0 outside.
	compare func(e *emitter, pred predicate, b, a vec) mask
	choose  func(e *emitter, k mask, x, y vec) vec
	keep    func(e *emitter, k mask, x vec) vec

	// decodeRest fills a block of eight with the last m < 8 numbers of a row and with
	// padding; see decode.go.
	decodeRest func(e *emitter, d decoder, src, dst, m reg.GPVirtual, pad operand.Mem)
}

// A vec is a vector register. A mask is a set of its lanes: an opmask, or a vector whose
// lanes are all ones or all zeros. A nil mask means every lane.
type (
	vec  = reg.VecVirtual
	mask = reg.Register
)

// A predicate is the immediate operand of VCMPPD. Both predicates are false for NaN.
type predicate operand.U8

const (
	greater        predicate = 0x1e // GT_OQ
	greaterOrEqual predicate = 0x1d // GE_OQ
)

// isas lists the instruction sets in ascending order of level.
var isas = []*isa{&avx2, &avx512}

// group returns the number of vectors that hold the 8 lanes of a sparse sum. Eight lanes
// were chosen over four by measurement: with AVX2 on a Zen 5 core, rows of 14 and of 75
// nonzeros take 0.23 and 0.30 ns per nonzero with eight, 0.23 and 0.29 with four. The
// sums of neighbouring rows overlap in time, so more lanes cost nothing. Eight lanes fill
// one AVX-512 register, and where one row is waited for, the chain of additions is half
// as long.
func (t *isa) group() int { return 8 / t.lanes }

// dense returns the number of vectors that hold the 16 lanes of a dense sum.
func (t *isa) dense() int { return 16 / t.lanes }
