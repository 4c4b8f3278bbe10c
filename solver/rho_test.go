package solver_test

import (
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/solvertest"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// TestRhoWithRidge: with mu far above lambda, rho follows mu, and the objective falls
// further than with the rho that lambda alone asks for.
func TestRhoWithRidge(t *testing.T) {
	for _, a := range []solver.Operator{nil, graph.Chain(60).FusedLasso()} {
		p, _ := solvertest.Planted(t, sparse.SyntheticOptions{Rows: 2000, Features: 60, NonzerosPerRow: 20, Noise: 1, Seed: 3}, 1e-5)
		p.Constraint, p.L2 = a, 0
		lambda := solvertest.Minimize(t, p, &solver.Settings{Method: solver.SCASK{}, Passes: 2}).Stats.Rho
		p.L2 = 1e-2
		best := solvertest.Minimize(t, p, &solver.Settings{RelTol: 1e-12}).At.Objective
		gap := func(rho float64) float64 {
			return solvertest.Minimize(t, p, &solver.Settings{Method: solver.SCASK{}, Passes: 30, Rho: rho}).At.Objective - best
		}
		if auto, old := gap(0), gap(lambda); !(auto < old/10) {
			t.Errorf("A = %T: gap %.1e, with the rho of mu = 0 %.1e", a, auto, old)
		}
	}
}
