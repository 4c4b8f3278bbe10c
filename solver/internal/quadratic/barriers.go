package quadratic

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/term"
)

// barriers are the bounds of the set X of a Coupled. In the smooth problem (see Coupled), each bound becomes a
// logarithmic barrier: −τ log(s) for a coordinate at the distance s from its bound, and
// −τ ballWeight log(R² − |u|²) for a ball of radius R.
//
// Each bound has a multiplier. At the minimum u of the smooth problem, the multiplier of a coordinate's bound is
// λ = τ/s, and the multiplier of the ball is θ = τ ballWeight/(R² − |u|²). The curvatures of the barriers come from
// Newton's method for these equations, as in smoothen.
type barriers struct {
	term.Bounds
	lowerDual, upperDual []float64 // multipliers λ of the lower and upper bounds; empty before the first step
	theta                float64   // multiplier θ of the ball; 0 before the first step
	// The weight of the logarithm of a ball. It is the number of absolute values and norms in the problem, because
	// the multiplier of a ball is often much larger than theirs. With the weight 1, u would come too near to the
	// sphere when τ falls, and further steps would be short.
	ballWeight float64
	// unpenalised marks the coordinates that occur in no row of A.
	unpenalised []bool
	typicalSize []float64 // see Coupled.TypicalSize; nil if it is not known
}

// forget removes all multipliers, as before the first step.
func (b *barriers) forget() { b.lowerDual, b.upperDual, b.theta = nil, nil, 0 }

// inset scales the distance that moveInside keeps between the starting point u and the boundary.
const inset = 1e-2

// moveInside moves u to the interior of the set; fixed coordinates move to the lower bound.
func (b *barriers) moveInside(u []float64) {
	for j, v := range u {
		switch {
		case b.Radius > 0:
		case b.Total > 0:
			u[j] = math.Max(v, inset*b.Total/float64(len(u)))
		case b.fixed(j):
			u[j] = b.Lower[j]
		default:
			lo, hi := b.Lower[j], b.Upper[j]
			distance := float64(inset * math.Min(hi-lo, b.typicalSize[j]+math.Abs(v)))
			u[j] = math.Max(lo+distance, math.Min(v, hi-distance))
		}
	}
	if norm := linalg.Norm(u); b.Radius > 0 && norm > (1-inset)*b.Radius {
		linalg.Scale(u, (1-inset)*b.Radius/norm)
	}
	b.normalise(u)
}

// normalise scales u so that Σ u = Total. If Total is 0, it does nothing.
func (b *barriers) normalise(u []float64) {
	if b.Total > 0 {
		linalg.Scale(u, b.Total/linalg.Sum(u))
	}
}

// leastWidth is the smallest distance of two bounds of a coordinate, relative to the sum of the lower bound
// and the typical size of the coordinate, for which slacks are accurate.
const leastWidth = 1e-12

// fixed reports whether the bounds of coordinate j are equal or nearly so. Then the coordinate stays at the
// lower bound.
func (b *barriers) fixed(j int) bool {
	width, size := b.Upper[j]-b.Lower[j], math.Abs(b.Lower[j])
	if b.typicalSize != nil {
		size += b.typicalSize[j]
	}
	return !(width > 0) || width <= leastWidth*size && !math.IsInf(width, 1)
}

// logarithmCount returns the number of logarithms in the barrier. The logarithm of a ball counts ballWeight times.
func (b *barriers) logarithmCount() (count float64) {
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
		count += b.ballWeight
	}
	return count
}

// largestWeight returns the largest weight of a logarithm in the barrier; 1 if there is no ball.
func (b *barriers) largestWeight() float64 {
	if b.Radius > 0 {
		return b.ballWeight
	}
	return 1
}

// slacks returns the distances of the number u from the lower and upper bound of coordinate j. They may be
// infinite.
func (b *barriers) slacks(j int, u float64) (lowerSlack, upperSlack float64) {
	return u - b.Lower[j], b.Upper[j] - u
}

// ballSlack returns R² − |u|².
func (b *barriers) ballSlack(u []float64) float64 {
	norm := linalg.Norm(u)
	return float64((b.Radius - norm) * (b.Radius + norm))
}

// value returns the barrier at u: minus the sum of the logarithms of the slacks.
func (b *barriers) value(u []float64) (sum float64) {
	for j := range b.Lower {
		if b.fixed(j) {
			continue
		}
		lowerSlack, upperSlack := b.slacks(j, u[j])
		for _, s := range []float64{lowerSlack, upperSlack} {
			if !math.IsInf(s, 0) {
				sum -= kernels.Log(s)
			}
		}
	}
	if b.Radius > 0 {
		sum -= float64(b.ballWeight * kernels.Log(b.ballSlack(u)))
	}
	return sum
}

