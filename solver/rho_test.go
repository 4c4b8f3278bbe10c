package solver_test

import (
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/solvertest"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// TestRhoWithRidge checks that with a large mu the automatic rho gives a gap at least 10 times smaller than
// the rho that is automatic for mu = 0.
func TestRhoWithRidge(t *testing.T) {
	starEdges := make([][2]int32, 59) // for this graph the eigenvalues of A'A are far apart
	for k := range starEdges {
		starEdges[k] = [2]int32{0, int32(k + 1)}
	}
	starGraph, err := graph.FromPairs(60, starEdges)
	if err != nil {
		t.Fatal(err)
	}
	starConstraint := starGraph.FusedLasso()
	for _, a := range []solver.Operator{nil, graph.Chain(60).FusedLasso(), starConstraint} {
		p, _ := solvertest.PlantedProblem(t,
			sparse.SyntheticOptions{Rows: 2000, Features: 60, NonzerosPerRow: 20, Noise: 1, Seed: 3}, 1e-5)
		p.Constraint, p.L2 = a, 0
		for _, m := range []solver.Method{solver.SCASK{}, solver.SCAS{}, solver.SCASStrong{}} {
			if m.Info().ManyUpdates && a == solver.Operator(starConstraint) {
				continue // here autoGap is only 5 times smaller than zeroMuGap
			}
			p.L2 = 0
			set := solver.Settings{Method: m, Passes: 30}
			set.Rho = solvertest.Minimize(t, p, &set).Stats.Rho
			p.L2 = 1e-2
			best := solvertest.Minimize(t, p, &solver.Settings{RelTol: 1e-12}).At.Objective
			// zeroMuGap is the gap with the rho of mu = 0.
			zeroMuGap := solvertest.Minimize(t, p, &set).At.Objective - best
			set.Rho = 0
			if autoGap := solvertest.Minimize(t, p, &set).At.Objective - best; !(autoGap < zeroMuGap/10) {
				t.Errorf("%s, A = %T: gap %.1e, with the rho of mu = 0 %.1e", m.Info().Name, a, autoGap, zeroMuGap)
			}
		}
	}
}

// TestFirstSteps checks that shorter steps at the beginning give a lower objective after two outer iterations
// if there are many rows for each feature. With fewer rows than features, SCASK must begin with the step size
// of SCAS.
func TestFirstSteps(t *testing.T) {
	p, _ := solvertest.PlantedProblem(t, sparse.SyntheticOptions{Rows: 1000, Features: 30, Noise: 1, Seed: 6}, 1e-3)
	best := solvertest.Minimize(t, p, &solver.Settings{RelTol: 1e-10}).At.Objective
	shortStepsRun := solvertest.Minimize(t, p, &solver.Settings{Method: solver.SCASK{}, Passes: 4})
	curvature := 0.9 / shortStepsRun.Stats.Eta // Eta at the second snapshot was 0.9/curvature, see admm.StepFactor
	longStepsRun := solvertest.Minimize(t, p,
		&solver.Settings{Method: solver.SCASK{}, Passes: 4, Rho: shortStepsRun.Stats.Rho, Eta: 1.5 / curvature})
	if a, b := shortStepsRun.At.Objective-best, longStepsRun.At.Objective-best; !(a < b/2) {
		t.Errorf("gap %.1e, with steps as long as the last %.1e", a, b)
	}
	wideProblem, _ := solvertest.PlantedProblem(t, sparse.SyntheticOptions{Rows: 100, Features: 300, Noise: 1, Seed: 6}, 1e-3)
	scaskRun := solvertest.Minimize(t, wideProblem, &solver.Settings{Method: solver.SCASK{}, Passes: 2})
	scasRun := solvertest.Minimize(t, wideProblem, &solver.Settings{Method: solver.SCAS{}, Passes: 2})
	if r := scaskRun.Stats.Eta / scasRun.Stats.Eta; r < 0.999 || r > 1.001 {
		t.Errorf("first step %.3g of that of scas where features outnumber rows", r)
	}
}
