package solver

import (
	"fmt"

	"github.com/scas-admm/scas/solver/internal/term"
)

// CheckLoss compares what a loss of one's own says of itself numerically, at margins
// from −6 to 6 and the labels given, which must be valid ones: Slope with differences of
// Value, SecondDerivative with differences of Slope and with Curvature. It checks that the
// loss is convex, and of a ConjugateLoss that φ(t) + φ*(φ'(t)) = t φ'(t). It returns the
// first thing that is wrong. At a kink of φ' the second derivative may be anything between
// those beside it.
func CheckLoss(l Loss, labels []float64) error {
	if err := l.Validate(labels); err != nil {
		return fmt.Errorf("solver: CheckLoss: %w", err)
	}
	return term.CheckLoss(l, labels)
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
	return term.CheckPenalty(g, q)
}
