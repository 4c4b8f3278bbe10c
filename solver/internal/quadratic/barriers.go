package quadratic

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/term"
)

// barriers are the bounds of the set X, each with a logarithmic barrier and a multiplier. On the
// central path, s λ = τ for a bound at distance s with the multiplier λ, and θ (R² − |u|²) = τ for
// a ball of radius R with the multiplier θ. As for the rows of A (see smoothen), the curvatures
// come from Newton's method for these equations, with the present multipliers.
type barriers struct {
	term.Walls
	below, above []float64 // λ of the lower and the upper bounds; empty until the first step
	theta        float64
	// unpenalised marks the coordinates that occur in no row of A. Only bounds limit them.
	unpenalised []bool
}

func (b *barriers) forget() { b.below, b.above, b.theta = nil, nil, 0 }

// inset is the distance of the starting point from the boundary, relative to the size of the set. If a
// bound is infinite, it is relative to the typical size of the coordinate plus its absolute value.
const inset = 1e-2

// moveInside moves u into the interior of the set, away from the boundary. typical has the typical
// size of each coordinate.
func (b *barriers) moveInside(u, typical []float64) {
	for j, v := range u {
		switch {
		case b.Radius > 0:
		case b.Total > 0:
			u[j] = math.Max(v, inset*b.Total/float64(len(u)))
		case b.fixed(j):
			u[j] = b.Lower[j]
		default:
			lo, hi := b.Lower[j], b.Upper[j]
			width := float64(inset * math.Min(hi-lo, typical[j]+math.Abs(v)))
			u[j] = math.Max(lo+width, math.Min(v, hi-width))
		}
	}
	if norm := math.Sqrt(linalg.SumSquares(u)); b.Radius > 0 && norm > (1-inset)*b.Radius {
		linalg.Scale(u, (1-inset)*b.Radius/norm)
	}
	b.normalise(u)
}

// normalise scales u so that Σ u = Total, if the set fixes this sum.
func (b *barriers) normalise(u []float64) {
	if b.Total > 0 {
		linalg.Scale(u, b.Total/linalg.Sum(u))
	}
}

// fixed reports whether coordinate j has the same value in all points of the set.
func (b *barriers) fixed(j int) bool {
	return b.Lower != nil && b.Upper != nil && !(b.Upper[j] > b.Lower[j])
}

// terms returns the number of logarithms in the barrier.
func (b *barriers) terms() (count int) {
	for j := range b.Lower {
		if b.fixed(j) {
			continue
		}
		for _, end := range []float64{b.Lower[j], b.Upper[j]} {
			if !math.IsInf(end, 0) {
				count++
			}
		}
	}
	if b.Radius > 0 {
		count++
	}
	return count
}

// slack returns the distances of the value u from the bounds of coordinate j; they may be infinite.
func (b *barriers) slack(j int, u float64) (below, above float64) {
	return u - b.Lower[j], b.Upper[j] - u
}

// ballSlack returns R² − |u|².
func (b *barriers) ballSlack(u []float64) float64 {
	norm := math.Sqrt(linalg.SumSquares(u))
	return float64((b.Radius - norm) * (b.Radius + norm))
}

// value returns the barrier at u: minus the sum of the logarithms of the slacks.
func (b *barriers) value(u []float64) (sum float64) {
	for j := range b.Lower {
		if b.fixed(j) {
			continue
		}
		below, above := b.slack(j, u[j])
		for _, s := range []float64{below, above} {
			if !math.IsInf(s, 0) {
				sum -= kernels.Log(s)
			}
		}
	}
	if b.Radius > 0 {
		sum -= kernels.Log(b.ballSlack(u))
	}
	return sum
}

