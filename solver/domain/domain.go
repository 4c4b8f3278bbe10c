// Package domain has the sets X of x that package solver names: solver.Box is Box, and so
// on. They are solver.SupportDomain.
package domain

import (
	"fmt"
	"math"
	"slices"

	"github.com/scas-admm/scas/solver/internal/quad"
	"github.com/scas-admm/scas/solver/internal/region"
)

// support returns the largest u v over lower ≤ v ≤ upper.
func support(u, lower, upper float64) float64 {
	switch {
	case u > 0:
		return float64(u * upper)
	case u < 0:
		return float64(u * lower)
	}
	return 0
}

// Box is {x : Lower ≤ x ≤ Upper}, coordinate by coordinate. Infinite bounds
// leave a side open.
type Box struct {
	Lower, Upper []float64
}

// NewBox returns the box [lower, upper]^p.
func NewBox(p int, lower, upper float64) Box {
	b := Box{make([]float64, p), make([]float64, p)}
	for j := range p {
		b.Lower[j], b.Upper[j] = lower, upper
	}
	return b
}

// Project replaces x by the nearest point of the set.
func (b Box) Project(x []float64) {
	for j, v := range x {
		x[j] = math.Max(b.Lower[j], math.Min(v, b.Upper[j]))
	}
}

// Diameter returns the largest distance of two points.
func (b Box) Diameter() float64 {
	var sum float64
	for j, hi := range b.Upper {
		w := hi - b.Lower[j]
		sum += float64(w * w)
	}
	return math.Sqrt(sum)
}

// Validate reports what is wrong with the set in R^p.
func (b Box) Validate(p int) error {
	if len(b.Lower) != p || len(b.Upper) != p {
		return fmt.Errorf("solver: Box has %d lower and %d upper bounds; the problem has %d features", len(b.Lower), len(b.Upper), p)
	}
	for j, lo := range b.Lower {
		if !(lo <= b.Upper[j]) {
			return fmt.Errorf("solver: Box bounds of feature %d are [%v, %v]; the lower must not exceed the upper", j, lo, b.Upper[j])
		}
	}
	return nil
}

// Support returns the largest u'x over the set.
func (b Box) Support(u []float64) float64 {
	var sum float64
	for j, v := range u {
		sum += support(v, b.Lower[j], b.Upper[j])
	}
	return sum
}

// Ball is {x : |x|₂ ≤ Radius}.
type Ball struct {
	Radius float64
}

// Project replaces x by the nearest point of the set.
func (b Ball) Project(x []float64) {
	if norm := math.Sqrt(quad.SumSquares(x)); norm > b.Radius {
		for j := range x {
			x[j] *= b.Radius / norm
		}
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
func (b Ball) Support(u []float64) float64 { return float64(b.Radius * math.Sqrt(quad.SumSquares(u))) }

// Nonnegative is {x : x ≥ 0}.
type Nonnegative struct{}

// Project replaces x by the nearest point of the set.
func (Nonnegative) Project(x []float64) {
	for j, v := range x {
		x[j] = math.Max(v, 0)
	}
}

// Diameter returns +Inf.
func (Nonnegative) Diameter() float64 { return math.Inf(1) }

// Validate reports what is wrong with the set in R^p.
func (Nonnegative) Validate(int) error { return nil }

// Support returns the largest u'x over the set.
func (Nonnegative) Support(u []float64) float64 {
	if slices.Max(u) > 0 {
		return math.Inf(1)
	}
	return 0
}

// Simplex is {x : x ≥ 0, Σ xⱼ = Total}.
type Simplex struct {
	// Total > 0 is the sum of the coordinates; zero means 1.
	Total float64
}

// Sum returns Total, 1 for zero.
func (s Simplex) Sum() float64 {
	if s.Total == 0 {
		return 1
	}
	return s.Total
}

// Project replaces x by the nearest point of the set, by sorting (Held, Wolfe and Crowder).
func (s Simplex) Project(x []float64) { region.Simplex{Total: s.Sum()}.Project(x) }

// Diameter returns Total times the square root of 2.
func (s Simplex) Diameter() float64 { return s.Sum() * math.Sqrt2 }

// Validate reports what is wrong with the set in R^p.
func (s Simplex) Validate(int) error {
	if !(s.Total >= 0) || math.IsInf(s.Total, 0) {
		return fmt.Errorf("solver: Simplex.Total = %v; it must be positive and finite, or 0 for 1", s.Total)
	}
	return nil
}

// Support returns the largest u'x over the set.
func (s Simplex) Support(u []float64) float64 { return float64(s.Sum() * slices.Max(u)) }
