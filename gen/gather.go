package gen

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// nonzeros holds the registers of a loop over the nonzeros of consecutive rows. The cursor is an
// index in idx and val; it continues from the end of a row to the next row.
type nonzeros struct {
	*storage
	idx, val, w reg.GPVirtual // w is the dense vector with a number for each column
	cursor      reg.GPVirtual
}

func (r nonzeros) column(k int) operand.Mem {
	return operand.Mem{Base: r.idx, Index: r.cursor, Scale: uint8(r.idxBytes), Disp: k * r.idxBytes}
}

func (r nonzeros) value(k int) operand.Mem {
	if r.valBytes == 0 {
		return operand.Mem{}
	}
	return operand.Mem{Base: r.val, Index: r.cursor, Scale: uint8(r.valBytes), Disp: k * r.valBytes}
}

// element loads the column of the nonzero k places after the cursor, and returns the memory operand
// w[column].
func (r nonzeros) element(e *emitter, k int) operand.Mem {
	j := e.GP64()
	r.index(e, r.column(k), j)
	return operand.Mem{Base: r.w, Index: j, Scale: 8}
}

// insertBlock loads r.element of the next 8 nonzeros, by scalar loads, into two AVX2 vectors.
// On a Zen 5 core gather instructions were slower in most cases.
func (e *emitter) insertBlock(r nonzeros) []vec {
	return []vec{insertFour(e, r, 0), insertFour(e, r, 4)}
}

func insertFour(e *emitter, r nonzeros, k int) vec {
	lo, hi, y := e.XMM(), e.XMM(), e.YMM()
	e.VMOVSD(r.element(e, k), lo)
	e.VMOVHPD(r.element(e, k+1), lo, lo)
	e.VMOVSD(r.element(e, k+2), hi)
	e.VMOVHPD(r.element(e, k+3), hi, hi)
	e.VINSERTF128(operand.Imm(1), hi, lo.AsY(), y)
	return y
}

// insertRest loads r.element of the last n < 8 nonzeros. The other lanes are -0, so that their
// products change no sum.
func (e *emitter) insertRest(r nonzeros, n reg.GPVirtual) []vec {
	lo, hi, filler := e.YMM(), e.YMM(), e.YMM()
	fewerThanFour, join := e.label("few"), e.label("join")
	e.VBROADCASTSD(e.constant("signBit"), filler)
	e.CMPQ(n, operand.Imm(4))
	e.JLT(fewerThanFour)
	e.VMOVAPD(insertFour(e, r, 0), lo)
	insertUpToThree(e, r, n, 4, filler, hi)
	e.JMP(join)
	e.placeLabel(fewerThanFour)
	insertUpToThree(e, r, n, 0, filler, lo)
	e.VMOVAPD(filler, hi)
	e.placeLabel(join)
	return []vec{lo, hi}
}

// insertUpToThree loads r.element of the nonzeros k to n-1, at most three, into the first lanes of y. The
// remaining lanes become filler.
func insertUpToThree(e *emitter, r nonzeros, n reg.GPVirtual, k int, filler, y vec) {
	lo, hi, done := e.XMM(), e.XMM(), e.label("filled")
	e.VMOVAPD(filler.AsX(), lo)
	e.VMOVAPD(filler.AsX(), hi)
	e.CMPQ(n, operand.Imm(uint64(k+1)))
	e.JLT(done)
	e.VMOVLPD(r.element(e, k), lo, lo)
	e.JEQ(done)
	e.VMOVHPD(r.element(e, k+1), lo, lo)
	e.CMPQ(n, operand.Imm(uint64(k+3)))
	e.JLT(done)
	e.VMOVLPD(r.element(e, k+2), hi, hi)
	e.placeLabel(done)
	e.VINSERTF128(operand.Imm(1), hi, lo.AsY(), y)
}

// widen loads float32 numbers into an AVX2 vector of float64.
func (e *emitter) widen(m operand.Mem, k mask) vec {
	v := e.YMM()
	if k == nil {
		e.VCVTPS2PD(m, v)
		return v
	}
	lo, hi := k.(vec).AsX(), e.XMM()
	e.VEXTRACTF128(operand.Imm(1), k, hi)
	e.VSHUFPS(operand.Imm(0x88), hi, lo, hi) // the low half of each lane of the mask
	e.VMASKMOVPS(m, hi, hi)
	e.VCVTPS2PD(hi, v)
	return v
}
