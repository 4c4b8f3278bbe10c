package admm

import (
	"math"

	"github.com/scas-admm/scas/solver/internal/linalg"
)

// Scales holds the sizes of a problem from which the automatic ρ and η are computed.
type Scales struct {
	Samples, Features int     // mean number of samples of a process; number of features
	RowNorm           float64 // root mean square of |aᵢ|
	// Unit is the typical size of a margin: for regression the root mean square of the labels, otherwise 1.
	Unit             float64
	Curvature        float64 // upper bound of φ″
	Mu               float64 // factor of the ridge
	Lambda           float64 // Penalty.Scale; 0 for a penalty without a scale, such as an indicator
	Limited          bool    // true if the penalty bounds |beta|, as L1 does
	Lambda1, LambdaP float64 // the largest and the smallest eigenvalue of A'A
}

// NaturalRho returns factor·Lambda·RowNorm/Unit, or 1e-4 if this is 0. For an indicator with RowNorm > 0 it
// returns the mean curvature of the loss along a feature instead.
func (s *Scales) NaturalRho(factor float64) float64 {
	rhoPerLambda := s.RowNorm / s.Unit * factor
	switch {
	case s.Lambda == 0 && s.RowNorm > 0 && !s.Limited:
		return s.Curvature * float64(s.RowNorm*s.RowNorm) / float64(s.Features)
	case s.Lambda == 0 || rhoPerLambda == 0:
		return 1e-4 // any small ρ works
	}
	return float64(s.Lambda * rhoPerLambda)
}

// Rho returns the automatic ρ for the given number of dual updates in an outer iteration.
func (s *Scales) Rho(updates int) float64 {
	factor := 1.0
	if updates > 1 { // with several dual updates a larger ρ is better
		factor = 3
	}
	rowCurvature := s.Curvature * float64(s.RowNorm*s.RowNorm)
	return max(s.NaturalRho(factor), min(s.RidgeRho(updates), 0.1*rowCurvature/s.Lambda1))
}

// UsableRho returns the number nearest to rho from 1/linalg.MaxEntry to linalg.MaxEntry, so that quotients by
// ρ are finite. For NaN it returns linalg.MaxEntry. The automatic ρ may be NaN or +Inf, for example if A is
// zero, and it may be tiny if lambda is.
func UsableRho(rho float64) float64 {
	if !(rho <= linalg.MaxEntry) {
		return linalg.MaxEntry
	}
	return max(rho, 1/linalg.MaxEntry)
}

// RidgeRho returns a ρ with which y and beta converge fast, for mu > 0. With one dual update per outer
// iteration, they converge like a gradient method on A'A, and ρ is mu divided by the mean of λ₁ and λ_p, the
// largest and the smallest eigenvalue of A'A. With several dual updates, ρ is 4 mu/√(λ₁ λ_p), where λ_p
// counts as at least λ₁/100.
func (s *Scales) RidgeRho(updates int) float64 {
	if updates > 1 {
		return 4 * s.Mu / math.Sqrt(float64(s.Lambda1*math.Max(s.LambdaP, 0.01*s.Lambda1)))
	}
	return 2 * s.Mu / (s.Lambda1 + s.LambdaP)
}
