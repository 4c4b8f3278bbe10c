package solver

import (
	"math"

	"github.com/scas-admm/scas/solver/internal/structure"
)

// round returns x with the structure of y made exact, and whether it did. Of the two
// candidates, zeros alone and zeros with ties at the mean of the tied, the best is
// taken unless both have a larger objective than x, by more than rounding may make
// of equal ones, or leave the domain.
func (r *Run) round() ([]float64, bool) {
	p := r.Problem
	best, value, rounded := r.X, p.Evaluate(r.X).Objective, false
	shifted := p.Coupling != nil && p.Coupling.C != nil
	if math.IsNaN(value) || math.IsInf(value, 0) || shifted || r.A.Matrix() == nil && !r.A.Identity() {
		return best, false
	}
	const rounding = 16 * 0x1p-52 // of a sum of terms of one sign
	value += rounding * math.Abs(value)
	s := structure.Read(r.A.Matrix(), r.Y, r.dual.Limit, len(r.X))
	for _, candidate := range [][]float64{s.Zeros(r.X), s.Ties(r.X)} {
		if p.Domain != nil {
			p.Domain.Project(candidate)
		}
		if v := p.Evaluate(candidate).Objective; v <= value {
			best, rounded = candidate, true
			value = min(value, v+rounding*math.Abs(v))
		}
	}
	return best, rounded
}
