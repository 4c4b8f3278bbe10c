package solver_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/solvertest"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// TestOneHot checks that the default method converges if rows of the data have at most one entry, like
// encoded categories, and that its objective is not above the objective of SCASK.
func TestOneHot(t *testing.T) {
	for _, c := range []struct{ n, p, entryRowCount int }{{64, 2, 3}, {400, 10, 400}} {
		rng := rand.New(rand.NewPCG(uint64(c.n), 22))
		var entries []sparse.Triplet
		labels := make([]float64, c.n)
		for i := range labels {
			j := rng.IntN(c.p)
			if i < c.entryRowCount {
				entries = append(entries, sparse.Triplet{Row: i, Col: j, Value: 1})
			}
			labels[i] = -1
			if rng.IntN(2*c.p) <= c.p/2+j {
				labels[i] = 1
			}
		}
		x, err := sparse.FromTriplets(c.n, c.p, entries)
		if err != nil {
			t.Fatal(err)
		}
		chain := graph.Chain(c.p).FusedLasso()
		for _, loss := range solvertest.Losses(0.5, -1, 1) {
			for name, p := range map[string]*solver.Problem{
				"plain": {}, "mu": {L2: 0.01}, "chain": {Constraint: chain}, "chain and mu": {L2: 0.01, Constraint: chain},
			} {
				t.Run(fmt.Sprintf("%d x %d/%T/%s", c.n, c.p, loss, name), func(t *testing.T) {
					p.Data, p.Labels, p.Loss, p.Penalty = x, labels, loss, solver.L1{Lambda: 1e-3}
					res := solvertest.Minimize(t, p, &solver.Settings{RelTol: 1e-11})
					scaskRun := solvertest.Minimize(t, p, &solver.Settings{Method: solver.SCASK{}, Passes: 400})
					if excess := res.At.Objective - scaskRun.At.Objective; res.Status != solver.Converged ||
						excess > 1e-11 || excess < -1e-6 {
						t.Errorf("%s, %.1e above what passes find", res.Status, excess)
					}
				})
			}
		}
	}
}
