package solver

import "github.com/scas-admm/scas/solver/internal/term"

// A Loss is a smooth convex function φ(t; b) of a margin t = a'x and a label b. A loss of your own
// needs these methods, and also the methods of ConjugateLoss if you know its conjugate. CheckLoss
// checks that the methods agree with each other.
type Loss interface {
	// Value returns φ(margin; label).
	Value(margin, label float64) float64
	// Slope returns the derivative φ'(margin; label).
	Slope(margin, label float64) float64
	// SecondDerivative returns φ''(margin; label). slope is the result of Slope for the same
	// arguments.
	SecondDerivative(margin, slope, label float64) float64
	// Curvature returns an upper bound of SecondDerivative over all margins and labels.
	Curvature() float64
	// String returns the name of the loss on the command line and in model files.
	String() string
	// Validate returns an error for the first label that the loss does not accept.
	Validate(labels []float64) error
}

// A ConjugateLoss is a Loss of your own with its convex conjugate φ*(α; b) = sup over t of αt −
// φ(t; b). With it gaps can be proved, and Newton steps solve the problem (see Auto). Its values
// must be accurate to 1e-14.
type ConjugateLoss interface {
	Loss
	// Conjugate returns φ*(alpha; label), +Inf outside its domain.
	Conjugate(alpha, label float64) float64
	// ConjugateDomain returns the ends of the interval in which φ* is finite. They may be
	// infinite. The interval must contain 0.
	ConjugateDomain(label float64) (lo, hi float64)
}

// Logistic is the loss φ(t; b) = log(1 + exp(−b t)) with labels −1 and +1. It has no fields.
type Logistic = term.Logistic

// Squared is the loss φ(t; b) = (b − t)², without the factor ½, for labels that are any
// finite numbers. It has no fields.
type Squared = term.Squared

// Huber is the loss φ(t; b) = r² for |r| ≤ Delta and Delta(2|r| − Delta) for larger |r|, where r =
// b − t: it equals Squared for small residuals, and is linear for large ones. Its one field is
//
//	Delta float64 // where the two meet, in units of the labels; 0 means 1.35
type Huber = term.Huber

// SquaredHinge is the loss φ(t; b) = max(0, 1 − b t)² with labels −1 and +1. It has no fields.
type SquaredHinge = term.SquaredHinge

// Poisson is the loss φ(t; b) = e^t − b t − b + b log b for counts b and other labels b ≥ 0: half
// the deviance of a Poisson variable b whose expected value, the rate, is e^t. It has no fields.
// Its curvature e^t has no bound. The step sizes of other methods need a bound, so only Auto
// accepts this loss, and solves it by Newton steps alone.
type Poisson = term.Poisson

// ParseLoss returns the loss of the given name: logistic, squared, squared-hinge, huber,
// huber:DELTA with a number above 0, or poisson.
func ParseLoss(name string) (Loss, error) { return term.ParseLoss(name) }
