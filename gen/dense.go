package gen

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

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

func (e *emitter) clip(t *isa) {
	e.beginKernel(t, "clip", "func(v, lo, hi []float64)",
		"\tv[i] = min(max(v[i], lo[i]), hi[i])")
	v, lo, hi, n := e.base("v"), e.base("lo"), e.base("hi"), e.length("v")
	e.eachPlace(n, func(p place) {
		e.write(e.min(e.read(hi, p), e.max(e.read(lo, p), e.read(v, p))), v, p) // a NaN in v is kept
	})
	e.ret()
}

func (e *emitter) proxDual(t *isa) {
	e.beginKernel(t, "proxDual", "func(beta, y, ax, limit []float64, rho, inv float64)",
		"\tv = FMA(rho, ax[i], beta[i])",
		"\tbeta[i] = min(max(v, -limit[i]), limit[i])",
		"\ty[i] = (v - beta[i]) * inv")
	beta, y, ax, limit, n := e.base("beta"), e.base("y"), e.base("ax"), e.base("limit"), e.length("ax")
	rho, inv := e.broadcast("rho"), e.broadcast("inv")
	e.eachPlace(n, func(p place) {
		v, lim := e.read(beta, p), e.read(limit, p)
		e.VFMADD231PD(e.read(ax, p), rho, v)
		b := e.min(lim, e.max(e.xorK(lim, "signBit"), v)) // a NaN in v is kept
		e.write(b, beta, p)
		e.write(e.mul(e.sub(v, b), inv), y, p)
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

func (e *emitter) logisticFenchel(t *isa) {
	e.beginKernel(t, "logisticFenchel", "func(alpha, margin, label, weight []float64) float64",
		"\tlane[i%16] = FMA(weight[i], logisticFenchel(alpha[i], margin[i], label[i]), lane[i%16])")
	alpha, margin, label, weight, n := e.base("alpha"), e.base("margin"), e.base("label"), e.base("weight"),
		e.length("margin")
	q, r, s, c, w, minusW, tail, scratch := e.local(), e.local(), e.local(), e.local(), e.local(), e.local(),
		e.local(), e.local()
	// The code follows logisticFenchel of package kernels, which explains q, r, s, c, w and beyond. Here x is
	// exp(-|z|), and tail is the last term of the sum that logisticFenchel returns.
	acc := e.reduceRolled(n, func(p place, acc vec) {
		b := e.read(label, p)
		z, x := e.logisticExp(e.read(margin, p), b)
		sum := e.addK(x, "one")
		larger, smaller := e.div(e.constantVec("one"), sum), e.div(x, sum)
		positive := e.compare(e, greater, e.zero(), z)
		e.VMOVUPD(e.choose(e, positive, smaller, larger), s)
		e.VMOVUPD(e.choose(e, positive, larger, smaller), c)
		v := e.mul(e.xorK(b, "signBit"), e.read(alpha, p))
		e.VMOVUPD(v, q)
		rest := e.sub(e.constantVec("one"), v)
		e.VMOVUPD(rest, r)
		beyond := e.max(e.zero(), e.subK(e.andK(z, "absBits"), "expMax"))
		e.VMOVUPD(e.mul(e.choose(e, positive, v, rest), beyond), tail)
		d := e.choose(e, positive, e.sub(v, smaller), e.sub(smaller, rest))
		e.VMOVUPD(d, w)
		e.VMOVUPD(e.xorK(d, "signBit"), minusW)
		first := e.entropyTerm(q, s, minusW, scratch, func() vec { return e.logRatio(q, s) })
		second := e.entropyTerm(r, c, w, scratch, func() vec { return e.logRatio(r, c) })
		sum = e.add(first, second)
		e.accumulate(acc, e.read(weight, p), e.binary(e.VADDPD, sum, tail), p.mask)
	})
	e.returnSum(acc)
	e.ret()
}

func (e *emitter) poissonSlopes(t *isa) {
	e.beginKernel(t, "poissonSlopes", "func(slope, margin, label []float64) float64",
		"\tslope[i] = Exp(margin[i]) - label[i]",
		"\tlane[i%16] += poissonTerm(label[i], Exp(margin[i]), margin[i])")
	slope, margin, label, n := e.base("slope"), e.base("margin"), e.base("label"), e.length("margin")
	term := e.newPoissonTerm()
	acc := e.reduceRolled(n, func(p place, acc vec) {
		difference := term.set(e.read(label, p), e.read(margin, p))
		e.unlessNil(slope, func() { e.write(difference, slope, p) })
		e.addMasked(acc, term.value(), p.mask)
	})
	e.returnSum(acc)
	e.ret()
}

func (e *emitter) poissonFenchel(t *isa) {
	e.beginKernel(t, "poissonFenchel", "func(alpha, margin, label, weight []float64) float64",
		"\tlane[i%16] = FMA(weight[i], poissonTerm(label[i]+alpha[i], Exp(margin[i]), margin[i]), lane[i%16])")
	alpha, margin, label, weight, n := e.base("alpha"), e.base("margin"), e.base("label"), e.base("weight"),
		e.length("margin")
	term := e.newPoissonTerm()
	acc := e.reduceRolled(n, func(p place, acc vec) {
		term.set(e.add(e.read(label, p), e.read(alpha, p)), e.read(margin, p))
		e.accumulate(acc, e.read(weight, p), term.value(), p.mask)
	})
	e.returnSum(acc)
	e.ret()
}

// A poissonTerm emits poissonTerm of package kernels. The function's arguments are in memory, as for
// entropyTerm.
type poissonTerm struct {
	*emitter
	q, rate, minusW, margin, scratch operand.Mem
}

func (e *emitter) newPoissonTerm() *poissonTerm {
	return &poissonTerm{e, e.local(), e.local(), e.local(), e.local(), e.local()}
}

// set stores the arguments: q, margin and the rate exp(margin). It returns rate - q.
func (t *poissonTerm) set(q, margin vec) vec {
	t.VMOVUPD(q, t.q)
	t.VMOVUPD(margin, t.margin)
	rate := t.exp(margin)
	t.VMOVUPD(rate, t.rate)
	difference := t.sub(rate, t.load(t.emitter, t.q, nil))
	t.VMOVUPD(difference, t.minusW)
	return difference
}

// value returns the term for the stored arguments.
func (t *poissonTerm) value() vec { return t.entropyTerm(t.q, t.rate, t.minusW, t.scratch, t.logRatio) }

// logRatio returns log(q/rate). Where q is above farRatio times the rate, it returns log(q) - margin instead.
func (t *poissonTerm) logRatio() vec {
	load := func(m operand.Mem) vec { return t.load(t.emitter, m, nil) }
	isFar := func() mask { return t.compare(t.emitter, greater, t.mulK(load(t.rate), "farRatio"), load(t.q)) }
	ratio := t.binary(t.VDIVPD, load(t.q), t.rate)
	y := t.logOrLeast(t.choose(t.emitter, isFar(), load(t.q), ratio))
	return t.choose(t.emitter, isFar(), t.sub(y, load(t.margin)), y)
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
