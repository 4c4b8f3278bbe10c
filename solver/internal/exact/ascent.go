package exact

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
)

// ascent is dual coordinate ascent (Hsieh and others 2008; Yu, Huang and Lin 2011) for problems with
// ridges and without limits. α is the dual point, with one number for each sample, and C is the diagonal
// matrix of the sample weights cᵢ. The ascent changes one αᵢ at a time, and x with it, so that
//
//	xⱼ = centreⱼ − (X'Cα)ⱼ / ridgeⱼ
//
// For features with a ridge, centreⱼ is 0. For features without a ridge, such as an intercept, ridgeⱼ is
// the mean of all positive ridges, and centreⱼ moves to xⱼ after each pass (the proximal point method).
type ascent struct {
	*memorySamples
	x, alpha     []float64
	inverseRidge []float64 // 1/ridgeⱼ
	centre       []float64
	noRidge      []int     // the features without a ridge
	marginFall   []float64 // by how much the margin of sample i falls if αᵢ grows by 1
	order        []int32   // the samples with a weight above 0, in the order of the last pass
	margin       []float64 // the margin of each sample at its last visit
	oldAlpha     []float64 // αᵢ before the last visit of sample i
	// For each sample: how many passes leave it out, and the number of its next pass.
	skips, nextPass []int
	budget          float64 // the ascent ends when visited exceeds budget
	passes          int     // number of passes, including those that leave samples out
	visited         float64 // number of entries visited so far, divided by the number of entries of the data
	equalRidges     bool    // all entries of inverseRidge are equal
	random          generator
	buffer          [1]float64 // an argument or result of the kernels that visit one sample
}

const (
	// Values of ascent.budget. mostPasses is for a loss with a continuous curvature, and the others are for a
	// loss whose curvature jumps: mostPassesManySamples with more samples than features, mostPassesOfJumps
	// otherwise. With more samples than features the dual objective is flat in many directions, and Newton
	// steps can be much faster.
	mostPasses, mostPassesManySamples, mostPassesOfJumps = 60, 200, 2000
	// A loss with a continuous curvature is minimised by an ascent only if the mean of ascent.marginFall is
	// at most mostMarginFall divided by the largest curvature of the loss.
	mostMarginFall = 25
	// An ascent whose estimated gap falls too slowly may end when ascent.visited is above this fraction of
	// ascent.budget.
	leastPart = 0.1
	// An ascent tries a proof when its estimated gap is at most a number, the aim. Each failed proof lowers
	// the aim. The ascent ends when the aim is below leastAim times the tolerance.
	leastAim = 1e-3
	// A sample whose αᵢ did not change is left out of 1 pass, then of 3, 7, … and at most mostSkips passes.
	mostSkips = 63
)

// newAscent returns an ascent at α = 0. It returns nil for a problem that ascent does not handle, or if
// Newton steps are expected to take less time.
func (s *Solver) newAscent() *ascent {
	m, ok := s.rows.(*memorySamples)
	if !ok || s.set.needsAll || s.Set != nil || m.dense != nil ||
		slices.ContainsFunc(s.limit, func(l float64) bool { return l > 0 }) {
		return nil
	}
	if all := allColumns(s.p); s.formedVisits(all, s.costOfForming(all)) <= leastVisits {
		return nil
	}
	a := &ascent{
		memorySamples: m, x: s.x, alpha: m.alpha, random: 1,
		inverseRidge: make([]float64, s.p), centre: make([]float64, s.p), skips: make([]int, m.n),
		nextPass:   make([]int, m.n),
		marginFall: m.next.margin, margin: m.current.margin, oldAlpha: m.next.slope,
	}
	var sum, largest float64
	for _, r := range s.ridge {
		sum, largest = sum+r, max(largest, r)
	}
	if sum == 0 {
		return nil
	}
	a.equalRidges = true
	for j, r := range s.ridge {
		if r == 0 {
			a.noRidge = append(a.noRidge, j)
		}
		a.inverseRidge[j] = 1 / r
		a.equalRidges = a.equalRidges && (r == 0 || r == largest)
	}
	meanRidge := sum / float64(s.p-len(a.noRidge))
	if a.equalRidges {
		meanRidge = largest // without a rounding error
	}
	for _, j := range a.noRidge {
		a.inverseRidge[j] = 1 / meanRidge
	}
	if math.IsInf(slices.Max(a.inverseRidge), 1) {
		return nil
	}
	sum = 0
	for i := range m.n {
		idx, val := m.Data.Row(i)
		square := 0.0
		for k, j := range idx {
			square += float64(float64(val[k]*val[k]) * a.inverseRidge[j])
		}
		a.marginFall[i] = float64(m.MeanWeights[i] * square)
		sum += a.marginFall[i]
		if m.MeanWeights[i] > 0 {
			a.order = append(a.order, int32(i))
		}
	}
	if !(sum <= math.MaxFloat64) {
		return nil
	}
	smooth := s.Loss.Traits().ContinuousCurvature
	if smooth && !(float64(sum*s.Loss.Curvature()) <= mostMarginFall*float64(m.n)) {
		return nil
	}
	switch {
	case smooth:
		a.budget = mostPasses
	case m.n > s.p:
		a.budget = mostPassesManySamples
	default:
		a.budget = mostPassesOfJumps
	}
	m.modelStep = nil
	for _, v := range [][]float64{a.x, a.alpha, a.margin, a.oldAlpha} {
		clear(v)
	}
	return a
}

