// Package kind says what other rooms have to know of losses, penalties and domains: how the
// inner loop and Newton's method take those of packages loss, penalty and domain, and what
// is left of them without some coordinates. Of others little is known.
package kind

import (
	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/fenchel"
	"github.com/scas-admm/scas/solver/internal/inner"
	"github.com/scas-admm/scas/solver/loss"
)

// A Loss is any loss.
type Loss interface {
	// Slopes returns Σ φ and, unless slope is nil, sets it to φ'.
	Slopes(slope, margin, label []float64) (sum float64)
}

// InnerLoss returns l as the inner loop takes it, not for concurrent use.
func InnerLoss(l Loss) inner.Loss {
	kind, fused := FusedLoss(l)
	return inner.Loss{Kind: kind, Fused: fused, Slopes: l.Slopes, Slope: slope(l)}
}

// slope returns φ' of l at one margin.
func slope(l Loss) func(margin, label float64) float64 {
	if s, ok := l.(interface {
		Slope(margin, label float64) float64
	}); ok {
		return s.Slope
	}
	m, s, b := make([]float64, 1), make([]float64, 1), make([]float64, 1)
	return func(margin, label float64) float64 {
		m[0], b[0] = margin, label
		l.Slopes(s, m, b)
		return s[0]
	}
}

// ContinuousCurvature reports whether φ” is known to have no jumps.
func ContinuousCurvature(l Loss) bool {
	switch l.(type) {
	case loss.Logistic, loss.Squared:
		return true
	}
	return false
}

// FusedLoss returns the kernels' name of a loss that they know. The type itself
// counts: one that embeds it may have other slopes.
func FusedLoss(l Loss) (kernels.LossKind, bool) {
	switch l.(type) {
	case loss.Logistic:
		return kernels.LogisticLossKind, true
	case loss.Squared:
		return kernels.SquaredLossKind, true
	}
	return 0, false
}

// NewtonLoss returns a loss with its conjugate, nil if that is not known.
func NewtonLoss(l Loss) fenchel.Loss {
	switch l := l.(type) {
	case loss.Logistic:
		return fenchel.Logistic{}
	case loss.Squared:
		return fenchel.Squared{}
	case loss.SquaredHinge:
		return fenchel.SquaredHinge{}
	case loss.Huber:
		return fenchel.NewHuber(l.Delta)
	case fenchel.Conjugated:
		return fenchel.Custom{Of: l}
	}
	return nil
}
