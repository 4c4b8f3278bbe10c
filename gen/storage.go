package gen

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A storage is a form in which the nonzeros of a matrix are kept. Arithmetic is
// float64 in every form, so a form is no more than its loads.
type storage struct {
	name     string // suffix of the kernels, empty for the plain form
	idx, val string // element types of the parameters idx and val
	idxBytes int
	valBytes int
	index    func(e *emitter, m operand.Mem, j reg.GPVirtual) // one column, zero-extended
	values   func(e *emitter, m operand.Mem, k mask) vec      // a vector of values, +0 outside the mask
	oneValue func(e *emitter, m operand.Mem) vec              // one value, in the low lane
}

// plainStorage keeps 32-bit columns and float64 values.
var plainStorage = storage{
	idx: "int32", val: "float64",
	idxBytes: 4, valBytes: 8,
	index:  func(e *emitter, m operand.Mem, j reg.GPVirtual) { e.MOVL(m, j.As32()) },
	values: func(e *emitter, m operand.Mem, k mask) vec { return e.load(e, m, k) },
	oneValue: func(e *emitter, m operand.Mem) vec {
		v := e.XMM()
		e.VMOVSD(m, v)
		return v
	},
}
