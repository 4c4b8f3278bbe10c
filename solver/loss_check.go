package solver

import (
	"fmt"

	"github.com/scas-admm/scas/solver/internal/check"
)

// CheckLoss compares what a loss of one's own says of itself numerically, at margins
// from −6 to 6 and the labels given, which must be valid ones: Slopes with Value and its
// derivative, SecondDerivative with that of the slopes and with Curvature, convexity,
// and of a ConjugateLoss φ(t) + φ*(φ'(t)) = t φ'(t). It returns the first thing that is
// wrong. At a kink of φ' the second derivative may be anything between those beside it.
func CheckLoss(l Loss, labels []float64) error {
	if err := l.Validate(labels); err != nil {
		return fmt.Errorf("solver: CheckLoss: %w", err)
	}
	return check.Loss(l, labels)
}

// CheckPenalty compares what a penalty of one's own on R^q says of itself numerically,
// at random points: that Prox minimises what it should, that this does not depend on
// dst being v, that it works coordinate by coordinate if the penalty is separable, and of
// a ConjugatePenalty g(u) + g*(z) = z'u where Prox says that z is a subgradient at u. It
// returns the first thing that is wrong.
func CheckPenalty(g Penalty, q int) error {
	if err := g.Validate(q); err != nil {
		return fmt.Errorf("solver: CheckPenalty: %w", err)
	}
	return check.Penalty(g, q)
}
