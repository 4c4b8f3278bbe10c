package quadratic

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/term"
)

// walls are what bounds X: each of them has a logarithmic barrier, and a multiplier that is kept for it.
// On the path, s λ = τ at the distance s from a bound, and θ (R² − |u|²) = τ in a ball of radius R. As
// for the rows, curvatures are those of Newton's method for these equations, with multipliers as they are.
type walls struct {
	term.Walls
	below, above []float64 // λ of lower and of upper bounds; empty until the first step
	theta        float64
	// alone says which coordinates no row has: nothing but bounds may hold them.
	alone []bool
}

func (w *walls) forget() { w.below, w.above, w.theta = nil, nil, 0 }

// inset is the distance of a start from the boundary, relative to the size of the set, or to the
// size of the coordinates if a bound is infinite.
const inset = 1e-2

// inside moves u into the interior, away from the boundary; typical has the usual sizes of coordinates.
func (w *walls) inside(u, typical []float64) {
	for j, v := range u {
		switch {
		case w.Radius > 0:
		case w.Total > 0:
			u[j] = math.Max(v, inset*w.Total/float64(len(u)))
		case w.held(j):
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

// normalise corrects Σ u if that is the same in all of the set.
func (w *walls) normalise(u []float64) {
	if w.Total > 0 {
		linalg.Scale(u, w.Total/linalg.Sum(u))
	}
}

// held reports whether coordinate j has the same value in all points of the set.
func (w *walls) held(j int) bool {
	return w.Lower != nil && w.Upper != nil && !(w.Upper[j] > w.Lower[j])
}

// terms counts the logarithms of the barrier.
func (w *walls) terms() (count int) {
	for j := range w.Lower {
		if w.held(j) {
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

// room returns the distances of u from the bounds of coordinate j; they may be infinite.
func (w *walls) room(j int, u float64) (below, above float64) { return u - w.Lower[j], w.Upper[j] - u }

// left returns R² − |u|².
func (w *walls) left(u []float64) float64 {
	norm := math.Sqrt(linalg.SumSquares(u))
	return float64((w.Radius - norm) * (w.Radius + norm))
}

// value returns the barrier.
func (w *walls) value(u []float64) (sum float64) {
	for j := range w.Lower {
		if w.held(j) {
			continue
		}
		below, above := w.room(j, u[j])
		for _, s := range []float64{below, above} {
			if !math.IsInf(s, 0) {
				sum -= kernels.Log(s)
			}
		}
	}
	if w.Radius > 0 {
		sum -= kernels.Log(w.left(u))
	}
	return sum
}

// derivatives adds τ times the gradient of the barrier to g, and to h the diagonal of the curvature, of
// which the rest is outer u u'. Multipliers of bounds that are alone are not less than
// the barrier's: curvatures of directions in which nothing else holds u would vanish.
func (w *walls) derivatives(g, h, u []float64, tau float64) (outer float64) {
	if w.Lower != nil && len(w.below) != len(w.Lower) {
		w.below, w.above = make([]float64, len(w.Lower)), make([]float64, len(w.Lower))
	}
	for j := range w.Lower {
		if w.held(j) {
			continue
		}
		below, above := w.room(j, u[j])
		if w.below[j] == 0 || w.alone[j] {
			w.below[j] = math.Max(w.below[j], tau/below)
		}
		if w.above[j] == 0 || w.alone[j] {
			w.above[j] = math.Max(w.above[j], tau/above)
		}
		g[j] += tau/above - tau/below
		h[j] += w.below[j]/below + w.above[j]/above
	}
	if w.Radius == 0 {
		return 0
	}
	left := w.left(u)
	if w.theta == 0 {
		w.theta = tau / left
	}
	w.theta = math.Max(w.theta, leastTheta*tau/left)
	for j, v := range u {
		g[j] += float64(2 * tau / left * v)
		h[j] += 2 * w.theta
	}
	return 4 * w.theta / left
}

// push moves the multipliers to the end of a step from u, as far as they stay positive.
func (w *walls) push(u, step []float64, tau float64) {
	for j := range w.Lower {
		if w.held(j) {
			continue
		}
		below, above := w.room(j, u[j])
		w.below[j] = math.Max(inward*w.below[j], (tau-float64(w.below[j]*step[j]))/below)
		w.above[j] = math.Max(inward*w.above[j], (tau+float64(w.above[j]*step[j]))/above)
	}
	if w.Radius > 0 {
		along := kernels.Dot(u, step)
		w.theta = (tau + 2*float64(w.theta*along)) / w.left(u)
	}
}

// ofBall is the part of the way to the boundary of a ball that a step may take. Nearer there, R² − |u|²
// would be far too small for θ.
const ofBall = 0.9

// leastTheta is the least θ (R² − |u|²), in parts of τ.
const leastTheta = 0.01

// longest returns the longest step, at most 1, that stays in the set.
func (w *walls) longest(u, step []float64) float64 {
	length := 1.0
	for j := range w.Lower {
		if !w.held(j) {
			below, above := w.room(j, u[j])
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
	left := w.left(u)
	root := math.Sqrt(math.FMA(along, along, float64(size*left)))
	if along > 0 {
		return math.Min(length, ofBall*left/(root+along))
	}
	return math.Min(length, ofBall*(root-along)/size)
}

// shorten returns the largest s, at most length, for which at + s·step is not negative.
func shorten(length, at, step float64) float64 {
	if step < 0 && at < -step*length {
		return -at / step
	}
	return length
}

// snap moves coordinates to the bounds that they are kept from by the barrier alone: where
// its curvature exceeds that given for the coordinate. It does not move exact zeros of a box, nor
// coordinates without curvature.
func (w *walls) snap(u, curvature []float64, tau float64) {
	largest := slices.Max(u)
	for j := range w.Lower {
		below, above := w.room(j, u[j])
		least := math.Min(below, above)
		near := curvature[j] > 0 && float64(float64(least*least)*curvature[j]) < tau
		switch {
		case w.Total > 0 && u[j] == largest || u[j] == 0 || w.held(j) || !near:
		case below < above:
			u[j] = w.Lower[j]
		default:
			u[j] = w.Upper[j]
		}
		u[j] = math.Max(w.Lower[j], math.Min(u[j], w.Upper[j])) // zeros and ties may be outside
	}
	if w.Radius > 0 {
		norm := math.Sqrt(linalg.SumSquares(u))
		if gap := w.Radius - norm; norm > 0 && (gap < 0 || float64(gap*float64(gap*slices.Max(curvature))) < tau) {
			linalg.Scale(u, w.Radius/norm)
		}
	}
	w.normalise(u)
}
