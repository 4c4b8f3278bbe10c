package solver

import (
	"github.com/scas-admm/scas/solver/internal/term"
)

// CheckLoss checks a loss of your own numerically, at margins from −6 to 6 and the given labels,
// which must be valid. It compares Slope with differences of Value, and SecondDerivative with
// differences of Slope and with Curvature. It checks that the loss is convex and not negative, and for
// a ConjugateLoss that φ*(0) = 0 and φ(t) + φ*(φ'(t)) = t φ'(t). At a kink of φ', SecondDerivative may
// return any number between its values on both sides. CheckLoss returns an error for the first fault.
func CheckLoss(l Loss, labels []float64) error {
	if len(labels) == 0 {
		return errorf("CheckLoss needs at least one label")
	}
	if err := l.Validate(labels); err != nil {
		return errorf("CheckLoss: %w", err)
	}
	return term.CheckLoss(l, labels)
}

// CheckPenalty checks a penalty of your own on R^q numerically, at random points. It checks that
// Prox finds the minimiser, also if dst and v are the same slice. If the penalty is separable,
// coordinates have different steps. For a ConjugatePenalty it checks that g(u) + g*(z) = z'u for the
// result u of Prox and the subgradient z = (v − u)/step. It returns an error for the first fault.
func CheckPenalty(g Penalty, q int) error {
	if err := g.Validate(q); err != nil {
		return errorf("CheckPenalty: %w", err)
	}
	return term.CheckPenalty(g, q)
}
