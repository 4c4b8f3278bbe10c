package gen

import (
	"github.com/mmcloughlin/avo/operand"
)

// An instruction is a function of avo that emits one instruction with the given operands.
type instruction func(...operand.Op)

// binary emits op with the operands a and b, and returns the new register that holds the result.
func (e *emitter) binary(op instruction, a vec, b operand.Op) vec {
	d := e.vector(e)
	op(b, a, d)
	return d
}

func (e *emitter) add(a, b vec) vec { return e.binary(e.VADDPD, a, b) }
func (e *emitter) sub(a, b vec) vec { return e.binary(e.VSUBPD, a, b) }
func (e *emitter) mul(a, b vec) vec { return e.binary(e.VMULPD, a, b) }
func (e *emitter) div(a, b vec) vec { return e.binary(e.VDIVPD, a, b) }

// min returns a if a < b, otherwise b; max returns a if a > b, otherwise b. So both return b if a
// or b is NaN.
func (e *emitter) min(a, b vec) vec { return e.binary(e.VMINPD, a, b) }
func (e *emitter) max(a, b vec) vec { return e.binary(e.VMAXPD, a, b) }

// In the next functions the second operand is the constant with the name k. addBitsK adds 64-bit integers.
func (e *emitter) addK(a vec, k string) vec { return e.binaryK(e.VADDPD, e.VADDPD_BCST, a, k) }
func (e *emitter) mulK(a vec, k string) vec { return e.binaryK(e.VMULPD, e.VMULPD_BCST, a, k) }
func (e *emitter) subK(a vec, k string) vec { return e.binaryK(e.VSUBPD, e.VSUBPD_BCST, a, k) }
func (e *emitter) andK(a vec, k string) vec { return e.binaryK(e.VANDPD, e.VANDPD_BCST, a, k) }
func (e *emitter) xorK(a vec, k string) vec { return e.binaryK(e.VXORPD, e.VXORPD_BCST, a, k) }

func (e *emitter) orK(a vec, k string) vec { return e.binaryK(e.VORPD, e.VORPD_BCST, a, k) }

func (e *emitter) addBitsK(a vec, k string) vec { return e.binaryK(e.VPADDQ, e.VPADDQ_BCST, a, k) }

func (e *emitter) binaryK(op, bcst instruction, a vec, k string) vec {
	if e.bcst {
		op = bcst
	}
	return e.binary(op, a, e.constant(k))
}

// fma sets x to FMA(x, y, c).
func (e *emitter) fma(x, y, c vec) { e.VFMADD213PD(c, y, x) }

// fmaK sets x to FMA(x, y, c), where c is the constant with the name k.
func (e *emitter) fmaK(x, y vec, k string) {
	op := e.VFMADD213PD
	if e.bcst {
		op = e.VFMADD213PD_BCST
	}
	op(e.constant(k), y, x)
}

// accK sets c to FMA(x, d, c), where d is the constant with the name k.
func (e *emitter) accK(c, x vec, k string) {
	op := e.VFMADD231PD
	if e.bcst {
		op = e.VFMADD231PD_BCST
	}
	op(e.constant(k), x, c)
}

// accumulate sets acc to FMA(x, y, acc) in the lanes of the mask k, or in all lanes if k is nil.
func (e *emitter) accumulate(acc, x, y vec, k mask) {
	if k == nil {
		e.VFMADD231PD(y, x, acc)
		return
	}
	t := e.vector(e)
	e.VMOVAPD(acc, t)
	e.VFMADD231PD(y, x, t)
	e.merge(e, t, acc, k)
}

// addMasked sets acc to acc+x in the lanes of the mask k, or in all lanes if k is nil.
func (e *emitter) addMasked(acc, x vec, k mask) {
	if k == nil {
		e.VADDPD(x, acc, acc)
		return
	}
	e.merge(e, e.add(acc, x), acc, k)
}

// sum adds the 8 or 16 lanes in the given registers in the order of the numeric contract of package
// kernels, and overwrites them. The sum is in the low lane of the returned register.
func (e *emitter) sum(lanes []vec) vec {
	for len(lanes)*e.lanes > 8 {
		h := len(lanes) / 2
		for i := range h {
			e.VADDPD(lanes[i+h], lanes[i], lanes[i])
		}
		lanes = lanes[:h]
	}
	a := lanes[0]
	if len(lanes) == 2 {
		e.VADDPD(lanes[1], a, a)
	} else {
		h := e.YMM()
		e.VEXTRACTF64X4(operand.Imm(1), a, h)
		e.VADDPD(h, a.AsY(), a.AsY())
	}
	x, h := a.AsX(), e.XMM()
	e.VEXTRACTF128(operand.Imm(1), a.AsY(), h)
	e.VADDPD(h, x, x)
	e.VPERMILPD(operand.Imm(1), x, h)
	e.VADDSD(h, x, x)
	return a
}

// returnSum emits code by which the kernel returns the sum of the lanes.
func (e *emitter) returnSum(lanes []vec) {
	s := e.sum(lanes)
	e.VMOVSD(s.AsX(), e.address(e.ReturnIndex(0)))
}
