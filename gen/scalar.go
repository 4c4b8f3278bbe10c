package gen

import "github.com/mmcloughlin/avo/operand"

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

func (e *emitter) scalar(m operand.Mem) vec {
	x := e.XMM()
	e.VMOVSD(m, x)
	return x
}
