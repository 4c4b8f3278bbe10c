package term

import (
	"math"
	"slices"
)

// Nonnegative is {x : x ≥ 0}.
type Nonnegative struct{}

func (Nonnegative) Project(x []float64) {
	for j, v := range x {
		x[j] = math.Max(v, 0)
	}
}

func (Nonnegative) Diameter() float64 { return math.Inf(1) }

func (Nonnegative) Validate(int) error { return nil }

func (Nonnegative) Support(u []float64) float64 {
	if slices.Max(u) > 0 {
		return math.Inf(1)
	}
	return 0
}

func (Nonnegative) Region(p int) Region { return NewBox(p, 0, math.Inf(1)) }
