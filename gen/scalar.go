package gen

import "github.com/mmcloughlin/avo/operand"

// scalars runs f with an isa that handles one number, in the low lane of a 128-bit register. The
// upper lane has no meaning.
func (e *emitter) scalars(f func()) {
	wide := e.isa
	narrow := *wide
	narrow.lanes, narrow.bcst = 2, false
	narrow.vector = func(e *emitter) vec { return e.XMM() }
	e.isa = &narrow
	f()
	e.isa = wide
}

func (e *emitter) scalar(m operand.Mem) vec {
	x := e.XMM()
	e.VMOVSD(m, x)
	return x
}
