package solver

import "github.com/scas-admm/scas/solver/internal/term"

// A Loss is a smooth convex function φ(t; b) of a margin t = a'x and a label b. For each label b, the
// smallest value of φ over all t, or the limit that φ approaches from above, must be 0. The proofs of gaps
// assume this. A loss of your own has the methods below. If you know its conjugate, it should also have the
// methods of ConjugateLoss. CheckLoss checks that the methods agree with each other.
type Loss interface {
	// Value returns φ(margin; label).
	Value(margin, label float64) float64
	// Slope returns the derivative φ'(margin; label).
	Slope(margin, label float64) float64
	// SecondDerivative returns φ''(margin; label). slope is the result of Slope for the same
	// arguments.
	SecondDerivative(margin, slope, label float64) float64
	// Curvature returns an upper bound of SecondDerivative over all margins and labels, or +Inf if
	// there is none. Only Auto accepts a loss without a bound; a loss of your own must then be a
	// ConjugateLoss.
	Curvature() float64
	// String returns the name of the loss for errors, the command line and model files.
	String() string
	// Validate returns an error for the first label that the loss does not accept, or for a wrong field
	// of the loss.
	Validate(labels []float64) error
}

// A ConjugateLoss is a Loss of your own with its convex conjugate φ*(α; b) = sup over t of αt −
// φ(t; b). With the conjugate, gaps can be proved, and Newton steps solve the problem (see Auto). The
// relative errors of Value and Conjugate must be at most 7e-15.
type ConjugateLoss interface {
	Loss
	// Conjugate returns φ*(alpha; label), or +Inf if alpha is outside the domain of φ*.
	Conjugate(alpha, label float64) float64
	// ConjugateDomain returns the ends of the interval in which φ* is finite. They may be
	// infinite. The interval must contain 0.
	ConjugateDomain(label float64) (lo, hi float64)
}

// Logistic is the loss φ(t; b) = log(1 + exp(−b t)) with labels −1 and +1.
type Logistic struct{}

func (l Logistic) Value(margin, label float64) float64 { return term.Logistic(l).Value(margin, label) }
func (l Logistic) Slope(margin, label float64) float64 { return term.Logistic(l).Slope(margin, label) }
func (l Logistic) SecondDerivative(margin, slope, label float64) float64 {
	return term.Logistic(l).SecondDerivative(margin, slope, label)
}
func (l Logistic) Curvature() float64              { return term.Logistic(l).Curvature() }
func (l Logistic) String() string                  { return term.Logistic(l).String() }
func (l Logistic) Validate(labels []float64) error { return term.Logistic(l).Validate(labels) }

// Squared is the loss φ(t; b) = (b − t)², without the factor ½. Labels may be any finite numbers.
type Squared struct{}

func (l Squared) Value(margin, label float64) float64 { return term.Squared(l).Value(margin, label) }
func (l Squared) Slope(margin, label float64) float64 { return term.Squared(l).Slope(margin, label) }
func (l Squared) SecondDerivative(margin, slope, label float64) float64 {
	return term.Squared(l).SecondDerivative(margin, slope, label)
}
func (l Squared) Curvature() float64              { return term.Squared(l).Curvature() }
func (l Squared) String() string                  { return term.Squared(l).String() }
func (l Squared) Validate(labels []float64) error { return term.Squared(l).Validate(labels) }

// Huber is the loss φ(t; b) = r² for |r| ≤ Delta and Delta(2|r| − Delta) for larger |r|, where r =
// b − t. For small |r| it equals Squared, and for large |r| it is linear.
type Huber struct {
	// Delta is the |r| at which the loss becomes linear, in the unit of the labels. It must be
	// positive and finite; 0 means 1.35.
	Delta float64
}

func (l Huber) Value(margin, label float64) float64 { return term.Huber(l).Value(margin, label) }
func (l Huber) Slope(margin, label float64) float64 { return term.Huber(l).Slope(margin, label) }
func (l Huber) SecondDerivative(margin, slope, label float64) float64 {
	return term.Huber(l).SecondDerivative(margin, slope, label)
}
func (l Huber) Curvature() float64              { return term.Huber(l).Curvature() }
func (l Huber) String() string                  { return term.Huber(l).String() }
func (l Huber) Validate(labels []float64) error { return term.Huber(l).Validate(labels) }

// SquaredHinge is the loss φ(t; b) = max(0, 1 − b t)² with labels −1 and +1.
type SquaredHinge struct{}

func (l SquaredHinge) Value(margin, label float64) float64 {
	return term.SquaredHinge(l).Value(margin, label)
}
func (l SquaredHinge) Slope(margin, label float64) float64 {
	return term.SquaredHinge(l).Slope(margin, label)
}
func (l SquaredHinge) SecondDerivative(margin, slope, label float64) float64 {
	return term.SquaredHinge(l).SecondDerivative(margin, slope, label)
}
func (l SquaredHinge) Curvature() float64              { return term.SquaredHinge(l).Curvature() }
func (l SquaredHinge) String() string                  { return term.SquaredHinge(l).String() }
func (l SquaredHinge) Validate(labels []float64) error { return term.SquaredHinge(l).Validate(labels) }

// Poisson is the loss φ(t; b) = e^t − b t − b + b log b for counts b and other labels b ≥ 0, with
// 0 log 0 = 0. It is half the deviance of a Poisson variable b whose expected value, the rate, is e^t. The
// curvature e^t has no bound, so only Auto accepts this loss, and makes only Newton steps.
type Poisson struct{}

func (l Poisson) Value(margin, label float64) float64 { return term.Poisson(l).Value(margin, label) }
func (l Poisson) Slope(margin, label float64) float64 { return term.Poisson(l).Slope(margin, label) }
func (l Poisson) SecondDerivative(margin, slope, label float64) float64 {
	return term.Poisson(l).SecondDerivative(margin, slope, label)
}
func (l Poisson) Curvature() float64              { return term.Poisson(l).Curvature() }
func (l Poisson) String() string                  { return term.Poisson(l).String() }
func (l Poisson) Validate(labels []float64) error { return term.Poisson(l).Validate(labels) }

// ParseLoss returns the loss of the given name: logistic, squared, squared-hinge, huber,
// huber:DELTA with a number above 0, or poisson.
func ParseLoss(name string) (Loss, error) {
	l, err := term.ParseLoss(name)
	switch l := l.(type) {
	case term.Logistic:
		return Logistic(l), nil
	case term.Squared:
		return Squared(l), nil
	case term.Huber:
		return Huber(l), nil
	case term.SquaredHinge:
		return SquaredHinge(l), nil
	case term.Poisson:
		return Poisson(l), nil
	}
	return nil, err
}
