package gen

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// An isa is one column of the kernel matrix: a vector width with its way to
// mask, select and join. Kernels are written once against it and differ
// between instruction sets in nothing else.
type isa struct {
	name  string // suffix of the kernels, and the Level constant
	lanes int    // float64 lanes of a vector

	vector func(*emitter) vec
	bcst   bool // constants may be broadcast from memory by the instruction using them

	// startMasks prepares the masks of the last n < 16 elements; mask returns
	// that of the vector i steps on, and stepMasks moves on by one vector.
	startMasks func(e *emitter, n reg.GPVirtual) reg.GPVirtual
	mask       func(e *emitter, state reg.GPVirtual, i int) mask
	stepMasks  func(e *emitter, state reg.GPVirtual)

	// Lanes outside the mask are not touched in memory and load as +0; merge
	// copies into dst the lanes of x that are inside.
	load  func(e *emitter, m operand.Mem, k mask) vec
	store func(e *emitter, v vec, m operand.Mem, k mask)
	merge func(e *emitter, x, dst vec, k mask)

	// compare is the mask of a pred b; choose is x inside it and y outside;
	// keep is x inside it and +0 outside.
	compare func(e *emitter, pred predicate, b, a vec) mask
	choose  func(e *emitter, k mask, x, y vec) vec
	keep    func(e *emitter, k mask, x vec) vec

	// decodeRest fills a block of eight with the m < 8 numbers left of a row and
	// padding; see decode.go.
	decodeRest func(e *emitter, d decoder, src, dst, m reg.GPVirtual, pad operand.Mem)
}

// vec is a vector register; mask is a set of its lanes: an opmask, or a vector
// whose lanes are all ones or zero. A nil mask means every lane.
type (
	vec  = reg.VecVirtual
	mask = reg.Register
)

// A predicate is the immediate of VCMPPD; both are false for NaN.
type predicate operand.U8

const (
	greater        predicate = 0x1e // GT_OQ
	greaterOrEqual predicate = 0x1d // GE_OQ
)

// isas lists the instruction sets in ascending order of level.
var isas = []*isa{&avx2, &avx512}

// group is the number of vectors that hold the 8 lanes of a sparse sum. Eight
// was chosen over four by measurement (Zen 5, AVX2, ns per nonzero of rows of
// 14 and of 75: 0.23 and 0.30 with eight, 0.23 and 0.29 with four): the sums of
// neighbouring rows overlap, so more lanes cost nothing, they fill one AVX-512
// register, and where one row is waited for the chain is half as long.
func (t *isa) group() int { return 8 / t.lanes }

// dense is the number of vectors that hold the 16 lanes of a dense sum.
func (t *isa) dense() int { return 16 / t.lanes }