// pass visits the samples that are due, in a random order, and changes their αᵢ. It returns an estimate of
// the gap that x and α prove: the sum of cᵢ [φ(tᵢ) + φ*(αᵢ) − αᵢtᵢ], with the margin tᵢ and the αᵢ that
// sample i had at the start of its last visit.
func (a *ascent) pass() float64 {
	for k := len(a.order) - 1; k > 0; k-- {
		other := a.random.intN(k + 1)
		a.order[k], a.order[other] = a.order[other], a.order[k]
	}
	visited := 0
	for _, i := range a.order {
		if a.nextPass[i] > a.passes {
			continue
		}
		visited += int(a.Rows.Ptr[i+1] - a.Rows.Ptr[i])
		skips := 0
		if !a.change(int(i)) {
			skips = min(2*a.skips[i]+1, mostSkips)
		}
		a.skips[i], a.nextPass[i] = skips, a.passes+1+skips
	}
	a.passes++
	a.visited += float64(visited) / float64(a.Rows.Ptr[a.n])
	for _, j := range a.noRidge {
		x := a.x[j]
		a.centre[j], a.x[j] = x, 2*x-a.centre[j]
	}
	return a.Loss.Fenchel(a.oldAlpha, a.margin, a.Labels, a.MeanWeights)
}

// change maximises the dual objective over αᵢ, and reports whether αᵢ changed. The new αᵢ is φ'(t) at
// the margin t for which
//
//	t + marginFallᵢ φ'(t) = u,
//
// where u is the margin for αᵢ = 0. change finds t by Newton steps. A bisection replaces a step
// that leaves the interval in which t must be.
func (a *ascent) change(i int) bool {
	kernels.Margins(a.buffer[:], a.Rows.Row(i), a.x)
	t := a.buffer[0]
	if a.Offset != nil {
		t += a.Offset[i]
	}
	oldAlpha, fall, label := a.alpha[i], a.marginFall[i], a.Labels[i]
	slope := a.Loss.Slope(t, label)
	a.margin[i], a.oldAlpha[i] = t, oldAlpha
	u := t + float64(fall*oldAlpha)
	lower, upper := u-float64(fall*a.hi[i]), u-float64(fall*a.lo[i])
	firstExcess := math.Abs(float64(fall * (slope - oldAlpha)))
	for range scalarSteps {
		excess := float64(fall*slope) + t - u
		if math.Abs(excess) <= scalarPart*firstExcess {
			break
		}
		if excess > 0 {
			upper = min(upper, t)
		} else {
			lower = max(lower, t)
		}
		t -= excess / (float64(fall*a.Loss.SecondDerivative(t, slope, label)) + 1)
		if !(t > lower && t < upper) {
			t = lower + float64(0.5*(upper-lower))
		}
		slope = a.Loss.Slope(t, label)
	}
	slope = max(a.lo[i], min(slope, a.hi[i]))
	a.alpha[i] = slope
	change := float64(a.MeanWeights[i] * (slope - oldAlpha))
	if change == 0 {
		return false
	}
	if a.equalRidges {
		a.buffer[0] = -change * a.inverseRidge[0]
		kernels.Gradient(a.x, a.Rows.Row(i), a.buffer[:])
		return true
	}
	idx, val := a.Data.Row(i)
	for k, j := range idx {
		a.x[j] -= float64(float64(change*val[k]) * a.inverseRidge[j])
	}
	return true
}

const (
	scalarSteps = 20 // largest number of Newton steps in a call of the method change
	// The method change ends when the residual of its equation is at most this fraction of the first
	// residual.
	scalarPart = 1e-3
)

// ascend minimises the objective by dual coordinate ascent, and then tries to prove a gap of at most tol. It
// does nothing if newAscent returns nil.
func (s *Solver) ascend(r *Result, set *Settings, tol float64) {
	a := s.newAscent()
	if a == nil {
		return
	}
	var gaps, visited []float64 // the estimated gap and a.visited after each pass
	aim := 0.5 * tol            // the estimated gap at which a proof is tried
	for k := 0; ; k++ {
		if set.Interrupt != nil {
			r.Err = set.Interrupt()
			if r.Err != nil {
				// The last proof was for another point. Solve computes the objective again.
				s.work.started, r.Gap = false, math.Inf(1)
				return
			}
		}
		r.Iterations++
		gaps, visited = append(gaps, a.pass()), append(visited, a.visited)
		// If the aim is very small, proofs fail because of rounding. Then the ascent ends.
		slow := a.visited > a.budget || aim < leastAim*tol
		if !slow && a.visited > leastPart*a.budget { // extrapolate the gaps of the second half of the passes
			rate := kernels.Log(gaps[k/2]/gaps[k]) / (visited[k] - visited[k/2])
			slow = kernels.Log(gaps[k]/aim) > float64(rate*(a.budget-visited[k]))
		}
		if gaps[k] > aim && !slow {
			continue
		}
		s.visit()
		s.current.value = s.model.value(s.current.loss)
		a.tally()
		r.Proofs++
		r.Gap = s.proveGap(tol)
		if r.Gap <= tol || slow {
			return
		}
		aim *= 0.25
	}
}
