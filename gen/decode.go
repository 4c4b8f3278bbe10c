package gen

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A decoder converts the columns or values of a row to 64 bits.
type decoder struct {
	// The slice of the stored numbers, which is nil if the rows have another form. The empty name
	// is for the decoder to use if no other fits.
	param string
	bytes int // size of a stored number
	// vector converts as many numbers as a vector has lanes. With a mask it reads only the lanes
	// inside the mask and does not change the other lanes of x. one converts a single number into
	// dst.
	vector func(e *emitter, m operand.Mem, k mask, x vec)
	one    func(e *emitter, m, dst operand.Mem)
}

// columnForms returns decoders that convert column numbers into byte distances.
func (f *fused) columnForms() []decoder {
	shift := operand.Imm(uint64(f.shift))
	widen := func(op instruction, load func(e *emitter, m operand.Mem, j reg.GPVirtual)) decoder {
		return decoder{
			vector: func(e *emitter, m operand.Mem, k mask, x vec) {
				if k == nil {
					op(m, x)
					e.VPSLLQ(shift, x, x)
					return
				}
				y := e.vector(e)
				e.VPXORQ(y, y, y)
				op(m, k, y)
				e.VPSLLQ(shift, y, k, x)
			},
			one: func(e *emitter, m, dst operand.Mem) {
				j := e.GP64()
				load(e, m, j)
				e.SHLQ(shift, j)
				e.MOVQ(j, dst)
			},
		}
	}
	wide := widen(f.VPMOVZXDQ, func(e *emitter, m operand.Mem, j reg.GPVirtual) { e.MOVL(m, j.As32()) })
	wide.param, wide.bytes = "a.Rows.Idx", 4
	short := widen(f.VPMOVZXWQ, func(e *emitter, m operand.Mem, j reg.GPVirtual) { e.MOVWQZX(m, j) })
	short.param, short.bytes = "a.Rows.Idx16", 2
	return []decoder{wide, short}
}

// valueForms returns decoders that convert values into float64.
func (f *fused) valueForms() []decoder {
	masked := func(op instruction) func(e *emitter, m operand.Mem, k mask, x vec) {
		return func(e *emitter, m operand.Mem, k mask, x vec) {
			if k == nil {
				op(m, x)
			} else {
				op(m, k, x)
			}
		}
	}
	return []decoder{
		{"a.Rows.Val", 8, masked(f.VMOVUPD), func(e *emitter, m, dst operand.Mem) {
			j := e.GP64()
			e.MOVQ(m, j)
			e.MOVQ(j, dst)
		}},
		{"a.Rows.Val32", 4, masked(func(ops ...operand.Op) { f.VCVTPS2PD(ops...) }), func(e *emitter, m, dst operand.Mem) {
			x := e.XMM()
			e.VMOVSS(m, x)
			e.VCVTSS2SD(x, x, x)
			e.VMOVSD(x, dst)
		}},
		{"", 0, func(e *emitter, _ operand.Mem, k mask, x vec) {
			if k == nil {
				e.VMOVAPD(e.fresh("one"), x)
			} else {
				e.VMOVAPD(e.fresh("one"), k, x)
			}
		}, func(e *emitter, _, dst operand.Mem) {
			x := e.XMM()
			e.VMOVSD(e.constant("one"), x)
			e.VMOVSD(x, dst)
		}},
	}
}

// decode emits the conversion of the f.n nonzeros from nonzero lo on.
func (f *fused) decode(lo reg.GPVirtual) {
	f.decodeInto(f.off, lo, f.pad, f.columnForms())
	f.decodeInto(f.num, lo, f.constant("signBit"), f.valueForms())
}

func (f *fused) decodeInto(to, lo reg.GPVirtual, pad operand.Mem, forms []decoder) {
	done := f.label("decoded")
	for _, d := range forms {
		other := f.label("form")
		src, dst, m := f.GP64(), f.GP64(), f.GP64()
		if d.param != "" {
			f.Load(f.param(d.param).Base(), src)
			f.TESTQ(src, src)
			f.JZ(other)
			f.LEAQ(operand.Mem{Base: src, Index: lo, Scale: uint8(d.bytes)}, src)
		}
		f.MOVQ(to, dst)
		f.MOVQ(f.n, m)
		f.decodeBlocks(d, src, dst, m)
		tail := f.label("full")
		f.TESTQ(m, m)
		f.JZ(tail)
		f.decodeRest(f.emitter, d, src, dst, m, pad)
		f.at(tail)
		f.JMP(done)
		f.at(other)
	}
	f.at(done)
}

// decodeBlocks converts eight numbers at a time, and sets m to the number that remains.
func (f *fused) decodeBlocks(d decoder, src, dst, m reg.GPVirtual) {
	block, rest := f.label("eight"), f.label("rest")
	f.SUBQ(operand.Imm(8), m)
	f.JLT(rest)
	f.at(block)
	for i := range f.group() {
		x := f.vector(f.emitter)
		d.vector(f.emitter, operand.Mem{Base: src, Disp: i * f.lanes * d.bytes}, nil, x)
		f.VMOVUPD(x, operand.Mem{Base: dst, Disp: i * f.lanes * 8})
	}
	if d.bytes > 0 {
		f.ADDQ(operand.Imm(uint64(8*d.bytes)), src)
	}
	f.ADDQ(operand.Imm(64), dst)
	f.SUBQ(operand.Imm(8), m)
	f.JGE(block)
	f.at(rest)
	f.ADDQ(operand.Imm(8), m)
}

// decodeMasked converts the last m < 8 numbers under a mask.
func decodeMasked(e *emitter, d decoder, src, dst, m reg.GPVirtual, pad operand.Mem) {
	x := e.vector(e)
	e.VBROADCASTSD(pad, x)
	d.vector(e, operand.Mem{Base: src}, e.mask(e, e.startMasks(e, m), 0), x)
	e.VMOVUPD(x, operand.Mem{Base: dst})
}

// decodeSingly writes the padding eight times and then converts the last m < 8 numbers one by one,
// because 16-bit columns cannot be loaded under an AVX2 mask.
func decodeSingly(e *emitter, d decoder, src, dst, m reg.GPVirtual, pad operand.Mem) {
	x := e.vector(e)
	e.VBROADCASTSD(pad, x)
	for i := range e.group() {
		e.VMOVUPD(x, operand.Mem{Base: dst, Disp: 32 * i})
	}
	one := e.label("one")
	e.at(one)
	d.one(e, operand.Mem{Base: src}, operand.Mem{Base: dst})
	if d.bytes > 0 {
		e.ADDQ(operand.Imm(uint64(d.bytes)), src)
	}
	e.ADDQ(operand.Imm(8), dst)
	e.DECQ(m)
	e.JNZ(one)
}
