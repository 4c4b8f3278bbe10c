// Package region has the closed convex sets of x for which certificates and barriers are known.
package region

import (
	"math"
)

// A Domain is the closed convex set X of a problem, with a self-concordant barrier for
// its inside and what its support function makes of a dual point. Box, Ball and
// Simplex are all there are.
type Domain interface {
	// Inside moves x well into the interior; typical is what coordinates are like in
	// size.
	Inside(x, typical []float64)
	// Terms is the parameter of the barrier on R^p.
	Terms(p int) int
	// Barrier returns the barrier at a point of the interior.
	Barrier(x []float64) float64
	// Derivatives adds τ times gradient and diagonal of the Hessian of the barrier at x
	// to g and h; outer times x x' completes the Hessian.
	Derivatives(g, h, x []float64, tau float64) (outer float64)
	// Room returns the longest step, at most 1, that stays in X.
	Room(x, d []float64) float64
	// Held reports whether X leaves coordinate j no choice, and Flat whether Σ x does
	// not change in X.
	Held(j int) bool
	Flat() bool
	// Snap moves coordinates to bounds near which the barrier has more curvature than
	// the loss, which is given for each, and returns to X.
	Snap(x, curvature []float64, tau float64)
	// Settle undoes what rounding has done to Σ x where X is flat, and reports whether it
	// had to.
	Settle(x []float64) bool
	// Excess returns h(x) + h*(−e) + e'x ≥ 0, h(x) = (mu/2)|x|² on X, for x in X and the
	// worst e within the errors given: what a dual point leaves open.
	Excess(e, errors, x []float64, mu float64) float64
	// Bounded reports whether excess is finite for every e where mu = 0.
	Bounded() bool
}

// margin is how far inside a start is put, as a part of the set's size or, where a side
// is open, of the size of coordinates.
const margin = 1e-2

// rounding is that of one operation.
const rounding = 0x1p-53

// strongExcess bounds excess for mu > 0 by (mu/2)|x − a|² + the excess of r = e + mu a
// without mu, which holds for every a; it is tight for the point of X nearest to −e/mu.
func strongExcess(d Domain, a, e, errors, x []float64, mu float64) float64 {
	var apart float64
	r, off := make([]float64, len(x)), make([]float64, len(x))
	for j, v := range x {
		u := v - a[j]
		apart += float64(u * u)
		r[j] = math.FMA(mu, a[j], e[j])
		off[j] = errors[j] + float64(2*rounding*math.Abs(r[j]))
	}
	return float64(float64(0.5*mu*apart)*(1+float64(float64(len(x)+4)*rounding))) + d.Excess(r, off, x, 0)
}

// Shorten returns the length of a step, at most the one given, along which at stays positive
// or zero.
func Shorten(length, at, step float64) float64 {
	if step < 0 && at < -step*length {
		return -at / step
	}
	return length
}