// addDerivatives adds τ times the gradient of the barrier to g. The Hessian of τ times the barrier is a
// diagonal matrix plus a multiple of u u'; it is computed from the multipliers. addDerivatives adds the
// diagonal to h and returns the factor of u u' as outerFactor. The curvature at an unpenalised coordinate
// must not vanish, so addDerivatives first raises multipliers of this coordinate that are smaller than on the
// central path.
func (b *barriers) addDerivatives(g, h, u []float64, tau float64) (outerFactor float64) {
	if b.Lower != nil && len(b.lowerDual) != len(b.Lower) {
		b.lowerDual, b.upperDual = make([]float64, len(b.Lower)), make([]float64, len(b.Lower))
	}
	for j := range b.Lower {
		if b.fixed(j) {
			continue
		}
		lowerSlack, upperSlack := b.slacks(j, u[j])
		if b.lowerDual[j] == 0 || b.unpenalised[j] {
			b.lowerDual[j] = math.Max(b.lowerDual[j], tau/lowerSlack)
		}
		if b.upperDual[j] == 0 || b.unpenalised[j] {
			b.upperDual[j] = math.Max(b.upperDual[j], tau/upperSlack)
		}
		g[j] += tau/upperSlack - tau/lowerSlack
		h[j] += b.lowerDual[j]/lowerSlack + b.upperDual[j]/upperSlack
	}
	if b.Radius == 0 {
		return 0
	}
	slack := b.ballSlack(u)
	tau = float64(b.ballWeight * tau)
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

// updateMultipliers moves the multipliers to their values at the end of the step. It keeps lowerDual and
// upperDual positive; method addDerivatives keeps theta positive.
func (b *barriers) updateMultipliers(u, step []float64, tau float64) {
	for j := range b.Lower {
		if b.fixed(j) {
			continue
		}
		lowerSlack, upperSlack := b.slacks(j, u[j])
		b.lowerDual[j] = math.Max(boundaryFraction*b.lowerDual[j],
			(tau-float64(b.lowerDual[j]*step[j]))/lowerSlack)
		b.upperDual[j] = math.Max(boundaryFraction*b.upperDual[j],
			(tau+float64(b.upperDual[j]*step[j]))/upperSlack)
	}
	if b.Radius > 0 {
		product := kernels.Dot(u, step)
		b.theta = (float64(b.ballWeight*tau) + 2*float64(b.theta*product)) / b.ballSlack(u)
	}
}

// A step goes at most the part ballFraction of the way to the boundary of a ball.
const ballFraction = 0.9

// Method addDerivatives makes theta, the multiplier of the ball, at least leastTheta times the value of theta
// on the central path.
const leastTheta = 0.01

// longestStep returns the longest step length with which u stays in the set, but at most 1. For a ball,
// the step goes at most the part ballFraction of the way to the boundary.
func (b *barriers) longestStep(u, step []float64) float64 {
	length := 1.0
	for j := range b.Lower {
		if !b.fixed(j) {
			lowerSlack, upperSlack := b.slacks(j, u[j])
			length = shorten(length, lowerSlack, step[j])
			length = shorten(length, upperSlack, -step[j])
		}
	}
	if b.Radius == 0 {
		return length
	}
	// The step reaches the sphere at the length s > 0 with size s² + 2 product s = slack, so that
	// s = (sqrtDiscriminant − product)/size.
	product, size := kernels.Dot(u, step), kernels.Dot(step, step)
	if size == 0 {
		return length
	}
	slack := b.ballSlack(u)
	sqrtDiscriminant := math.Sqrt(math.FMA(product, product, float64(size*slack)))
	if product > 0 {
		return math.Min(length, ballFraction*slack/(sqrtDiscriminant+product))
	}
	return math.Min(length, ballFraction*(sqrtDiscriminant-product)/size)
}

// shorten returns the largest s ≤ length for which slack + s·step is not negative.
func shorten(length, slack, step float64) float64 {
	if step < 0 && slack < -step*length {
		return -slack / step
	}
	return length
}

// snap moves u into the set. It moves u[j] to the nearer bound if curvature[j] is positive, but smaller than
// the barrier's curvature at u[j]: then only the barrier keeps u[j] away from the bound. In the same way,
// snap moves u to the boundary of a ball. It does not move zeros to a bound, nor the largest coordinate on a
// simplex.
func (b *barriers) snap(u, curvature []float64, tau float64) {
	largest := slices.Max(u)
	for j := range b.Lower {
		lowerSlack, upperSlack := b.slacks(j, u[j])
		slack := math.Min(lowerSlack, upperSlack)
		near := curvature[j] > 0 && float64(float64(slack*slack)*curvature[j]) < tau
		switch {
		case b.Total > 0 && u[j] == largest || u[j] == 0 || b.fixed(j) || !near:
		case lowerSlack < upperSlack:
			u[j] = b.Lower[j]
		default:
			u[j] = b.Upper[j]
		}
		// u[j] may be beyond a bound, because Coupled.setTies has replaced tied coordinates by their mean.
		u[j] = math.Max(b.Lower[j], math.Min(u[j], b.Upper[j]))
	}
	if b.Radius > 0 {
		norm := linalg.Norm(u)
		if gap := b.Radius - norm; norm > 0 &&
			(gap < 0 || float64(gap*float64(gap*slices.Max(curvature))) < float64(b.ballWeight*tau)) {
			linalg.Scale(u, b.Radius/norm)
		}
	}
	b.normalise(u)
}
