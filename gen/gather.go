package gen

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A row is a walk through the nonzeros of consecutive rows: the cursor is an
// absolute position in idx and val, and runs on from one row to the next.
type row struct {
	*storage
	idx, val, w reg.GPVirtual
	cursor      reg.GPVirtual
}

func (r row) column(k int) operand.Mem {
	return operand.Mem{Base: r.idx, Index: r.cursor, Scale: uint8(r.idxBytes), Disp: k * r.idxBytes}
}

func (r row) value(k int) operand.Mem {
	return operand.Mem{Base: r.val, Index: r.cursor, Scale: uint8(r.valBytes), Disp: k * r.valBytes}
}

// at loads the column of nonzero k past the cursor and returns w there.
func (r row) at(e *emitter, k int) operand.Mem {
	j := e.GP64()
	r.index(e, r.column(k), j)
	return operand.Mem{Base: r.w, Index: j, Scale: 8}
}

// insertBlock assembles the vectors from scalar loads.
func insertBlock(e *emitter, r row) []vec {
	return e.join(e, insertHalf(e, r, 0), insertHalf(e, r, 4))
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

// insertRest assembles the vectors from the n scalars that exist. The others
// are -0: times the +0 of an absent value that is -0, and adding -0 changes no
// lane, not even one that holds -0.
func insertRest(e *emitter, r row, n reg.GPVirtual) []vec {
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
	return e.join(e, lo, hi)
}

// insertPart fills y with the nonzeros k to n-1, at most three, and filler.
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

// hardwareBlockY gathers with the 256-bit instruction, which clears its mask
// and merges into its destination: both are rebuilt every time.
func hardwareBlockY(e *emitter, r row) []vec {
	var halves [2]vec
	for h := range halves {
		j, k, y := r.indices(e, r.column(4*h), 4), e.YMM(), e.YMM()
		e.VPCMPEQD(k, k, k)
		e.VXORPD(y, y, y)
		e.VGATHERDPD(k, operand.Mem{Base: r.w, Index: j, Scale: 8}, y)
		halves[h] = y
	}
	return e.join(e, halves[0], halves[1])
}

// hardwareBlockZ gathers with the 512-bit instruction.
func hardwareBlockZ(e *emitter, r row) []vec {
	j, k, z := r.indices(e, r.column(0), 8), e.K(), e.ZMM()
	e.KXNORW(k, k, k)
	e.VPXORQ(z, z, z)
	e.VGATHERDPD(operand.Mem{Base: r.w, Index: j, Scale: 8}, k, z)
	return []vec{z}
}

// hardwareRestZ gathers the last n < 8 under an opmask into a vector of -0.
func hardwareRestZ(e *emitter, r row, n reg.GPVirtual) []vec {
	k, z, j := e.mask(e, e.startMasks(e, n), 0), e.fresh("signBit"), e.YMM()
	e.VMOVDQU32_Z(r.column(0), k, j)
	e.VGATHERDPD(operand.Mem{Base: r.w, Index: j, Scale: 8}, k, z)
	return []vec{z}
}
