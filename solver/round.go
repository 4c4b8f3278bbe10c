package solver

import (
	"math"

	"github.com/scas-admm/scas/solver/internal/quadratic"
	"github.com/scas-admm/scas/solver/internal/term"
)

// makeExact returns a copy of r.X with exact zeros, or with exact zeros and ties, and true. It returns r.X
// itself and false if it cannot make them exact, or if the objective would rise by more than rounding.
func (r *Run) makeExact() ([]float64, bool) {
	p := r.Problem
	value := p.Evaluate(r.X).Objective
	shifted := p.Coupling != nil && p.Coupling.C != nil
	if math.IsNaN(value) || math.IsInf(value, 0) || shifted || r.product.Matrix() == nil && !r.product.Identity() {
		return r.X, false
	}
	s := quadratic.ReadStructure(r.product.Matrix(), r.Y, term.Limits(p.penalty(), len(r.Y)), len(r.X))
	return s.MakeExact(r.X, p.project, func(x []float64) float64 { return p.Evaluate(x).Objective })
}
