package gen

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A decoder converts the columns or values of a row to 64 bits.
type decoder struct {
	// param names the slice of the stored numbers. The first decoder whose slice is not nil, or whose
	// param is empty, is used.
	param string
	bytes int // size of a stored number
	// vector converts as many numbers as a vector has lanes, from m into x. Lanes outside the mask are
	// not read and do not change in x. scalar converts a single number.
	vector func(e *emitter, m operand.Mem, k mask, x vec)
	scalar func(e *emitter, m, dst operand.Mem)
}

// columnDecoders returns a decoder for each of columnForms. A decoder converts column numbers into
// distances in bytes from column 0 of the loop's vectors.
func (f *fusedLoop) columnDecoders() (decoders []decoder) {
	shift := operand.Imm(uint64(f.shift))
	for _, c := range columnForms {
		decoders = append(decoders, decoder{
			param: "a.Rows." + c.field, bytes: c.idxBytes,
			vector: func(e *emitter, m operand.Mem, k mask, x vec) {
				if k == nil {
					c.extend(e)(m, x)
					e.VPSLLQ(shift, x, x)
					return
				}
				y := e.vector(e)
				e.VPXORQ(y, y, y)
				c.extend(e)(m, k, y)
				e.VPSLLQ(shift, y, k, x)
			},
			scalar: func(e *emitter, m, dst operand.Mem) {
				j := e.GP64()
				c.index(e, m, j)
				e.SHLQ(shift, j)
				e.MOVQ(j, dst)
			},
		})
	}
	return decoders
}

// valueDecoders returns a decoder for each of valueForms. A decoder converts values into float64.
func valueDecoders() (decoders []decoder) {
	for _, v := range valueForms {
		d := decoder{
			bytes: v.valBytes,
			vector: func(e *emitter, m operand.Mem, k mask, x vec) {
				load, source := v.convert(e, m)
				if k == nil {
					load(source, x)
				} else {
					load(source, k, x)
				}
			},
			scalar: func(e *emitter, m, dst operand.Mem) {
				if v.valBytes == 8 {
					j := e.GP64()
					e.MOVQ(m, j)
					e.MOVQ(j, dst)
					return
				}
				x := v.number(e, m)
				if x == nil {
					x = e.scalar(e.constant("one"))
				}
				e.VMOVSD(x, dst)
			},
		}
		if v.field != "" {
			d.param = "a.Rows." + v.field
		}
		decoders = append(decoders, d)
	}
	return decoders
}

// decode emits code that converts the columns of the f.n nonzeros of a row into f.off, and the values into
// f.num (see the type fusedLoop). lo is the number of the first nonzero.
func (f *fusedLoop) decode(lo reg.GPVirtual) {
	f.decodeInto(f.off, lo, f.pad, f.columnDecoders())
	f.decodeInto(f.num, lo, f.constant("signBit"), valueDecoders())
}

func (f *fusedLoop) decodeInto(array, lo reg.GPVirtual, pad operand.Mem, decoders []decoder) {
	done := f.label("decoded")
	for _, d := range decoders {
		otherForm := f.label("form")
		src, dst, m := f.GP64(), f.GP64(), f.GP64()
		if d.param != "" {
			f.Load(f.param(d.param).Base(), src)
			f.TESTQ(src, src)
			f.JZ(otherForm)
			f.LEAQ(operand.Mem{Base: src, Index: lo, Scale: uint8(d.bytes)}, src)
		}
		f.MOVQ(array, dst)
		f.MOVQ(f.n, m)
		f.decodeBlocks(d, src, dst, m)
		noRest := f.label("full")
		f.TESTQ(m, m)
		f.JZ(noRest)
		f.decodeRest(f.emitter, d, src, dst, m, pad)
		f.placeLabel(noRest)
		f.JMP(done)
		f.placeLabel(otherForm)
	}
	f.placeLabel(done)
}

// decodeBlocks emits code that converts m numbers in blocks of eight, and sets m to the rest, below eight.
func (f *fusedLoop) decodeBlocks(d decoder, src, dst, m reg.GPVirtual) {
	block, rest := f.label("eight"), f.label("rest")
	f.SUBQ(operand.Imm(8), m)
	f.JLT(rest)
	f.placeLabel(block)
	for i := range f.vectorsPer8() {
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
	f.placeLabel(rest)
	f.ADDQ(operand.Imm(8), m)
}

// decodeMasked implements isa.decodeRest: it converts the m numbers at once, under a mask.
func decodeMasked(e *emitter, d decoder, src, dst, m reg.GPVirtual, pad operand.Mem) {
	x := e.vector(e)
	e.VBROADCASTSD(pad, x)
	d.vector(e, operand.Mem{Base: src}, e.mask(e, e.startMasks(e, m), 0), x)
	e.VMOVUPD(x, operand.Mem{Base: dst})
}

// decodeSingly implements isa.decodeRest: it writes the padding eight times and then converts the numbers
// one by one, because AVX2 cannot load 16-bit columns under a mask.
func decodeSingly(e *emitter, d decoder, src, dst, m reg.GPVirtual, pad operand.Mem) {
	x := e.vector(e)
	e.VBROADCASTSD(pad, x)
	for i := range e.vectorsPer8() {
		e.VMOVUPD(x, operand.Mem{Base: dst, Disp: 32 * i})
	}
	nextNumber := e.label("one")
	e.placeLabel(nextNumber)
	d.scalar(e, operand.Mem{Base: src}, operand.Mem{Base: dst})
	if d.bytes > 0 {
		e.ADDQ(operand.Imm(uint64(d.bytes)), src)
	}
	e.ADDQ(operand.Imm(8), dst)
	e.DECQ(m)
	e.JNZ(nextNumber)
}
