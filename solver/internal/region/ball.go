package region

import (
	"math"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/quad"
)

// Ball is {x : |x|₂ ≤ Radius}.
type Ball struct{ Radius float64 }

// Inside implements Domain.
func (b Ball) Inside(x, _ []float64) { b.shrink(x, 1-margin) }

// Project replaces x by the nearest point.
func (b Ball) Project(x []float64) { b.shrink(x, 1) }

// shrink brings |x| to at most part times the radius.
func (b Ball) shrink(x []float64, part float64) {
	if norm := norm2(x); norm > part*b.Radius {
		quad.Scale(x, part*b.Radius/norm)
	}
}

// Terms implements Domain.
func (Ball) Terms(int) int { return 2 }

// Held implements Domain.
func (Ball) Held(int) bool { return false }

// Settle implements Domain.
func (Ball) Settle([]float64) bool { return false }

// Flat implements Domain.
func (Ball) Flat() bool { return false }

// Bounded implements Domain.
func (Ball) Bounded() bool { return true }

// left returns R² − |x|².
func (b Ball) left(x []float64) float64 {
	norm := norm2(x)
	return float64((b.Radius - norm) * (b.Radius + norm))
}

// Barrier implements Domain.
func (b Ball) Barrier(x []float64) float64 { return -kernels.Log(b.left(x)) }

// Derivatives implements Domain.
func (b Ball) Derivatives(g, h, x []float64, tau float64) float64 {
	c := 2 * tau / b.left(x)
	for j, v := range x {
		g[j] += float64(c * v)
		h[j] += c
	}
	return float64(c * c / tau)
}

// Room solves |x + s d| = R for s.
func (b Ball) Room(x, d []float64) float64 {
	var xd, dd float64
	for j, v := range d {
		xd += float64(v * x[j])
		dd += float64(v * v)
	}
	left := b.left(x)
	if dd == 0 {
		return 1
	}
	q := math.Sqrt(math.FMA(xd, xd, float64(dd*left)))
	s := (q - xd) / dd
	if xd > 0 {
		s = left / (q + xd)
	}
	return math.Min(1, s)
}

// Snap moves x to the sphere if the barrier keeps it from there.
func (b Ball) Snap(x, curvature []float64, tau float64) {
	norm := norm2(x)
	gap, most := b.Radius-norm, 0.0
	for _, c := range curvature {
		most = math.Max(most, c)
	}
	if norm > 0 && float64(gap*float64(gap*most)) < tau {
		quad.Scale(x, b.Radius/norm)
	}
	b.Project(x)
}

// Excess implements Domain.
func (b Ball) Excess(e, errors, x []float64, mu float64) float64 {
	if mu > 0 {
		at := make([]float64, len(x))
		for j, v := range e {
			at[j] = -v / mu
		}
		b.Project(at)
		return strongExcess(b, at, e, errors, x, mu)
	}
	var inner, size, off float64
	for j, v := range e {
		inner += float64(v * x[j])
		size += math.Abs(float64(v * x[j]))
		off = math.FMA(errors[j], errors[j], off)
	}
	norm := norm2(e)
	rounding := float64(float64(len(x)+8) * rounding * (size + float64(b.Radius*norm)))
	return math.Max(0, float64(b.Radius*norm)+inner) + float64(2*b.Radius*math.Sqrt(off)) + rounding
}

// norm2 returns |v|₂.
func norm2(v []float64) float64 {
	var sum float64
	for _, u := range v {
		sum = math.FMA(u, u, sum)
	}
	return math.Sqrt(sum)
}
