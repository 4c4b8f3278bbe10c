package newton

import "math"

// polishGap is the gap, as a part of P(0), from which on structures are tried.
const polishGap = 1e-3

// polishes reports whether the structure can be read off the iterate.
func (r *finish) polishes() bool {
	gap := math.Min(r.result.Gap, 2*r.tau*float64(len(r.path.z))) // on the central path
	return r.least == 0 && r.last.length > longStep && gap < polishGap*r.scale
}

// zeros returns which rows have v = 0. Their weights are about limit²/τ, those of the
// others τ/v²: where τ has fallen in the last step, the first have risen and the others
// have fallen (an indicator of Tapia 1980). Where it has not, √(w τ)/limit is compared,
// which is about 1 or τ/(limit |v|), with the middle of its range.
func (r *finish) zeros() []bool {
	p := r.path
	p.weigh()
	zero := make([]bool, len(p.z))
	tau := p.complementarity()
	if tau < 0.3*r.last.tau {
		for j, w := range p.w {
			zero[j] = w > r.last.weights[j]
		}
		return zero
	}
	size, least := make([]float64, len(zero)), 1.0
	for j, w := range p.w {
		size[j] = math.Sqrt(w*tau) / p.f.rows.Limit[j]
		least = math.Min(least, size[j])
	}
	for j, v := range size {
		zero[j] = v > math.Min(0.3, math.Sqrt(least))
	}
	return zero
}

// polishEarly tries the structure of the iterate before its Hessian is there, once.
func (r *finish) polishEarly() bool {
	if r.last.polished {
		return false
	}
	r.last.polished = true
	return r.polish(false)
}

// polish tries the structure of the iterate with the Hessian that is there, its own or that
// of the iterate before, and reports whether that closes the gap.
func (r *finish) polish(own bool) bool {
	p, f := r.path, r.f
	s := f.newPolisher(r.zeros(), p.pt.image, p.z, p.w)
	s.base, s.curve, s.best, s.tol, s.brief = p.base, p.curve, r.atBest.value, r.set.Tol, r.set.Brief
	s.tau, s.enough = r.floor(), r.boundAt-r.best.gap+r.exact.goal
	if r.exact.polished == nil {
		r.exact.polished = f.newPoint()
	}
	pt := r.exact.polished
	copy(pt.x, p.pt.x)
	ok := s.run(pt)
	if r.last.rested = s.rested; !ok || !own && !s.rested {
		return false
	}
	if !r.set.Brief || r.exacts() || !(r.gapAt(pt) <= r.exact.goal) {
		goal := math.Max(r.set.Tol, 1e-12*r.scale)
		if r.exacts() {
			goal = math.Min(goal, exactGap*r.scale)
			s.tau = math.Min(s.tau, 0.01*goal/float64(2*max(1, len(s.z))))
		}
		if r.exact.proof == nil {
			r.exact.proof = r.f.newDual()
		}
		if gap := s.certify(r.exact.proof, pt, goal); gap < r.gapAt(pt) {
			r.best, r.exact.proof = r.exact.proof, r.best
			r.boundAt = pt.value
		}
	}
	gap, other := r.gapAt(pt), r.gapAt(r.atBest)
	if !(gap <= r.set.Tol) && !(gap <= float64(other*(1+1e-6))+float64(1e-16*math.Abs(pt.value))) {
		r.result.Gap = math.Min(r.result.Gap, other)
		return false
	}
	r.atBest, r.exact.polished = pt, r.atBest
	r.result.Polished, r.result.Structure, r.result.Gap = true, s.part, gap
	return r.proves(gap)
}
