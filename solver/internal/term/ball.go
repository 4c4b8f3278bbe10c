package term

import (
	"fmt"
	"math"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/quad"
)

// Ball is {x : |x|₂ ≤ Radius}.
type Ball struct {
	Radius float64
}

// Project replaces x by the nearest point of the set.
func (b Ball) Project(x []float64) { b.shrink(x, 1) }

// shrink brings |x|₂ to at most part times the radius.
func (b Ball) shrink(x []float64, part float64) {
	if norm := norm2(x); norm > part*b.Radius {
		quad.Scale(x, part*b.Radius/norm)
	}
}

// Diameter returns the largest distance of two points.
func (b Ball) Diameter() float64 { return 2 * b.Radius }

// Validate reports what is wrong with the set in R^p.
func (b Ball) Validate(int) error {
	if !(b.Radius > 0) || math.IsInf(b.Radius, 0) {
		return fmt.Errorf("solver: Ball.Radius = %v; it must be positive and finite", b.Radius)
	}
	return nil
}

// Support returns the largest u'x over the set.
func (b Ball) Support(u []float64) float64 { return float64(b.Radius * norm2(u)) }

// ZerosStay implements Set.
func (Ball) ZerosStay() (except []int32, ok bool) { return nil, true }

// Part implements Set.
func (b Ball) Part([]int32) Set { return b }

// Shape implements Set.
func (b Ball) Shape(int) Shape { return Shape{Radius: b.Radius} }

// Region implements Set.
func (b Ball) Region(int) Region { return b }

// Box implements Region.
func (Ball) Box() (Box, bool) { return Box{}, false }

// Outer implements Region.
func (Ball) Outer() bool { return true }

// Inside implements Region.
func (b Ball) Inside(x, _ []float64) { b.shrink(x, 1-inset) }

// Terms implements Region.
func (Ball) Terms(int) int { return 2 }

// Held implements Region.
func (Ball) Held(int) bool { return false }

// Settle implements Region.
func (Ball) Settle([]float64) bool { return false }

// Flat implements Region.
func (Ball) Flat() bool { return false }

// Bounded implements Region.
func (Ball) Bounded() bool { return true }

// left returns R² − |x|².
func (b Ball) left(x []float64) float64 {
	norm := norm2(x)
	return float64((b.Radius - norm) * (b.Radius + norm))
}

// Barrier implements Region.
func (b Ball) Barrier(x []float64) float64 { return -kernels.Log(b.left(x)) }

// Derivatives implements Region.
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

// Excess implements Region.
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
func norm2(v []float64) float64 { return math.Sqrt(quad.SumSquares(v)) }
