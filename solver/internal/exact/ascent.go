package exact

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
)

// ascent is dual coordinate ascent (Hsieh and others 2008; Yu, Huang and Lin 2011) for problems that have
// ridges and no limits. It changes one αᵢ after the other. The points x and α belong together:
//
//	xⱼ = centreⱼ − (X'Cα)ⱼ / ridgeⱼ
//
// For features with a ridge, centreⱼ is 0. A feature without a ridge, such as an intercept, gets the
// term (ridgeⱼ/2)(xⱼ − centreⱼ)², and after each pass centreⱼ moves to xⱼ (the proximal point method).
//
// A pass over the samples takes as long as two visits of the rows, and needs neither X' nor a Hessian.
type ascent struct {
	*memory
	x, alpha      []float64
	inverse       []float64 // 1/ridgeⱼ
	centre        []float64
	loose         []int     // the features without a ridge
	stiff         []float64 // cᵢ Σⱼ xᵢⱼ²/ridgeⱼ: the fall of sample i's margin if αᵢ grows by 1
	order         []int32   // the samples whose weight is not 0, in the order of the pass
	margin, slope []float64 // the margin and slope of each sample before its last change
	before        []float64 // αᵢ of each sample before its last change
	random        uint64    // state of the random generator that draws orders
}

const (
	mostPasses = 60 // largest number of passes; Newton steps take less time than more passes
	// An ascent is tried if the mean of stiffᵢ times the largest curvature is at most this. If the mean
	// is larger, a change of one αᵢ undoes what earlier changes have reached.
	mostStiff  = 25
	ratePasses = 3 // number of passes from which the rate of convergence is estimated
)

// newAscent returns an ascent at α = 0, or nil if Newton steps are expected to take less time.
func (s *Solver) newAscent() *ascent {
	m, ok := s.rows.(*memory)
	if !ok || s.coupled != nil || s.summary.cheap || s.Set != nil || m.dense != nil || s.formed(all(s.p)) ||
		slices.ContainsFunc(s.limit, func(l float64) bool { return l > 0 }) {
		return nil
	}
	a := &ascent{
		memory: m, x: s.x, alpha: m.alpha, random: 1,
		inverse: make([]float64, s.p), centre: make([]float64, s.p),
		stiff: m.next.margin, margin: m.at.margin, slope: m.at.slope, before: m.next.slope,
	}
	var sum float64
	for j, r := range s.ridge {
		sum += r
		if r == 0 {
			a.loose = append(a.loose, j)
		}
		a.inverse[j] = 1 / r
	}
	if sum == 0 {
		return nil
	}
	for _, j := range a.loose {
		a.inverse[j] = float64(s.p-len(a.loose)) / sum
	}
	sum = 0
	for i := range m.n {
		idx, val := m.Data.Row(i)
		square := 0.0
		for k, j := range idx {
			square += float64(float64(val[k]*val[k]) * a.inverse[j])
		}
		a.stiff[i] = float64(m.Coef[i] * square)
		sum += a.stiff[i]
		if m.Coef[i] > 0 {
			a.order = append(a.order, int32(i))
		}
	}
	if !(float64(sum*s.Loss.Curvature()) <= mostStiff*float64(m.n)) {
		return nil
	}
	for _, v := range [][]float64{a.x, a.alpha, a.margin, a.slope, a.before} {
		clear(v)
	}
	return a
}

// pass changes each αᵢ once, in a random order. It returns an estimate of the gap that x and α prove: the
// sum of the Fenchel terms of the samples, each with its margin and αᵢ before the change.
func (a *ascent) pass() float64 {
	for k := len(a.order) - 1; k > 0; k-- {
		a.random = a.random*6364136223846793005 + 1442695040888963407
		other := int((a.random >> 33) % uint64(k+1))
		a.order[k], a.order[other] = a.order[other], a.order[k]
	}
	for _, i := range a.order {
		a.change(int(i))
	}
	for _, j := range a.loose {
		x := a.x[j]
		a.centre[j], a.x[j] = x, 2*x-a.centre[j]
	}
	return a.Loss.Fenchel(a.before, a.slope, a.margin, a.Labels, a.Coef)
}

// change maximises the dual objective over αᵢ. The new αᵢ is φ'(t) at the margin t for which
//
//	t + stiffᵢ φ'(t) = u,
//
// where u is the margin for αᵢ = 0. The left side increases with t.
func (a *ascent) change(i int) {
	idx, val := a.Data.Row(i)
	t := 0.0
	for k, j := range idx {
		t += float64(val[k] * a.x[j])
	}
	if a.Offset != nil {
		t += a.Offset[i]
	}
	was, stiff, label := a.alpha[i], a.stiff[i], a.Labels[i]
	slope := a.Loss.Slope(t, label)
	a.margin[i], a.slope[i], a.before[i] = t, slope, was
	u := t + float64(stiff*was)
	least, most := u-float64(stiff*a.hi[i]), u-float64(stiff*a.lo[i])
	first := math.Abs(float64(stiff * (slope - was)))
	for range scalarSteps {
		excess := float64(stiff*slope) + t - u
		if math.Abs(excess) <= scalarPart*first {
			break
		}
		if excess > 0 {
			most = min(most, t)
		} else {
			least = max(least, t)
		}
		t -= excess / (float64(stiff*a.Loss.SecondDerivative(t, slope, label)) + 1)
		if !(t > least && t < most) {
			t = least + float64(0.5*(most-least))
		}
		slope = a.Loss.Slope(t, label)
	}
	slope = max(a.lo[i], min(slope, a.hi[i])) // [lo, hi] is [0, 0] for separated samples
	a.alpha[i] = slope
	by := float64(a.Coef[i] * (slope - was))
	if by == 0 {
		return
	}
	for k, j := range idx {
		a.x[j] -= float64(float64(by*val[k]) * a.inverse[j])
	}
}

const (
	scalarSteps = 20   // largest number of Newton steps for one sample
	scalarPart  = 1e-3 // a sample's steps end if they leave at most this fraction of the first violation
)

// ascend moves the point to the end of an ascent, adds the passes to r.Iterations, and sets r.Gap to the gap
// that is proved there. It does nothing if Newton steps are expected to take less time.
func (s *Solver) ascend(r *Result, set *Settings, tol float64) {
	a := s.newAscent()
	if a == nil {
		return
	}
	var gaps []float64
	aim := 0.5 * tol
	for k := range mostPasses {
		if set.Interrupt != nil {
			if r.Err = set.Interrupt(); r.Err != nil {
				return
			}
		}
		r.Iterations++
		gaps = append(gaps, a.pass())
		slow := k == mostPasses-1
		if k >= ratePasses {
			rate := kernels.Log(gaps[k-ratePasses]/gaps[k]) / ratePasses
			slow = slow || kernels.Log(gaps[k]/aim) > rate*float64(mostPasses-k)
		}
		if gaps[k] > aim && !slow {
			continue
		}
		s.visit()
		a.transposed(s.e, a.alpha)
		s.at.value = s.value(s.at.loss)
		a.tally()
		r.Proofs++
		if r.Gap = s.proveGap(tol); r.Gap <= tol || slow {
			return
		}
		aim *= 0.25
	}
}
