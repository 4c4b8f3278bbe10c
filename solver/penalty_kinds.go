package solver

import (
	"github.com/scas-admm/scas/solver/internal/columns"
	"github.com/scas-admm/scas/solver/internal/newton"
)

// This file says what other packages have to know of the penalties of this one.

// penaltyZeros reports whether g is known to be least, whatever the other coordinates
// of y are, where some are zero.
func penaltyZeros(g Penalty) bool {
	switch g := g.(type) {
	case L1, ElasticNet, SquaredL2, GroupL2:
		return true
	case Within:
		return g.Lower <= 0 && g.Upper >= 0
	}
	return false
}

// penaltyPart returns g as a function of the coordinates of y at the places, in order,
// the others being zero. It is one of which penaltyZeros is true.
func penaltyPart(g Penalty, places []int32) Penalty {
	switch g := g.(type) {
	case L1:
		g.Weights = columns.Take(g.Weights, places)
		return g
	case GroupL2:
		return g.part(places)
	}
	return g
}

// newtonPenalty fills in the penalty, and reports whether it is known there.
func newtonPenalty(q *newton.Problem, g Penalty) bool {
	q.Penalise(0, 0)
	switch g := g.(type) {
	case L1:
		for j := range q.Limit {
			q.Limit[j] = g.Limit(j)
		}
	case ElasticNet:
		q.Penalise(g.L1, g.L2)
	case SquaredL2:
		q.Penalise(0, g.Lambda)
	case GroupL2:
		q.Groups = g.Groups
		for k, group := range g.Groups {
			for _, row := range group {
				q.Limit[row] = g.limit(k)
			}
		}
	case Within:
		if !q.A.Identity() || q.Domain != nil {
			return false
		}
		q.Domain = newton.NewBox(len(q.Limit), g.Lower, g.Upper)
	default:
		return false
	}
	return true
}
