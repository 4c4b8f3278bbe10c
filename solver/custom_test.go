package solver_test

import (
	"fmt"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/solvertest"
	"github.com/scas-admm/scas/sparse"
)

// hiddenSquared is the squared loss as a caller's own type.
type hiddenSquared struct{ solver.Squared }

// TestPlansOfOwnLosses checks that a loss of the package and the same loss as a caller's own type give the
// same plan and the same bits.
func TestPlansOfOwnLosses(t *testing.T) {
	plans := map[string]bool{}
	for _, features := range []int{40, 900} {
		for _, graph := range []bool{false, true} {
			for _, domain := range []solver.Domain{nil, solver.Ball{Radius: 0.4}, solver.NewBox(features, -0.1, 0.1)} {
				p, _ := solvertest.PlantedProblem(t,
					sparse.SyntheticOptions{Rows: 200, Features: features, NonzerosPerRow: 8, Noise: 1, Seed: 3},
					1e-2)
				p.Domain = domain
				if !graph || features > 512 {
					p.Constraint = nil
				}
				p.Loss = solver.Squared{}
				set := &solver.Settings{Method: solver.SCASK{}, Passes: 4, Rho: 0.02, Eta: 0.02, NoProof: true}
				want := solvertest.Minimize(t, p, set)
				plans[want.Stats.Plan] = true
				p.Loss = hiddenSquared{}
				got := solvertest.Minimize(t, p, set)
				if fmt.Sprint(got.X) != fmt.Sprint(want.X) || got.Stats.Plan != want.Stats.Plan {
					t.Errorf("%d features, graph %t, %T: plan %s, want %s; solutions %.1e apart", features, graph, domain,
						got.Stats.Plan, want.Stats.Plan, solvertest.Distance(got.X, want.X))
				}
			}
		}
	}
	if len(plans) < 5 {
		t.Errorf("plans %v, want five kinds", plans)
	}
}
