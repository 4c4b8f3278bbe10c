package solver

import (
	"fmt"
	"math"

	"github.com/scas-admm/scas/kernels"
)

// A Loss is the smooth function φ(t; b) of a margin t = a'x and a label b.
type Loss interface {
	// Slopes returns Σ φ(marginᵢ; labelᵢ) and, unless slope is nil, sets
	// slopeᵢ to the derivative at marginᵢ. All have one length; slope may be
	// the same slice as margin.
	Slopes(slope, margin, label []float64) (sum float64)
	// Value returns φ(margin; label).
	Value(margin, label float64) float64
	// SecondDerivative returns φ''(margin; label); slope is what Slopes gives there.
	SecondDerivative(margin, slope, label float64) float64
	// Curvature is an upper bound of SecondDerivative.
	Curvature() float64
	// String returns the name used on the command line and in model files.
	String() string

	// Validate reports the first label the loss cannot take.
	Validate(labels []float64) error
}

// A ConjugateLoss is a Loss of one's own with its convex conjugate φ*(α; b) = sup over t
// of αt − φ(t; b), by which gaps can be proved and Newton steps end a run (see Auto).
// Values are taken to be accurate to 1e-14.
type ConjugateLoss interface {
	Loss
	// Conjugate returns φ*(alpha; label), +Inf outside its domain.
	Conjugate(alpha, label float64) float64
	// ConjugateDomain returns the ends, perhaps infinite, of the interval in which φ*
	// is finite; 0 is in it.
	ConjugateDomain(label float64) (lo, hi float64)
}

// A ScalarLoss is a Loss that gives the derivative at one margin: what a stochastic step
// needs. Without it steps call Slopes for one.
type ScalarLoss interface {
	Loss
	// Slope returns φ'(margin; label), as Slopes does.
	Slope(margin, label float64) float64
}

// Logistic is φ(t; b) = log(1 + exp(−b t)) with labels −1 and +1.
type Logistic struct{}

// Slopes implements Loss.
func (Logistic) Slopes(slope, margin, label []float64) float64 {
	return kernels.LogisticSlopes(slope, margin, label)
}

// Value implements Loss.
func (Logistic) Value(margin, label float64) float64 { return kernels.LogisticLoss(margin, label) }

// SecondDerivative returns s(1−s) with s = |φ'(margin)|.
func (Logistic) SecondDerivative(_, slope, _ float64) float64 {
	s := math.Abs(slope)
	return float64(s * (1 - s))
}

// Curvature returns 1/4.
func (Logistic) Curvature() float64 { return 0.25 }

// String returns "logistic".
func (Logistic) String() string { return "logistic" }

// Validate implements Loss.
func (Logistic) Validate(labels []float64) error { return validateBinary("logistic", labels) }

func validateBinary(loss string, labels []float64) error {
	for i, b := range labels {
		if b != 1 && b != -1 {
			return fmt.Errorf("solver: Problem.Labels[%d] = %v; %s loss needs -1 or +1", i, b, loss)
		}
	}
	return nil
}

func validateReal(labels []float64) error {
	for i, b := range labels {
		if math.IsNaN(b) || math.IsInf(b, 0) {
			return fmt.Errorf("solver: Problem.Labels[%d] = %v; labels must be finite", i, b)
		}
	}
	return nil
}

// Squared is φ(t; b) = (b − t)², as the paper writes it: without the factor ½.
type Squared struct{}

// Slopes implements Loss.
func (Squared) Slopes(slope, margin, label []float64) float64 {
	return kernels.SquaredSlopes(slope, margin, label)
}

// Value implements Loss.
func (Squared) Value(margin, label float64) float64 {
	return float64((label - margin) * (label - margin))
}

// SecondDerivative returns 2.
func (Squared) SecondDerivative(_, _, _ float64) float64 { return 2 }

// Curvature returns 2.
func (Squared) Curvature() float64 { return 2 }

// String returns "squared".
func (Squared) String() string { return "squared" }

// Validate implements Loss.
func (Squared) Validate(labels []float64) error { return validateReal(labels) }

// ParseLoss returns the loss of the given name.
func ParseLoss(name string) (Loss, error) {
	for _, l := range []Loss{Logistic{}, Squared{}, Huber{}, SquaredHinge{}} {
		if l.String() == name {
			return l, nil
		}
	}
	return nil, fmt.Errorf("solver: no loss %q; choose logistic, squared, huber or squared-hinge", name)
}
