package solver

import (
	"fmt"

	"github.com/scas-admm/scas/solver/loss"
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
	// Curvature is an upper bound of SecondDerivative over all margins and labels. Steps in
	// x are measured in 1/theory.Constants.NuF instead, which knows the rows.
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

// The losses of package loss; the zero value of each is ready.
type (
	// Logistic is log(1 + exp(−b t)) with labels −1 and +1.
	Logistic = loss.Logistic
	// Squared is (b − t)².
	Squared = loss.Squared
	// Huber is Squared where the residual is small, linear where it is large.
	Huber = loss.Huber
	// SquaredHinge is max(0, 1 − b t)² with labels −1 and +1.
	SquaredHinge = loss.SquaredHinge
)

// ParseLoss returns the loss of the given name.
func ParseLoss(name string) (Loss, error) {
	for _, l := range []Loss{Logistic{}, Squared{}, Huber{}, SquaredHinge{}} {
		if l.String() == name {
			return l, nil
		}
	}
	return nil, fmt.Errorf("solver: no loss %q; choose logistic, squared, huber or squared-hinge", name)
}
