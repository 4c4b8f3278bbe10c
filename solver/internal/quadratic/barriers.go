package quadratic

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/term"
)

// barriers are the bounds of the set X, each with a logarithmic barrier and a multiplier. On the path,
// s λ = τ for a bound at distance s with the multiplier λ, and θ (R² − |u|²) = τ for a ball of radius R
// with the multiplier θ. As for the rows of A (see smoothen), the curvatures come from Newton's method for
// these equations, with the present multipliers.
type barriers struct {
	term.Walls
	below, above []float64 // λ of the lower and the upper bounds; empty until the first step
	theta        float64
	// unpenalised marks the coordinates that occur in no row of A: only bounds may hold them.
	unpenalised []bool
}

func (w *barriers) forget() { w.below, w.above, w.theta = nil, nil, 0 }

// inset is the distance of the starting point from the boundary, relative to the size of the set, or to
// the typical size of the coordinate if a bound is infinite.
const inset = 1e-2

// moveInside moves u into the interior, away from the boundary. typical has the usual size of each
// coordinate.
func (w *barriers) moveInside(u, typical []float64) {
	for j, v := range u {
		switch {
		case w.Radius > 0:
		case w.Total > 0:
			u[j] = math.Max(v, inset*w.Total/float64(len(u)))
		case w.fixed(j):
			u[j] = w.Lower[j]
		default:
			lo, hi := w.Lower[j], w.Upper[j]
			width := float64(inset * math.Min(hi-lo, typical[j]+math.Abs(v)))
			u[j] = math.Max(lo+width, math.Min(v, hi-width))
		}
	}
	if norm := math.Sqrt(linalg.SumSquares(u)); w.Radius > 0 && norm > (1-inset)*w.Radius {
		linalg.Scale(u, (1-inset)*w.Radius/norm)
	}
	w.normalise(u)
}

// normalise scales u so that Σ u = Total, if the set fixes this sum.
func (w *barriers) normalise(u []float64) {
	if w.Total > 0 {
		linalg.Scale(u, w.Total/linalg.Sum(u))
	}
}

// fixed reports whether coordinate j has the same value in all points of the set.
func (w *barriers) fixed(j int) bool {
	return w.Lower != nil && w.Upper != nil && !(w.Upper[j] > w.Lower[j])
}

// terms counts the logarithms of the barrier.
func (w *barriers) terms() (count int) {
	for j := range w.Lower {
		if w.fixed(j) {
			continue
		}
		for _, end := range []float64{w.Lower[j], w.Upper[j]} {
			if !math.IsInf(end, 0) {
				count++
			}
		}
	}
	if w.Radius > 0 {
		count++
	}
	return count
}

// slack returns the distances of u from the bounds of coordinate j; they may be infinite.
func (w *barriers) slack(j int, u float64) (below, above float64) {
	return u - w.Lower[j], w.Upper[j] - u
}

// ballSlack returns R² − |u|².
func (w *barriers) ballSlack(u []float64) float64 {
	norm := math.Sqrt(linalg.SumSquares(u))
	return float64((w.Radius - norm) * (w.Radius + norm))
}

// value returns the barrier at u.
func (w *barriers) value(u []float64) (sum float64) {
	for j := range w.Lower {
		if w.fixed(j) {
			continue
		}
		below, above := w.slack(j, u[j])
		for _, s := range []float64{below, above} {
			if !math.IsInf(s, 0) {
				sum -= kernels.Log(s)
			}
		}
	}
	if w.Radius > 0 {
		sum -= kernels.Log(w.ballSlack(u))
	}
	return sum
}

