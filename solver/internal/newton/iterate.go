package newton

import "math"

// Where a loss is flat, as Huber's is at x = 0 if all labels are large, the Hessian can
// be singular. A part of a majorant's curvature keeps steps in bounds there; it is
// lowered while steps are long, and raised where they are not.
const firstSoft = 0.1

// lower returns the soft that follows a step of some length.
func lower(soft, length float64) float64 {
	if soft *= 0.03; length > longStep {
		soft *= 0.03
	}
	if soft > 1e-9 {
		return soft
	}
	return 0
}

// iterate does an iteration, and reports whether the method can go on.
func (r *finish) iterate() bool {
	p, f := r.path, r.f
	r.result.Iterations++
	r.pending = false
	r.trend.since++
	r.tau = p.complementarity()
	if r.polishes() && r.set.Brief && r.polishEarly() {
		return false
	}
	p.hessian()
	if r.polishes() && !(r.set.Brief && r.last.rested) && r.polish(true) {
		return false
	}
	if !p.prepare() {
		return false
	}
	goal, weight := p.predict(r.tau)
	d := f.system.norm(p.r)
	decrement := d * d / float64(max(1, len(p.z)))
	p.chooseCorrector(math.Max(goal, r.leastGoal(decrement)), weight)
	f.margins(r.step, p.corr.x)
	if scaling := r.try(r.step); scaling > r.set.Tol {
		r.tryCentral()
	}
	matters := r.matters(p.pt.value)
	proposed := matters && !r.defers()
	if proposed {
		r.propose()
	}
	length := r.descend(p.reach())
	if length < shortStep {
		// Back towards the central path, at the same τ.
		p.correct(r.tau, 0)
		f.margins(r.step, p.corr.x)
		length = r.descend(p.reach())
	}
	if r.cycles(decrement) {
		length = 0
	}
	r.advance(length)
	p.synchronise()
	if !proposed && (matters || r.last.length > 0 && r.matters(p.pt.value)) {
		if r.defers() && r.polishes() && r.polishEarly() {
			return false
		}
		r.propose()
		proposed = true
	}
	r.pending = r.last.length > 0 && !proposed
	r.note()
	return true
}

// defers reports whether the trial dual point waits for a polish, which proves more for
// the same time. It can where admitting it takes no factor.
func (r *finish) defers() bool {
	return r.set.Brief && r.exacts() && (r.f.held || r.f.Ridge > 0)
}

// advance takes the corrected direction, or a damped Newton step if it is too short.
func (r *finish) advance(length float64) {
	p := r.path
	r.last.polished = false
	copy(r.last.weights, p.w)
	r.last.tau, r.last.length = r.tau, length
	if length < shortStep {
		r.last.length = 0
		r.damped()
		p.soft = math.Min(1, math.Max(10*p.soft, 1e-4))
		return
	}
	p.move(length)
	r.f.visit(p.pt)
	if length > 0.5 {
		p.soft = lower(p.soft, length)
	}
}

// decrementPart is the part of the squared Newton decrement, spread over the rows,
// below which their complementarity does not fall.
const decrementPart = 0.1

// leastGoal is the complementarity below which there is no point in aiming. At one
// below floor, certificates gain less than a fiftieth of the tolerance, and |z| comes
// closer to its limit than rounding allows: scaling can be dear where φ* ends, as
// Huber's does. One that runs ahead of stationarity, of which r'H⁻¹r is the measure in
// units of the objective, leads to corners from which steps are short: a9a with the
// 291-edge graph takes 14 iterations without this, and 10 with it.
func (r *finish) leastGoal(decrement float64) float64 {
	return math.Max(math.Max(r.least, r.floor()), math.Min(r.tau, decrementPart*decrement))
}

// cycles reports whether the last step, which would have multiplied a quadratic's
// decrement by (1 − length)², has hardly lowered it, though that is what keeps the
// complementarity up: as Newton's method does on piecewise parabolas.
func (r *finish) cycles(decrement float64) bool {
	was, length := r.last.decrement, r.last.length
	r.last.decrement = decrement
	return length > 0 && decrement > (1-float64(0.5*length))*was && decrement > r.tau
}

// floor is the complementarity that costs a fiftieth of the tolerance.
func (r *finish) floor() float64 { return 0.02 * r.set.Tol / float64(2*max(1, len(r.path.z))) }

