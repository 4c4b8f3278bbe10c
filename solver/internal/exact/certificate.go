package exact

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/solver/internal/newton"
)

const unit = 0x1p-53 // a rounding

// certify returns a bound of P(x) − P*, by alpha or by 0, and leaves X'C alpha in e. Where
// rounding may be what keeps it above tol, e is computed again with compensation.
func (s *Solver) certify(tol float64) float64 {
	s.Transposed(s.e, s.Rows, s.work.alpha)
	s.rounding()
	gap := s.bound(tol)
	if gap > tol && s.rounded(tol) {
		s.carefully()
		gap = math.Min(gap, s.bound(tol))
	}
	// The dual point 0, at which φ* is 0, proves P(x) itself.
	return math.Min(gap, float64(s.at.value*(1+1e-11))+s.marginError(s.at.loss))
}

// rounded reports whether the bounds of rounding alone may cost the gap more than tol:
// the part of the limits that they are scales all of it.
func (s *Solver) rounded(tol float64) bool {
	var part, square float64
	for j, off := range s.work.dual {
		switch l, r := s.limit[j], s.ridge[j]; {
		case r > 0:
			square += float64(off*off) / r
		case l > 0:
			part = max(part, off/l)
		default:
			part = max(part, newton.Steep*off)
		}
	}
	return float64(part*s.at.value)+square > 0.1*tol
}

// bound returns the gap, given e and the bounds of its errors.
func (s *Solver) bound(tol float64) float64 {
	drift, ok := s.drift()
	if !ok {
		return math.Inf(1)
	}
	tau := 1.0
	for j, l := range s.limit {
		if l == 0 || s.ridge[j] > 0 {
			continue
		}
		if reach := s.pull(j) + s.off(j, drift); reach > l {
			tau = math.Min(tau, l/reach)
		}
	}
	if tau < 1 {
		tau = math.Max(0, tau-4*unit)
	}
	return s.gap(tau, drift, 0.1*tol)
}

// carefully computes e as if in twice the precision and then rounded (Dot2 of Ogita,
// Rump, Oishi 2005).
func (s *Solver) carefully() {
	head, tail := make([]float64, s.p), make([]float64, s.p)
	var size float64
	for i := range s.n {
		a := s.work.alpha[i]
		g := a * s.Coef[i]
		size += math.Abs(g * a)
		idx, val := s.Data.Row(i)
		for k, j := range idx {
			product := float64(g * val[k])
			sum := head[j] + product
			part := sum - head[j]
			tail[j] += ((head[j] - (sum - part)) + (product - part)) + math.FMA(g, val[k], -product)
			head[j] = sum
		}
	}
	size = math.Sqrt(s.Team.Total(size)) * (1 + 1e-9)
	s.Team.Pairs(head, tail)
	tiny := 0x1p-80 * math.Max(1, float64(s.All.Samples)/(1<<24))
	for j := range s.e {
		s.e[j] = head[j] + tail[j]
		s.work.dual[j] = float64(2*unit*math.Abs(s.e[j])) + float64(tiny*size*s.facts.norm[j])
	}
}

// rounding sets work.dual to bounds of what rounding did to e: a sum of k products is
// off by that many roundings and a few of Σ |cᵢαᵢx_ij| ≤ |α|_C |x_j|_C at most.
func (s *Solver) rounding() {
	var size float64
	for i, a := range s.work.alpha {
		size += float64(s.Coef[i] * float64(a*a))
	}
	size = math.Sqrt(s.Team.Total(size)) * (1 + 1e-9)
	chunks := float64(2 * s.All.Runs)
	for j, k := range s.facts.entries {
		s.work.dual[j] = float64(float64((k+chunks+8)*unit*size) * s.facts.norm[j])
	}
}

// off bounds how far the stored e is from that of the exact dual point: rounding, and
// the correction for free features, |X_j'CΦX_F d| ≤ √2 |x_j|_C drift as φ” ≤ 2.
func (s *Solver) off(j int, drift float64) float64 {
	return s.work.dual[j] + float64(1.5*s.facts.norm[j]*drift)
}

