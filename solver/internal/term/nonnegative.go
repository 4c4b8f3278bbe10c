package term

import (
	"math"
	"slices"
)

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

// Validate returns nil.
func (Nonnegative) Validate(int) error { return nil }

// Support returns the maximum of u'x over the set, 0 or +Inf.
func (Nonnegative) Support(u []float64) float64 {
	if slices.Max(u) > 0 {
		return math.Inf(1)
	}
	return 0
}

// Region implements Set. It returns the box with bounds 0 and +Inf.
func (Nonnegative) Region(p int) Region { return NewBox(p, 0, math.Inf(1)) }
