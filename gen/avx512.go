package gen

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// avx512 keeps the masks for the last n elements in a general-purpose register whose low n bits are
// 1. Each vector takes the next 8 of these bits as its opmask.
var avx512 = isa{
	name:       "AVX512",
	lanes:      8,
	vector:     func(e *emitter) vec { return e.ZMM() },
	bcst:       true,
	decodeRest: decodeMasked,

	startMasks: func(e *emitter, n reg.GPVirtual) reg.GPVirtual {
		ones := e.GP64()
		e.MOVQ(operand.U32(0xffff), ones)
		e.BZHIQ(n, ones, ones)
		return ones
	},
	mask: func(e *emitter, state reg.GPVirtual, i int) mask {
		k := e.K()
		e.KMOVW(state.As32(), k)
		if i > 0 {
			e.KSHIFTRW(operand.U8(8*i), k, k)
		}
		return k
	},
	stepMasks: func(e *emitter, state reg.GPVirtual) { e.SHRQ(operand.U8(8), state) },

	load: func(e *emitter, m operand.Mem, k mask) vec {
		v := e.ZMM()
		if k == nil {
			e.VMOVUPD(m, v)
		} else {
			e.VMOVUPD_Z(m, k, v)
		}
		return v
	},
	store: func(e *emitter, v vec, m operand.Mem, k mask) {
		if k == nil {
			e.VMOVUPD(v, m)
		} else {
			e.VMOVUPD(v, k, m)
		}
	},
	merge: func(e *emitter, x, dst vec, k mask) { e.VMOVAPD(x, k, dst) },

	compare: func(e *emitter, pred predicate, b, a vec) mask {
		k := e.K()
		e.VCMPPD(operand.U8(pred), b, a, k)
		return k
	},
	choose: func(e *emitter, k mask, x, y vec) vec {
		d := e.vector(e)
		e.VBLENDMPD(x, y, k, d)
		return d
	},
	keep: func(e *emitter, k mask, x vec) vec {
		d := e.ZMM()
		e.VMOVAPD_Z(x, k, d)
		return d
	},
	jumpIfAll: func(e *emitter, k mask, to operand.LabelRef) {
		lanes := e.GP32()
		e.KMOVB(k, lanes)
		e.CMPL(lanes, operand.Imm(1<<8-1))
		e.JEQ(to)
	},
}
