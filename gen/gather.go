package gen

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A row holds the registers of a loop over the nonzeros of consecutive rows. The cursor
// is an absolute position in idx and val; it continues from one row to the next.
type row struct {
	*storage
	idx, val, w reg.GPVirtual
	cursor      reg.GPVirtual
}

func (r row) column(k int) operand.Mem {
	return operand.Mem{Base: r.idx, Index: r.cursor, Scale: uint8(r.idxBytes), Disp: k * r.idxBytes}
}

func (r row) value(k int) operand.Mem {
	if r.valBytes == 0 {
		return operand.Mem{}
	}
	return operand.Mem{Base: r.val, Index: r.cursor, Scale: uint8(r.valBytes), Disp: k * r.valBytes}
}

// at loads the column of the nonzero k places after the cursor, and returns the operand w[column].
func (r row) at(e *emitter, k int) operand.Mem {
	j := e.GP64()
	r.index(e, r.column(k), j)
	return operand.Mem{Base: r.w, Index: j, Scale: 8}
}

// insertBlock reads w at the columns of the next 8 nonzeros by scalar loads into two AVX2 vectors.
// AVX-512 vectors gain nothing, because the loads take the time. So the kernels on rows exist for
// AVX2 only. Scalar loads ("insert") were compared with hardware gathers on a Zen 5 core. The
// gathers loaded 8 nonzeros at a time; with AVX-512 they loaded the rest of a row too. In ns per
// nonzero:
//
//	row length, len(w)               AVX2 insert, gather   AVX-512 insert, gather
//	14 nonzeros, 123                        0.23    0.29             0.23    0.32
//	75 nonzeros on average, 47236           0.30    0.34             0.31    0.32
//	the same, 1.2 million nonzeros          0.41    0.48             0.42    0.40
//
// Scalar loads are also not affected by the microcode that makes gathers slow on other processors.
// If rows have unequal lengths, the processor predicts the branches of insertRest badly. A masked
// gather for the rest alone gave 0.37 in the last line of the table, but 0.28 in the first.
func (e *emitter) insertBlock(r row) []vec {
	return []vec{insertHalf(e, r, 0), insertHalf(e, r, 4)}
}

func insertHalf(e *emitter, r row, k int) vec {
	lo, hi, y := e.XMM(), e.XMM(), e.YMM()
	e.VMOVSD(r.at(e, k), lo)
	e.VMOVHPD(r.at(e, k+1), lo, lo)
	e.VMOVSD(r.at(e, k+2), hi)
	e.VMOVHPD(r.at(e, k+3), hi, hi)
	e.VINSERTF128(operand.Imm(1), hi, lo.AsY(), y)
	return y
}

// insertRest loads w at the columns of the last n < 8 nonzeros. The other lanes are -0.
// Multiplied with the +0 of a missing value they give -0, and adding -0 changes no lane,
// not even one that holds -0.
func (e *emitter) insertRest(r row, n reg.GPVirtual) []vec {
	lo, hi, filler := e.YMM(), e.YMM(), e.YMM()
	few, join := e.label("few"), e.label("join")
	e.VBROADCASTSD(e.constant("signBit"), filler)
	e.CMPQ(n, operand.Imm(4))
	e.JLT(few)
	e.VMOVAPD(insertHalf(e, r, 0), lo)
	insertPart(e, r, n, 4, filler, hi)
	e.JMP(join)
	e.at(few)
	insertPart(e, r, n, 0, filler, lo)
	e.VMOVAPD(filler, hi)
	e.at(join)
	return []vec{lo, hi}
}

// insertPart fills y with w at the columns of nonzeros k to n-1, at most three, and the remaining
// lanes with filler.
func insertPart(e *emitter, r row, n reg.GPVirtual, k int, filler, y vec) {
	lo, hi, done := e.XMM(), e.XMM(), e.label("filled")
	e.VMOVAPD(filler.AsX(), lo)
	e.VMOVAPD(filler.AsX(), hi)
	e.CMPQ(n, operand.Imm(uint64(k+1)))
	e.JLT(done)
	e.VMOVLPD(r.at(e, k), lo, lo)
	e.JEQ(done)
	e.VMOVHPD(r.at(e, k+1), lo, lo)
	e.CMPQ(n, operand.Imm(uint64(k+3)))
	e.JLT(done)
	e.VMOVLPD(r.at(e, k+2), hi, hi)
	e.at(done)
	e.VINSERTF128(operand.Imm(1), hi, lo.AsY(), y)
}

// widen loads float32 numbers, converted to float64, into an AVX2 vector.
func (e *emitter) widen(m operand.Mem, k mask) vec {
	v := e.YMM()
	if k == nil {
		e.VCVTPS2PD(m, v)
		return v
	}
	lo, hi := k.(vec).AsX(), e.XMM()
	e.VEXTRACTF128(operand.Imm(1), k, hi)
	e.VSHUFPS(operand.Imm(0x88), hi, lo, hi) // the low half of each of the four lanes of the mask
	e.VMASKMOVPS(m, hi, hi)
	e.VCVTPS2PD(hi, v)
	return v
}
