package newton

import (
	"math"

	"github.com/scas-admm/scas/kernels"
)

const (
	shortStep = 0.1 // a step shorter than this is replaced by a damped Newton step
	maxHalves = 40
)

// descend shortens a step of the given length until the smoothed objective at the
// present τ is not larger than at the iterate, or than the central path allows: the
// predictor-corrector's model of the loss is quadratic, and far from the solution its
// steps may lead astray.
func (r *finish) descend(length float64) float64 {
	p, f := r.path, r.f
	at := r.smoothed(p.pt.loss, p.pt.image, p.pt.x)
	allowed := at + float64(r.tau*float64(len(p.z))) + float64(1e-14*math.Abs(at))
	x, v := make([]float64, f.p), make([]float64, len(p.z))
	for ; length >= shortStep; length /= 2 {
		if r.along(x, v, length) <= allowed {
			break
		}
	}
	return length
}

// smoothed returns f(x) + Σ min over t of limit t − τ log(t² − v²), given the loss.
func (r *finish) smoothed(loss float64, v, x []float64) float64 {
	return r.f.smoothValue(loss, x) + r.f.rows.smoothed(v, r.tau)
}

// damped takes Newton's step for the smoothed objective at the present τ, halved until
// that decreases (Armijo), and puts slacks and multipliers on the central path there.
// It converges from anywhere, but slowly where the decrement is large against τ l,
// what the path allows: then τ is raised to match it.
func (r *finish) damped() {
	p, f := r.path, r.f
	r.result.Damped++
	l := f.rows.Len()
	z, h := make([]float64, l), make([]float64, l)
	f.rows.smooth(z, h, p.pt.image, r.tau)
	g, d := p.corr.rhs, p.corr.x
	copy(g, p.pt.grad)
	f.rows.AddTrans(g, z)
	for j, v := range g {
		g[j] = -v
	}
	copy(f.system.h, p.base)
	f.rows.addGram(f.system.h, h)
	if f.system.factor() {
		f.system.solve(d, g)
		f.margins(r.step, d)
		f.rows.Mul(p.corr.v, d)
		rate := kernels.Dot(g, d)
		r.search(rate)
		if l > 0 {
			r.tau = math.Min(r.firstTau, math.Max(r.tau, 0.5*rate/float64(l)))
			r.trend.tau = math.Inf(1)
		}
	}
	f.visit(p.pt)
	p.center(r.tau)
}

// search moves the point along p.corr.x as far as the smoothed objective, which falls
// by the given rate at first, decreases enough.
func (r *finish) search(rate float64) {
	p, f := r.path, r.f
	at := r.smoothed(p.pt.loss, p.pt.image, p.pt.x)
	x, v := make([]float64, f.p), make([]float64, len(p.z))
	for size, k := 1.0, 0; k < maxHalves; size, k = size/2, k+1 {
		if r.along(x, v, size) <= at-float64(0.1*size*rate)+float64(4e-16*math.Abs(at)) {
			copy(p.pt.x, x)
			return
		}
	}
}

// along sets r.margin, x and v = A x to the point so far along the step, and returns
// the smoothed objective there.
func (r *finish) along(x, v []float64, length float64) float64 {
	p := r.path
	copy(x, p.pt.x)
	copy(v, p.pt.image)
	add(x, p.corr.x, length)
	add(v, p.corr.v, length)
	loss := r.f.Over(func(lo, hi int) float64 {
		copy(r.margin[lo:hi], p.pt.margin[lo:hi])
		add(r.margin[lo:hi], r.step[lo:hi], length)
		return r.f.MeanOf(r.f.Loss, nil, r.margin[lo:hi], r.f.Labels[lo:hi], lo)
	})
	return r.smoothed(loss, v, x)
}