// try makes the full step the trial dual point, given X dx, and returns what scaling for
// |z| > limit costs.
func (r *finish) try(step []float64) (scaling float64) {
	p := r.path
	r.f.slopesAlong(r.trial.alpha, p.pt, p.curve, step)
	for j, dz := range p.corr.z {
		r.trial.z[j] = p.z[j] + dz
	}
	gap, scaling := r.expect(step)
	r.expected = p.pt.value - gap - scaling
	return scaling
}

// tryCentral tries a step to a complementarity that costs a part of the tolerance, where
// that of the method's own step is so small that z does not stay within its limits.
func (r *finish) tryCentral() {
	p, was := r.path, r.expected
	goal := math.Min(r.tau, 0.4*r.set.Tol/float64(max(1, len(p.z))))
	if goal < 0.1*r.tau || r.least > 0 {
		return
	}
	p.corr, p.other = p.other, p.corr
	p.correct(goal, 1)
	r.f.margins(r.margin, p.corr.x)
	r.try(r.margin)
	p.corr, p.other = p.other, p.corr
	if r.expected < was {
		r.try(r.step)
	}
}

// expect estimates the gap that the full step proves of the iterate, to second order
// and without rounding: half of the curvature along the step, what |z| < limit costs,
// and what scaling costs where |z| > limit.
func (r *finish) expect(step []float64) (gap, scaling float64) {
	p, f := r.path, r.f
	gap = f.Over(func(lo, hi int) (sum float64) {
		curve, coef := p.curve[lo:hi], f.Coef[lo:hi]
		for i, s := range step[lo:hi] {
			sum += float64(float64(coef[i]*curve[i]) * float64(s*s))
		}
		return sum / 2
	})
	shrink := 1.0
	for j, v := range p.pt.image {
		limit, z := f.rows.Limit[j], r.trial.z[j]
		if size := math.Abs(z); size > limit {
			shrink = math.Min(shrink, limit/size)
			z = math.Copysign(limit, z)
		}
		gap += float64(limit*math.Abs(v)) - float64(z*v)
	}
	if f.Ridge == 0 {
		scaling = (1 - shrink) * p.pt.value
	}
	return gap, scaling
}

// mattersFrom is how many times the tolerance an estimated gap may be for the proof to
// be worth its time: it takes about as long as the rest of an iteration.
const mattersFrom = 4

// matters reports whether the trial dual point may prove enough of a point whose
// objective is value. A step so long that the estimate is above the objective will not.
func (r *finish) matters(value float64) bool {
	return r.least == 0 && math.Abs(value-r.expected) <= float64(mattersFrom*r.set.Tol)+float64(1e-14*math.Abs(value))
}

// propose admits the trial dual point, and keeps it if it is the best.
func (r *finish) propose() {
	f, pt := r.f, r.path.pt
	expected := 2 * r.tau * float64(len(r.path.z))
	gap := f.admit(r.trial, pt, math.Max(expected, r.set.Tol))
	if gap < r.gapAt(pt) {
		r.best, r.trial = r.trial, r.best
		r.boundAt = pt.value
	}
}

// gapAt returns the gap of the point by the best dual point. Where it was computed
// before at another point, the difference of the objectives is added, unless that
// would cost digits: P is a sum with a relative error below 1e-13.
func (r *finish) gapAt(pt *point) float64 {
	known := r.best.gap
	if pt.value == r.boundAt {
		return known
	}
	if shifted := known + (pt.value - r.boundAt); shifted > 1e-9*math.Abs(pt.value) {
		return shifted + float64(1e-12*math.Abs(pt.value))
	}
	r.boundAt = pt.value
	return r.f.evaluate(r.best, pt)
}

// note judges the iterate.
func (r *finish) note() {
	f, pt, t := r.f, r.path.pt, &r.trend
	r.keep(pt)
	gap := r.gapAt(r.atBest)
	t.stalled++
	if gap < 0.7*t.gap || r.tau < 0.9*t.tau || t.value-r.atBest.value > math.Max(0.01*gap, 1e-14*r.scale) {
		t.stalled = 0
	}
	t.tau, t.gap, t.value, r.result.Gap = math.Min(t.tau, r.tau), gap, r.atBest.value, gap
	if r.set.Record != nil {
		r.set.Record(Progress{r.result.Iterations, r.atBest.x, r.atBest.value, gap, r.tau, r.last.length, f.system.lifted})
	}
}
