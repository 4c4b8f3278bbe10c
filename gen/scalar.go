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
	if wide == &avx2 {
		narrow.compare = func(e *emitter, pred predicate, b operand.Op, a vec) mask {
			k := e.XMM()
			e.VCMPPD(operand.U8(pred), b, a, k)
			return k
		}
		narrow.choose = func(e *emitter, k mask, x, y vec) vec {
			d := e.XMM()
			e.VBLENDVPD(k, x, y, d)
			return d
		}
	} else {
		narrow.compare = func(e *emitter, pred predicate, b operand.Op, a vec) mask {
			k := e.K()
			e.VCMPPD(operand.U8(pred), b, a, k)
			return k
		}
		narrow.choose = func(e *emitter, k mask, x, y vec) vec {
			d := e.XMM()
			e.VBLENDMPD(x, y, k, d)
			return d
		}
	}
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
