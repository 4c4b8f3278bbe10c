package gen

import (
	"slices"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// avx2 reads its masks from a table of 64-bit words: 16 with all bits 1, followed by 16 zeros. The masks
// for the last n elements begin n words before the middle of the table.
var avx2 = isa{
	name:       "AVX2",
	lanes:      4,
	vector:     func(e *emitter) vec { return e.YMM() },
	decodeRest: decodeSingly,

	startMasks: func(e *emitter, n reg.GPVirtual) reg.GPVirtual {
		p, distance := e.GP64(), e.GP64()
		e.LEAQ(e.maskTable().Offset(16*8), p)
		e.MOVQ(n, distance)
		e.SHLQ(operand.Imm(3), distance)
		e.SUBQ(distance, p)
		return p
	},
	mask: func(e *emitter, state reg.GPVirtual, i int) mask {
		k := e.YMM()
		e.VMOVUPD(operand.Mem{Base: state, Disp: 32 * i}, k)
		return k
	},
	stepMasks: func(e *emitter, state reg.GPVirtual) { e.ADDQ(operand.Imm(32), state) },

	load: func(e *emitter, m operand.Mem, k mask) vec {
		v := e.YMM()
		if k == nil {
			e.VMOVUPD(m, v)
		} else {
			e.VMASKMOVPD(m, k, v)
		}
		return v
	},
	store: func(e *emitter, v vec, m operand.Mem, k mask) {
		if k == nil {
			e.VMOVUPD(v, m)
		} else {
			e.VMASKMOVPD(v, k, m)
		}
	},
	merge: func(e *emitter, x, dst vec, k mask) { e.VBLENDVPD(k, x, dst, dst) },

	compare: func(e *emitter, pred predicate, b, a vec) mask {
		k := e.vector(e)
		e.VCMPPD(operand.U8(pred), b, a, k)
		return k
	},
	choose: func(e *emitter, k mask, x, y vec) vec {
		d := e.vector(e)
		e.VBLENDVPD(k, x, y, d)
		return d
	},
	keep: func(e *emitter, k mask, x vec) vec {
		d := e.YMM()
		e.VANDPD(x, k, d)
		return d
	},
	jumpIfAll: func(e *emitter, k mask, to operand.LabelRef) {
		lanes := e.GP32()
		e.VMOVMSKPD(k, lanes)
		e.CMPL(lanes, operand.Imm(1<<4-1))
		e.JEQ(to)
	},
}

func (e *emitter) maskTable() operand.Mem {
	return e.table("masks", append(slices.Repeat([]uint64{1<<64 - 1}, 16), make([]uint64, 16)...))
}