// ofFree returns the columns of the free features whose equalities need a correction.
func (s *Solver) ofFree() *newton.Free {
	if s.facts.ofFree == nil {
		columns := slices.Clone(s.facts.free)
		if apart := s.facts.apart; apart != nil {
			columns = slices.DeleteFunc(columns, func(j int32) bool { return apart.Columns[j] })
		}
		s.facts.ofFree = newton.NewFree(s.Team, s.Data, columns)
	}
	return s.facts.ofFree
}

// drift bounds √(d'H d) of the correction that closes the equalities of free features,
// and reports whether it leaves alpha in the domain of φ*.
func (s *Solver) drift() (float64, bool) {
	if len(s.facts.free) == 0 {
		return 0, true
	}
	phi := s.Scratch
	for i, c := range s.work.curve {
		phi[i] = float64(s.Coef[i] * newton.Phi(c, s.work.alpha[i], s.work.lo[i], s.work.hi[i]))
	}
	return s.ofFree().Drift(phi, s.e, s.work.dual, s.facts.largest)
}

// scaled bounds the Fenchel terms of tau times alpha: they are convex, and with α = 0 no
// more than the loss, as φ*(0) = −min φ = 0. Where that adds more than idle they are
// computed.
func (s *Solver) scaled(tau, idle float64) float64 {
	if lost := (1 - tau) * s.at.loss; lost <= idle {
		return s.work.fenchel + float64(lost*(1+1e-9))
	}
	alpha := s.next.slope // free until the next step
	for i, a := range s.work.alpha {
		alpha[i] = tau * a
	}
	return s.fenchel(alpha, &s.at)
}

// feature returns the part of a feature in the gap, and in the penalty twice the ridge's.
func (s *Solver) feature(j int, tau, drift float64) (gap, penalty float64) {
	x, l, r := s.x[j], s.limit[j], s.ridge[j]
	if l == 0 && r == 0 || x == 0 && r == 0 {
		return 0, 0
	}
	e, off := tau*s.e[j], s.off(j, drift)
	if r > 0 {
		smooth := math.FMA(r, x, e)
		z := math.Min(-smooth, l)
		if !s.Nonnegative {
			z = math.Max(-l, z)
		}
		rest := math.Abs(smooth+z) + off
		gap = float64(rest*rest) / (2 * r)
		e, off = -z, 0
	}
	u := math.Abs(x)
	gap += math.Max(0, float64(l*u)+float64(e*x)) + float64(off*u)
	return gap, float64(l*u) + float64(r*float64(u*u))
}

// gap returns a bound of P − D at the point by tau times alpha; idle is what it may be
// too large by to save work.
func (s *Solver) gap(tau, drift, idle float64) float64 {
	fenchel := s.work.fenchel
	if tau < 1 {
		fenchel = s.scaled(tau, idle)
	}
	gap, penalty := fenchel, 0.0
	each := func(j int) {
		more, part := s.feature(j, tau, drift)
		gap += more
		penalty += part
	}
	if s.facts.ridge {
		for j := range s.x {
			each(j)
		}
	} else { // only those that are not zero count
		for _, j := range s.set.cols {
			each(int(j))
		}
	}
	gap += newton.FreeCost(drift, fenchel)
	gap += s.marginError(fenchel) + float64(8*unit*penalty)
	if gap *= 1 + 1e-11; math.IsNaN(gap) {
		return math.Inf(1)
	}
	return gap
}

// marginError bounds how much the rounding of margins changes F, the sum of the Fenchel
// terms. It has the terms of first and second order in the rounding. The derivative of a
// Fenchel term is φ'(t) − α, whose mean size is about √(2 φ” F), with φ” ≤ 2.
func (s *Solver) marginError(fenchel float64) float64 {
	size := 0.0
	for j, x := range s.x {
		size += float64(s.facts.largest[j] * math.Abs(x))
	}
	terms := float64(32 + len(s.set.cols)/2)
	size = float64(terms*size) + float64(4*s.facts.offset)
	first, second := float64(unit*(float64(4*terms)+size)), float64(unit*size)
	return float64(first*math.Sqrt(fenchel)) + float64(second*second)
}