// derivatives adds τ times the gradient of the barrier to g. The curvature of the barrier is a
// diagonal matrix plus outer u u': derivatives adds the diagonal to h and returns outer. For
// unpenalised coordinates, the multipliers are at least as large as on the central path; otherwise
// the curvature could vanish along directions in which only bounds limit u.
func (b *barriers) derivatives(g, h, u []float64, tau float64) (outer float64) {
	if b.Lower != nil && len(b.below) != len(b.Lower) {
		b.below, b.above = make([]float64, len(b.Lower)), make([]float64, len(b.Lower))
	}
	for j := range b.Lower {
		if b.fixed(j) {
			continue
		}
		below, above := b.slack(j, u[j])
		if b.below[j] == 0 || b.unpenalised[j] {
			b.below[j] = math.Max(b.below[j], tau/below)
		}
		if b.above[j] == 0 || b.unpenalised[j] {
			b.above[j] = math.Max(b.above[j], tau/above)
		}
		g[j] += tau/above - tau/below
		h[j] += b.below[j]/below + b.above[j]/above
	}
	if b.Radius == 0 {
		return 0
	}
	slack := b.ballSlack(u)
	if b.theta == 0 {
		b.theta = tau / slack
	}
	b.theta = math.Max(b.theta, leastTheta*tau/slack)
	for j, v := range u {
		g[j] += float64(2 * tau / slack * v)
		h[j] += 2 * b.theta
	}
	return 4 * b.theta / slack
}

// updateMultipliers moves the multipliers towards their values at the end of a step from u, as far
// as they stay positive.
func (b *barriers) updateMultipliers(u, step []float64, tau float64) {
	for j := range b.Lower {
		if b.fixed(j) {
			continue
		}
		below, above := b.slack(j, u[j])
		b.below[j] = math.Max(boundaryFraction*b.below[j], (tau-float64(b.below[j]*step[j]))/below)
		b.above[j] = math.Max(boundaryFraction*b.above[j], (tau+float64(b.above[j]*step[j]))/above)
	}
	if b.Radius > 0 {
		along := kernels.Dot(u, step)
		b.theta = (tau + 2*float64(b.theta*along)) / b.ballSlack(u)
	}
}

// ballFraction is the fraction of the distance to the boundary of a ball by which a step may move. If
// u came closer to the boundary, R² − |u|² would be too small compared with θ.
const ballFraction = 0.9

// leastTheta is the least θ (R² − |u|²), relative to τ.
const leastTheta = 0.01

// longest returns the longest step length, at most 1, for which the step stays in the set. For a
// ball, the length is at most ballFraction times that.
func (b *barriers) longest(u, step []float64) float64 {
	length := 1.0
	for j := range b.Lower {
		if !b.fixed(j) {
			below, above := b.slack(j, u[j])
			length = shorten(length, below, step[j])
			length = shorten(length, above, -step[j])
		}
	}
	if b.Radius == 0 {
		return length
	}
	// Find s > 0 with |u + s step| = R.
	along, size := kernels.Dot(u, step), kernels.Dot(step, step)
	if size == 0 {
		return length
	}
	slack := b.ballSlack(u)
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

// snap moves a coordinate to a bound if only the barrier keeps the coordinate away from the bound: if
// the curvature of the barrier is larger than the given curvature. It does not move coordinates that
// are zero or have no curvature, nor the largest one if Σ u is fixed. In the same way, it moves u to
// the boundary of a ball.
func (b *barriers) snap(u, curvature []float64, tau float64) {
	largest := slices.Max(u)
	for j := range b.Lower {
		below, above := b.slack(j, u[j])
		least := math.Min(below, above)
		near := curvature[j] > 0 && float64(float64(least*least)*curvature[j]) < tau
		switch {
		case b.Total > 0 && u[j] == largest || u[j] == 0 || b.fixed(j) || !near:
		case below < above:
			u[j] = b.Lower[j]
		default:
			u[j] = b.Upper[j]
		}
		// Making zeros and ties exact may have moved u beyond a bound.
		u[j] = math.Max(b.Lower[j], math.Min(u[j], b.Upper[j]))
	}
	if b.Radius > 0 {
		norm := math.Sqrt(linalg.SumSquares(u))
		if gap := b.Radius - norm; norm > 0 && (gap < 0 || float64(gap*float64(gap*slices.Max(curvature))) < tau) {
			linalg.Scale(u, b.Radius/norm)
		}
	}
	b.normalise(u)
}