// derivatives adds τ times the gradient of the barrier to g. The curvature of the barrier is a diagonal
// matrix plus outer u u': derivatives adds the diagonal to h and returns outer. For unpenalised
// coordinates, the multipliers are at least those on the path; otherwise the curvature could vanish
// along directions in which only bounds hold u.
func (w *barriers) derivatives(g, h, u []float64, tau float64) (outer float64) {
	if w.Lower != nil && len(w.below) != len(w.Lower) {
		w.below, w.above = make([]float64, len(w.Lower)), make([]float64, len(w.Lower))
	}
	for j := range w.Lower {
		if w.fixed(j) {
			continue
		}
		below, above := w.slack(j, u[j])
		if w.below[j] == 0 || w.unpenalised[j] {
			w.below[j] = math.Max(w.below[j], tau/below)
		}
		if w.above[j] == 0 || w.unpenalised[j] {
			w.above[j] = math.Max(w.above[j], tau/above)
		}
		g[j] += tau/above - tau/below
		h[j] += w.below[j]/below + w.above[j]/above
	}
	if w.Radius == 0 {
		return 0
	}
	slack := w.ballSlack(u)
	if w.theta == 0 {
		w.theta = tau / slack
	}
	w.theta = math.Max(w.theta, leastTheta*tau/slack)
	for j, v := range u {
		g[j] += float64(2 * tau / slack * v)
		h[j] += 2 * w.theta
	}
	return 4 * w.theta / slack
}

// updateMultipliers moves the multipliers to the end of a step from u, as far as they stay positive.
func (w *barriers) updateMultipliers(u, step []float64, tau float64) {
	for j := range w.Lower {
		if w.fixed(j) {
			continue
		}
		below, above := w.slack(j, u[j])
		w.below[j] = math.Max(boundaryFraction*w.below[j], (tau-float64(w.below[j]*step[j]))/below)
		w.above[j] = math.Max(boundaryFraction*w.above[j], (tau+float64(w.above[j]*step[j]))/above)
	}
	if w.Radius > 0 {
		along := kernels.Dot(u, step)
		w.theta = (tau + 2*float64(w.theta*along)) / w.ballSlack(u)
	}
}

// ballFraction is the part of the distance to the boundary of a ball that a step may take. Closer to the
// boundary, R² − |u|² would be far too small for θ.
const ballFraction = 0.9

// leastTheta is the least θ (R² − |u|²), as a part of τ.
const leastTheta = 0.01

// longest returns the longest step length, at most 1, for which the step stays in the set.
func (w *barriers) longest(u, step []float64) float64 {
	length := 1.0
	for j := range w.Lower {
		if !w.fixed(j) {
			below, above := w.slack(j, u[j])
			length = shorten(length, below, step[j])
			length = shorten(length, above, -step[j])
		}
	}
	if w.Radius == 0 {
		return length
	}
	// |u + s step| = R
	along, size := kernels.Dot(u, step), kernels.Dot(step, step)
	if size == 0 {
		return length
	}
	slack := w.ballSlack(u)
	root := math.Sqrt(math.FMA(along, along, float64(size*slack)))
	if along > 0 {
		return math.Min(length, ballFraction*slack/(root+along))
	}
	return math.Min(length, ballFraction*(root-along)/size)
}

// shorten returns the largest s ≤ length with at + s·step ≥ 0.
func shorten(length, at, step float64) float64 {
	if step < 0 && at < -step*length {
		return -at / step
	}
	return length
}

// snap moves a coordinate to a bound if only the barrier keeps it away from the bound: if the curvature
// of the barrier is larger than the given curvature of the coordinate. It does not move exact zeros of a
// box, nor coordinates without curvature.
func (w *barriers) snap(u, curvature []float64, tau float64) {
	largest := slices.Max(u)
	for j := range w.Lower {
		below, above := w.slack(j, u[j])
		least := math.Min(below, above)
		near := curvature[j] > 0 && float64(float64(least*least)*curvature[j]) < tau
		switch {
		case w.Total > 0 && u[j] == largest || u[j] == 0 || w.fixed(j) || !near:
		case below < above:
			u[j] = w.Lower[j]
		default:
			u[j] = w.Upper[j]
		}
		u[j] = math.Max(w.Lower[j], math.Min(u[j], w.Upper[j])) // exact zeros and ties may violate a bound
	}
	if w.Radius > 0 {
		norm := math.Sqrt(linalg.SumSquares(u))
		if gap := w.Radius - norm; norm > 0 && (gap < 0 || float64(gap*float64(gap*slices.Max(curvature))) < tau) {
			linalg.Scale(u, w.Radius/norm)
		}
	}
	w.normalise(u)
}
