package kind

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/solver/internal/columns"
	"github.com/scas-admm/scas/solver/internal/newton"
	"github.com/scas-admm/scas/solver/internal/region"
	"github.com/scas-admm/scas/solver/penalty"
)

// A Penalty is any penalty.
type Penalty interface {
	Value(y []float64) float64
	Prox(dst, v, step []float64)
	Separable() bool
	Scale() float64
	Validate(q int) error
}

// PenaltyZeros reports whether g is known to be least, whatever the other coordinates
// of y are, where some are zero.
func PenaltyZeros(g Penalty) bool {
	switch g := g.(type) {
	case penalty.L1, penalty.ElasticNet, penalty.SquaredL2, penalty.GroupL2:
		return true
	case penalty.Within:
		return g.Lower <= 0 && g.Upper >= 0
	}
	return false
}

// PenaltyPart returns g as a function of the coordinates of y at the places, in order,
// the others being zero. It is one of which PenaltyZeros is true.
func PenaltyPart(g Penalty, places []int32) Penalty {
	switch g := g.(type) {
	case penalty.L1:
		g.Weights = columns.Take(g.Weights, places)
		return g
	case penalty.ElasticNet:
		g.Weights = columns.Take(g.Weights, places)
		return g
	case penalty.GroupL2:
		return groupsPart(g, places)
	}
	return g
}

// groupsPart is PenaltyPart. Weights that follow from the size of a group stay those of
// all of it.
func groupsPart(g penalty.GroupL2, places []int32) penalty.GroupL2 {
	out := penalty.GroupL2{Lambda: g.Lambda, Weights: []float64{}}
	for k, group := range g.Groups {
		var left []int
		for _, j := range group {
			if at, ok := slices.BinarySearch(places, int32(j)); ok {
				left = append(left, at)
			}
		}
		if len(left) == 0 {
			continue
		}
		weight := math.Sqrt(float64(len(group)))
		if g.Weights != nil {
			weight = g.Weights[k]
		}
		out.Groups, out.Weights = append(out.Groups, left), append(out.Weights, weight)
	}
	return out
}

// limit sets the limits of the rows.
func limit(q *newton.Problem, g penalty.L1) {
	for j := range q.Limit {
		q.Limit[j] = g.Limit(j)
	}
}

// newtonPenalty fills in the penalty, and reports whether it is known there.
func newtonPenalty(q *newton.Problem, g Penalty) bool {
	q.Penalise(0, 0)
	switch g := g.(type) {
	case penalty.L1:
		limit(q, g)
	case penalty.ElasticNet:
		q.Penalise(0, g.L2)
		limit(q, g.Absolute())
	case penalty.SquaredL2:
		q.Penalise(0, g.Lambda)
	case penalty.GroupL2:
		q.Groups = g.Groups
		for k, group := range g.Groups {
			for _, row := range group {
				q.Limit[row] = g.Limit(k)
			}
		}
	case penalty.Within:
		if !q.A.Identity() || q.Domain != nil {
			return false
		}
		q.Domain = region.NewBox(len(q.Limit), g.Lower, g.Upper)
	default:
		return false
	}
	return true
}
