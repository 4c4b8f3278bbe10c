package gen

import "github.com/mmcloughlin/avo/operand"

// scalars runs f with an isa of one number in the low lane of a 128-bit
// register, so that the arithmetic written for vectors serves the inner loops,
// whose chain of dependent operations is scalar: narrow divisions are faster
// on many processors. The upper lane carries garbage.
func (e *emitter) scalars(f func()) {
	wide := e.isa
	narrow := *wide
	narrow.lanes, narrow.bcst = 2, false
	narrow.vector = func(e *emitter) vec { return e.XMM() }
	e.isa = &narrow
	f()
	e.isa = wide
}

// scalar loads one number.
func (e *emitter) scalar(m operand.Mem) vec {
	x := e.XMM()
	e.VMOVSD(m, x)
	return x
}
