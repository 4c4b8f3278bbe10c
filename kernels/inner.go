package kernels

import "math"

// A LossKind names a loss whose derivative the inner loops can compute.
type LossKind uint8

// The losses: log(1+exp(-label*margin)) and (label-margin)².
const (
	LogisticLossKind LossKind = iota
	SquaredLossKind
)

// check panics if the kind has no name above. A new kind needs code at each comparison with SquaredLossKind
// in the packages kernels and gen.
func (k LossKind) check(fn string) {
	if k > SquaredLossKind {
		panicf("%s: no loss has the kind %d", fn, k)
	}
}

// Steps is the input that all inner loops of SCAS-ADMM share. An inner step on the sampled row a_i
// is
//
//	w = w + g a_i - Eta (K w + d),   g = Eta * (Slope0[i] - slope(t, Label[i]))
//
// followed by a projection in some loops. Here t is the margin of the row at w before the step, so
// g is -Eta times the change of the sample's slope since the snapshot. K and d are constant during
// a loop: K w + d is the part of the estimated gradient that does not depend on the sampled row (see package
// solver/internal/admm).
type Steps struct {
	Rows   Rows      // all samples
	Label  []float64 // one per row: -1 or +1 for the logistic loss
	Slope0 []float64 // one per row: the slope at the snapshot
	Loss   LossKind
	Eta    float64 // step size
	// Slope, if not nil, is the derivative of the caller's own loss at a margin and a
	// label, and replaces Loss. The portable reference then runs the loop, with the same
	// bits at every level.
	Slope func(margin, label float64) float64

	// Scratch is memory for the inner loops on sparse rows. Only one call at a time may use it. If
	// it is nil, every call allocates its own.
	Scratch *Scratch
}

func (s *Steps) check(fn string, sampled []int32) {
	n := s.Rows.Len()
	checkRows(fn, "Label", len(s.Label), &s.Rows)
	checkLen(fn, "Slope0", len(s.Slope0), n)
	s.Loss.check(fn)
	for _, i := range sampled {
		if uint(i) >= uint(n) {
			panicf("%s: sampled row %d of %d", fn, i, n)
		}
	}
}

// gain returns the g of Steps for a step on row i, whose margin is t.
func (s *Steps) gain(i int32, t float64) float64 {
	return float64(s.delta(i, float64(s.factor(i)*t)) * s.Eta)
}

// factor returns the label for the logistic loss and 1 for other losses. delta takes the margin
// times this factor.
func (s *Steps) factor(i int32) float64 {
	if s.Slope != nil || s.Loss == SquaredLossKind {
		return 1
	}
	return s.Label[i]
}

// delta returns Slope0[i] minus the slope of row i. z is the margin of the row times factor(i).
func (s *Steps) delta(i int32, z float64) float64 {
	if s.Slope != nil {
		return s.Slope0[i] - s.Slope(z, s.Label[i])
	}
	if s.Loss == SquaredLossKind {
		r := z - s.Label[i]
		return s.Slope0[i] - (r + r)
	}
	e := ExpNeg(math.Abs(z))
	return s.Slope0[i] - logisticSlopeAt(z, e, s.Label[i])
}
