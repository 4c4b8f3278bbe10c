package solver

import "github.com/scas-admm/scas/solver/internal/rows"

// BalancedWeights returns sample weights that give both classes the same total,
// with mean 1. Labels are −1 and +1.
func BalancedWeights(labels []float64) []float64 { return (*rows.Team)(nil).Balanced(labels) }
