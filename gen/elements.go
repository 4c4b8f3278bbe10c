package gen

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// An elementLoop emits a loop of the type fusedLoop, in which every step updates all elements of the iterate
// w.
type elementLoop struct {
	*fusedLoop
	w reg.GPVirtual
}

func (e *emitter) innerDense(t *isa) {
	e.beginKernel(t, "innerDense", stepKernel,
		"\tg = eta*(slope0[i] - slope(sum of num[k]*w[j] in 8 lanes))",
		"\tw[j] = FMA(c[j], w[j], e[j])   for all j, while the exponential is computed",
		"\tw[j] = FMA(g, num[k], w[j]),  sum[j] = FMA(g, num[k], sum[j])   for the nonzeros")
	l := e.elementLoop()
	sum := e.base("a.sum")
	l.run(func() {
		z := l.margin()
		l.VMULSD(l.labelOrOne(), z, z)
		g := l.gain(z)
		l.sweep(false)
		l.eachNonzero(func(off, num operand.Mem, _ reg.GPVirtual, _ int) {
			j := e.GP64()
			e.MOVQ(off, j)
			for _, dst := range []reg.GPVirtual{l.w, sum} {
				m := operand.Mem{Base: dst, Index: j, Scale: 1}
				x := e.scalar(m)
				e.VFMADD231SD(num, g, x)
				e.VMOVSD(x, m)
			}
		})
	})
}

func (e *emitter) innerBox(t *isa) {
	e.beginKernel(t, "innerBox", stepKernel,
		"\tg = eta*(slope0[i] - slope(sum of num[k]*w[j] in 8 lanes))",
		"\tkeep[2k], keep[2k+1] = FMA(c[j], w[j], e[j]), sum[j]   for the nonzeros",
		"\tw[j] = clip(FMA(c[j], w[j], e[j])),  sum[j] += w[j]    for all j, while the exponential is computed",
		"\tw[j] = clip(FMA(g, num[k], keep[2k])),  sum[j] = keep[2k+1] + w[j]   for the nonzeros")
	l := e.elementLoop()
	element := func(j reg.GPVirtual, v string) operand.Mem {
		return operand.Mem{Base: e.base("a." + v), Index: j, Scale: 1}
	}
	keep := func(k reg.GPVirtual, disp int) operand.Mem {
		return operand.Mem{Base: e.base("a.scratch.keep"), Index: k, Scale: 2, Disp: 2 * disp}
	}
	l.run(func() {
		z := l.margin()
		l.VMULSD(l.labelOrOne(), z, z)
		l.eachNonzero(func(off, _ operand.Mem, k reg.GPVirtual, disp int) {
			j := e.GP64()
			e.MOVQ(off, j)
			x := e.scalar(element(j, "w"))
			e.VFMADD213SD(e.scalar(element(j, "e")), e.scalar(element(j, "c")), x)
			e.VMOVSD(x, keep(k, disp))
			e.VMOVSD(e.scalar(element(j, "sum")), keep(k, disp).Offset(8))
		})
		g := l.gain(z)
		l.sweep(true)
		l.eachNonzero(func(off, num operand.Mem, k reg.GPVirtual, disp int) {
			j := e.GP64()
			e.MOVQ(off, j)
			x := e.scalar(keep(k, disp))
			e.VFMADD231SD(num, g, x)
			e.VMAXSD(x, e.scalar(element(j, "lo")), x)
			e.VMINSD(x, e.scalar(element(j, "hi")), x)
			e.VMOVSD(x, element(j, "w"))
			s := e.scalar(keep(k, disp).Offset(8))
			e.VADDSD(x, s, s)
			e.VMOVSD(s, element(j, "sum"))
		})
	})
}

func (e *emitter) elementLoop() *elementLoop {
	return &elementLoop{fusedLoop: e.fusedLoop(3), w: e.base("a.w")}
}

// run emits the loop over the steps. Before the loop it sets fusedLoop.pad to the distance in bytes from
// w to the field zero of stepArgs.
func (l *elementLoop) run(step func()) {
	zeroDistance := l.GP64()
	l.LEAQ(l.field("a.zero"), zeroDistance)
	l.SUBQ(l.w, zeroDistance)
	l.MOVQ(zeroDistance, l.pad)
	l.eachStep(l.address(l.param("a.w").Len()), "", step)
	l.ret()
}

