package solver

import (
	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/inner"
	"github.com/scas-admm/scas/solver/internal/newton"
)

// This file says what other packages have to know of the losses of this one.

// innerLoss returns l as the inner loop takes it.
func innerLoss(l Loss) inner.Loss {
	kind, fused := fusedLoss(l)
	return inner.Loss{Kind: kind, Fused: fused, Slopes: l.Slopes, Slope: scalarSlope(l)}
}

// scalarSlope returns φ' of l, not for concurrent use.
func scalarSlope(l Loss) func(margin, label float64) float64 {
	if s, ok := l.(ScalarLoss); ok {
		return s.Slope
	}
	m, s, b := make([]float64, 1), make([]float64, 1), make([]float64, 1)
	return func(margin, label float64) float64 {
		m[0], b[0] = margin, label
		l.Slopes(s, m, b)
		return s[0]
	}
}

// continuousCurvature reports whether φ” is known to have no jumps.
func continuousCurvature(l Loss) bool {
	switch l.(type) {
	case Logistic, Squared:
		return true
	}
	return false
}

// fusedLoss returns the kernels' name of a loss that they know. The type itself
// counts: one that embeds it may have other slopes.
func fusedLoss(l Loss) (kernels.LossKind, bool) {
	switch l.(type) {
	case Logistic:
		return kernels.LogisticLossKind, true
	case Squared:
		return kernels.SquaredLossKind, true
	}
	return 0, false
}

// newtonLoss returns a loss with its conjugate, nil if that is not known.
func newtonLoss(l Loss) newton.Loss {
	switch l := l.(type) {
	case Logistic:
		return newton.Logistic{}
	case Squared:
		return newton.Squared{}
	case SquaredHinge:
		return newton.SquaredHinge{}
	case Huber:
		return newton.Huber{Delta: l.delta()}
	case ConjugateLoss:
		return newton.Custom{Of: l}
	}
	return nil
}
