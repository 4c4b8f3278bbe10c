package solver

import "github.com/scas-admm/scas/solver/internal/term"

// A Loss is the smooth convex function φ(t; b) of a margin t = a'x and a label b. A loss of
// one's own has these methods, and those of ConjugateLoss where its conjugate is known;
// CheckLoss compares them.
type Loss interface {
	// Value returns φ(margin; label).
	Value(margin, label float64) float64
	// Slope returns the derivative φ'(margin; label).
	Slope(margin, label float64) float64
	// SecondDerivative returns φ''(margin; label); slope is what Slope returns there.
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

// Logistic is the loss φ(t; b) = log(1 + exp(−b t)) with labels −1 and +1. It has no fields.
type Logistic = term.Logistic

// Squared is the loss φ(t; b) = (b − t)², without the factor ½, for labels that are any
// finite numbers. It has no fields.
type Squared = term.Squared

// Huber is the loss φ(t; b) = r² for |r| ≤ Delta and Delta(2|r| − Delta) beyond, r = b − t:
// Squared where the residual is small, linear where it is large. Its one field is
//
//	Delta float64 // where the two meet, in units of the labels; 0 means 1.35
type Huber = term.Huber

// SquaredHinge is the loss φ(t; b) = max(0, 1 − b t)² with labels −1 and +1. It has no fields.
type SquaredHinge = term.SquaredHinge

// Poisson is the loss φ(t; b) = e^t − b t − b + b log b for counts b and other labels b ≥ 0:
// half the deviance of a Poisson variable b whose expected value, the rate, is e^t. It has no
// fields. Its curvature e^t has no bound, so that methods whose step sizes need one refuse it:
// it is for Auto, which goes by Newton steps alone.
type Poisson = term.Poisson

// ParseLoss returns the loss of the given name: logistic, squared, squared-hinge, huber,
// huber:DELTA with a number above 0, or poisson.
func ParseLoss(name string) (Loss, error) { return term.ParseLoss(name) }
