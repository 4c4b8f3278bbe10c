package solver

import (
	"math"

	"github.com/scas-admm/scas/solver/internal/quadratic"
	"github.com/scas-admm/scas/solver/internal/term"
)

// makeExact makes the zeros of r.X exact in a copy, and also the ties if this does not raise the objective.
// It returns the copy and true. If it cannot make the zeros exact, or if the objective would rise by more
// than rounding, it returns r.X itself and false.
func (r *Run) makeExact() ([]float64, bool) {
	p := r.Problem
	value := p.Evaluate(r.X).Objective
	shifted := p.Coupling != nil && p.Coupling.C != nil
	isMap := r.product.Matrix() == nil && !r.product.IsIdentity()
	if math.IsNaN(value) || math.IsInf(value, 0) || shifted || isMap {
		return r.X, false
	}
	s := quadratic.ReadStructure(r.product.Matrix(), r.Y, term.Limits(p.penalty(), len(r.Y)), len(r.X))
	return s.MakeExact(r.X, p.project, func(x []float64) float64 { return p.Evaluate(x).Objective })
}
