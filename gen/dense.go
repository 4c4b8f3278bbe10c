package gen

import "github.com/mmcloughlin/avo/reg"

func (e *emitter) dot(t *isa) {
	e.beginKernel(t, "dot", "func(x, y []float64) float64",
		"\tlane[i%16] = FMA(x[i], y[i], lane[i%16])")
	x, y, n := e.base("x"), e.base("y"), e.length("x")
	acc := e.reduce(n, func(p place, acc vec) {
		e.accumulate(acc, e.read(x, p), e.read(y, p), p.mask)
	})
	e.returnSum(acc)
	e.ret()
}

func (e *emitter) axpy(t *isa) {
	e.beginKernel(t, "axpy", "func(alpha float64, x, y []float64)",
		"\ty[i] = FMA(alpha, x[i], y[i])")
	x, y, n := e.base("x"), e.base("y"), e.length("x")
	alpha := e.broadcast("alpha")
	e.eachPlace(n, func(p place) {
		v := e.read(x, p)
		e.fma(v, alpha, e.read(y, p))
		e.write(v, y, p)
	})
	e.ret()
}

func (e *emitter) logisticSlopes(t *isa) {
	e.beginKernel(t, "logisticSlopes", "func(slope, margin, label []float64) float64",
		"\tslope[i], loss = logistic(margin[i], label[i])",
		"\tlane[i%16] += loss")
	slope, margin, label, n := e.base("slope"), e.base("margin"), e.base("label"), e.length("margin")
	acc := e.reduceRolled(n, func(p place, acc vec) {
		b := e.read(label, p)
		z, x := e.logisticExp(e.read(margin, p), b)
		e.unlessNil(slope, func() { e.write(e.logisticSlope(z, x, b), slope, p) })
		e.addMasked(acc, e.logisticLoss(z, x), p.mask)
	})
	e.returnSum(acc)
	e.ret()
}

func (e *emitter) squaredSlopes(t *isa) {
	e.beginKernel(t, "squaredSlopes", "func(slope, margin, label []float64) float64",
		"\tr = margin[i] - label[i]",
		"\tslope[i] = r + r",
		"\tlane[i%16] = FMA(r, r, lane[i%16])")
	slope, margin, label, n := e.base("slope"), e.base("margin"), e.base("label"), e.length("margin")
	acc := e.reduce(n, func(p place, acc vec) {
		r := e.sub(e.read(margin, p), e.read(label, p))
		e.unlessNil(slope, func() { e.write(e.add(r, r), slope, p) })
		e.accumulate(acc, r, r, p.mask)
	})
	e.returnSum(acc)
	e.ret()
}

// unlessNil emits f and a branch that skips it if the slice at base is nil.
func (e *emitter) unlessNil(base reg.GPVirtual, f func()) {
	skip := e.label("nil")
	e.TESTQ(base, base)
	e.JZ(skip)
	f()
	e.placeLabel(skip)
}
