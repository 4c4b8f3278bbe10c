package solver

import (
	"math"

	"github.com/scas-admm/scas/solver/internal/quadratic"
	"github.com/scas-admm/scas/solver/internal/term"
)

// rounding bounds the relative rounding error in the value of an objective.
const rounding = 16 * 0x1p-52

// makeExact tries two points near r.X: one with exact zeros, and one with exact zeros and ties. It projects
// each point onto the domain. It rejects a point that has lost its zeros or ties there, or whose objective is
// larger than at r.X by more than rounding. It returns an accepted point and true. If it accepts both, it
// returns the point with ties, unless the objective there is larger than at the other point by more than
// rounding. makeExact returns r.X and false if it rejects both. It tries no point if the objective at r.X is
// not finite, if A is an operator without a matrix, or if Coupling.C is set.
func (r *Run) makeExact() ([]float64, bool) {
	p, a := r.Problem, r.product.Matrix()
	value := p.Evaluate(r.X).Objective
	shifted := p.Coupling != nil && p.Coupling.C != nil
	isMap := a == nil && !r.product.IsIdentity()
	if math.IsNaN(value) || math.IsInf(value, 0) || shifted || isMap {
		return r.X, false
	}
	best, exact := r.X, false
	highest := value + float64(rounding*math.Abs(value))
	for _, ties := range []bool{false, true} {
		partition := quadratic.ReadPartition(a, r.Y, term.Limits(p.penalty(), len(r.Y)), len(r.X), ties)
		x, y := make([]float64, len(r.X)), make([]float64, partition.GroupCount)
		partition.Nearest(y, r.X)
		partition.Expand(x, y)
		p.project(x)
		v := p.Evaluate(x).Objective
		if v <= highest && partition.Holds(x) {
			best, exact = x, true
			highest = min(highest, v+float64(rounding*math.Abs(v)))
		}
	}
	return best, exact
}
