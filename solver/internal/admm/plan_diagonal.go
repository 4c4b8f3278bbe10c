package admm

import (
	"fmt"
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
)

// A lazyPlan needs a matrix K (see Plan) that is a multiple of I. It is faster than an elementPlan if
// the number of features is above lazyRatio times the mean number of nonzeros of a row.
const lazyRatio = 6

// A decayPlan needs only a diagonal matrix K (see Plan). It is used in place of an elementPlan if the number
// of features is above decayOffset plus decaySlope times the mean number of nonzeros of a row. The rule is
// rough: with 14, 75 and 430 nonzeros, BenchmarkDiagonal shows that a decayPlan is faster above about 450,
// 1,350 and 2,550 features.
const decayOffset, decaySlope = 300, 5

// diagonalOfK returns the diagonal of the matrix K of Plan, or nil if K is not diagonal.
func (l *InnerLoop) diagonalOfK() []float64 {
	if l.Kappa > 0 {
		return slices.Repeat([]float64{l.Kappa + l.Ridge}, l.features())
	}
	k, ok := l.A.Diagonal()
	if !ok {
		return nil
	}
	for j, v := range k {
		k[j] = math.FMA(l.Rho, v, l.Ridge)
	}
	return k
}

// newDiagonalPlan returns the fastest plan if the matrix K of Plan is diagonal. k is its diagonal.
func newDiagonalPlan(l *InnerLoop, k []float64) Plan {
	p, base := len(k), newDiagonalBase(l, k)
	kappa, scalarReason, diagonalReason := k[0], "A'A is a multiple of the identity", "A'A is diagonal"
	if l.Kappa > 0 {
		scalarReason, diagonalReason = "the penalty is linearised", "the penalty is linearised"
	}
	scalar := !slices.ContainsFunc(k, func(v float64) bool { return v != kappa })
	switch unconstrained := l.Set == nil; {
	case unconstrained && scalar && float64(p) > lazyRatio*l.nonzerosPerRow():
		base.reason = fmt.Sprintf("%s: %.3g nonzeros a step instead of %d features",
			scalarReason, l.nonzerosPerRow(), p)
		plan := newLazy(base)
		return guardPlan(l, plan, plan.fits)
	case unconstrained && float64(p) > decayOffset+float64(decaySlope*l.nonzerosPerRow()):
		base.reason = fmt.Sprintf("%s: %.3g nonzeros a step instead of %d features",
			diagonalReason, l.nonzerosPerRow(), p)
		plan := newDecay(base)
		return guardPlan(l, plan, plan.fits)
	case unconstrained:
		base.reason = fmt.Sprintf("%s and %d features are few", diagonalReason, p)
		plan := &elementPlan{diagonalBase: base, h: make([]float64, p)}
		return guardPlan(l, plan, plan.fits)
	case l.bounds.Lower != nil:
		base.reason = diagonalReason + "; a box needs every coordinate"
		return &boxPlan{newSummedBase(base)}
	case l.bounds.Radius > 0 && scalar:
		base.reason = scalarReason + ": the ball through a tracked norm"
		plan := newBall(base)
		return guardPlan(l, plan, plan.fits)
	}
	return newDense(l, "a step for every coordinate: no fused inner loop for this domain")
}

// diagonalBase holds the fields that the plans for diagonal K share.
type diagonalBase struct {
	*InnerLoop
	reason    string
	k         []float64 // diagonal of K (see Plan)
	c, e      []float64 // 1 − η k and −η d
	w         []float64 // the current point
	x, d      []float64 // the start of the round, and the constant part of the gradient (see Plan)
	eta       float64
	stepCount int // number of steps so far in the round
}

func newDiagonalBase(l *InnerLoop, k []float64) diagonalBase {
	return diagonalBase{
		InnerLoop: l, k: k, c: make([]float64, len(k)), e: make([]float64, len(k)),
		w: make([]float64, len(k)),
	}
}

func (d *diagonalBase) Reason() string { return d.reason }
func (*diagonalBase) BatchSize() int   { return 1 }

func (d *diagonalBase) Begin(x, constant []float64, eta float64) {
	d.x, d.d, d.eta, d.stepCount = x, constant, eta, 0
	copy(d.w, x)
	for j, k := range d.k {
		d.c[j] = math.FMA(-eta, k, 1)
		d.e[j] = -(eta * constant[j])
	}
}

// elementPlan is a plan that updates all of w in each step. The function telescope computes the sum of the
// iterates.
type elementPlan struct {
	diagonalBase
	h []float64 // sum of the multiples of rows that the steps have added to w
}

func (*elementPlan) Name() string { return "diagonal" }

func (p *elementPlan) fits(eta float64) bool { return p.canTelescope(eta, p.k) }

func (p *elementPlan) Begin(x, d []float64, eta float64) {
	p.diagonalBase.Begin(x, d, eta)
	clear(p.h)
}

func (p *elementPlan) Advance(sampled []int32) {
	s := p.kernelSteps(p.eta)
	kernels.InnerDense(p.w, p.h, p.c, p.e, &s, sampled)
	p.stepCount += len(sampled)
}

func (p *elementPlan) End(sum, endpoint []float64) {
	telescope(sum, p.x, p.w, p.c, p.e, p.h, p.stepCount)
	copy(endpoint, p.w)
}

// summedBase is the base of plans whose steps add their iterate to a sum.
type summedBase struct {
	diagonalBase
	sum []float64 // sum of the iterates
}

func newSummedBase(base diagonalBase) summedBase {
	return summedBase{base, make([]float64, len(base.k))}
}

func (p *summedBase) Begin(x, d []float64, eta float64) {
	p.diagonalBase.Begin(x, d, eta)
	clear(p.sum)
}

func (p *summedBase) End(sum, endpoint []float64) {
	copy(sum, p.sum)
	copy(endpoint, p.w)
}

// boxPlan is a plan for a domain that is a box. It updates and clips all of w in each step.
type boxPlan struct{ summedBase }

func (*boxPlan) Name() string { return "diagonal-box" }

func (p *boxPlan) Advance(sampled []int32) {
	s := p.kernelSteps(p.eta)
	kernels.InnerBox(p.w, p.sum, p.c, p.e, p.bounds.Lower, p.bounds.Upper, &s, sampled)
}