func (l *elementLoop) margin() vec {
	lanes := make([]vec, 8)
	for i := range lanes {
		lanes[i] = l.XMM()
		l.VXORPD(lanes[i], lanes[i], lanes[i])
	}
	l.eachBlock(func(off, num func(int) operand.Mem) {
		for k := range lanes {
			j := l.GP64()
			l.MOVQ(off(k), j)
			x := l.scalar(operand.Mem{Base: l.w, Index: j, Scale: 1})
			l.VFMADD231SD(num(k), x, lanes[k])
		}
	})
	return l.sumLanes(lanes)
}

// sweep emits w = FMA(c, w, e) for all elements. If hasBox is true, it also clips w and adds w to
// a.sum. The last vector may overlap the vector before it, so the code computes the last vector before all
// others and stores it after them. A masked last vector would not overlap, but a masked store would delay the
// loads of the next row.
func (l *elementLoop) sweep(hasBox bool) {
	e := l.emitter
	fewElements, oneElement, done := e.label("short"), e.label("element"), e.label("swept")
	lanes := uint64(e.lanes)
	n, i := e.length("a.w"), e.GP64()
	b := l.sweepBases(hasBox)
	e.SUBQ(operand.Imm(lanes), n)
	e.JLT(fewElements)
	end := place{cursor: n}
	lastPoint := b.point(e, end)
	var lastSum vec
	if hasBox {
		lastSum = e.add(e.read(b.sum, end), lastPoint)
	}
	body := func(p place) {
		v := b.point(e, p)
		if hasBox {
			e.write(e.add(e.read(b.sum, p), v), b.sum, p)
		}
		e.write(v, b.w, p)
	}
	e.XORQ(i, i)
	vectors, oneVector, lastVector := e.label("vectors"), e.label("single"), e.label("last")
	const unroll = 2
	e.SUBQ(operand.Imm((unroll-1)*lanes), n)
	e.CMPQ(i, n)
	e.JGE(oneVector)
	e.placeLabel(vectors)
	for u := range unroll {
		body(place{cursor: i, disp: 8 * e.lanes * u})
	}
	e.ADDQ(operand.Imm(unroll*lanes), i)
	e.CMPQ(i, n)
	e.JLT(vectors)
	e.placeLabel(oneVector)
	e.ADDQ(operand.Imm((unroll-1)*lanes), n)
	e.CMPQ(i, n)
	e.JGE(lastVector)
	body(place{cursor: i})
	e.placeLabel(lastVector)
	if hasBox {
		e.write(lastSum, b.sum, end)
	}
	e.write(lastPoint, b.w, end)
	e.JMP(done)
	// Fewer elements than a vector has lanes are updated one by one.
	e.placeLabel(fewElements)
	e.ADDQ(operand.Imm(lanes), n)
	e.JZ(done)
	e.XORQ(i, i)
	e.placeLabel(oneElement)
	e.forOneElement(func() { body(place{cursor: i}) })
	e.INCQ(i)
	e.CMPQ(i, n)
	e.JLT(oneElement)
	e.placeLabel(done)
}

// forOneElement emits body for a single element instead of a vector.
func (e *emitter) forOneElement(body func()) {
	e.withScalarISA(func() {
		e.load = func(e *emitter, m operand.Mem, _ mask) vec { return e.scalar(m) }
		e.store = func(e *emitter, v vec, m operand.Mem, _ mask) { e.VMOVSD(v, m) }
		body()
	})
}

type sweepBases struct{ w, c, e, lo, hi, sum reg.GPVirtual }

func (l *elementLoop) sweepBases(hasBox bool) sweepBases {
	b := sweepBases{w: l.w, c: l.base("a.c"), e: l.base("a.e")}
	if hasBox {
		b.lo, b.hi, b.sum = l.base("a.lo"), l.base("a.hi"), l.base("a.sum")
	}
	return b
}

// point returns FMA(c, w, e). With a box, that is if b.sum is not nil, the result is clipped to lo and hi.
func (b sweepBases) point(e *emitter, p place) vec {
	v := e.read(b.w, p)
	if e.lanes > 2 {
		e.VFMADD213PD(p.mem(b.e), e.read(b.c, p), v)
	} else {
		e.fma(v, e.read(b.c, p), e.read(b.e, p))
	}
	if b.sum == nil {
		return v
	}
	return e.min(e.read(b.hi, p), e.max(e.read(b.lo, p), v))
}
