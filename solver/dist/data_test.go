package dist_test

import (
	"math"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/solvertest"
	"github.com/scas-admm/scas/sparse/graph"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

// TestData checks on the public data sets that the objective of 2, 4 and 16 ranks differs from the objective
// of one process by at most 1e-6 ln 2.
func TestData(t *testing.T) {
	sparsetest.Long(t)
	for _, c := range []struct {
		name     string
		features int
		lambda   float64
		graph    string
	}{
		{"paper/a9a.zst", 123, 1e-5, ""},
		{"paper/a9a.zst", 123, 1e-5, "graphs/a9a_glasso_0.1.edges"},
		{"paper/covtype.libsvm.binary.scale.zst", 54, 1e-5, ""},
		{"paper/rcv1v2_binary_train.libsvm.zst", 47236, 1e-4, ""},
		{"paper/rcv1v2_binary_train.libsvm.zst", 47236, 1e-4, "chain"},
	} {
		p := solvertest.LoadProblem(t, c.name, c.features)
		p.Penalty = solver.L1{Lambda: c.lambda}
		switch c.graph {
		case "":
		case "chain":
			p.Constraint = graph.Chain(c.features).FusedLasso()
		default:
			con, err := graph.ReadConstraintFile(sparsetest.DataFile(t, c.graph), c.features)
			if err != nil {
				t.Fatal(err)
			}
			p.Constraint = con.A
		}
		singleRun := solvertest.Minimize(t, p, nil)
		t.Logf("%s %s: one: %s %d Newton steps, %v passes, gap %.1e, %.3f s",
			c.name, c.graph, singleRun.Status, singleRun.Stats.NewtonSteps, singleRun.Stats.Passes,
			singleRun.DualityGap, singleRun.Stats.Seconds)
		for _, ranks := range []int{2, 4, 16} {
			got, errs := solve(t, p, solver.Settings{}, ranks)
			res := got[0]
			if res == nil {
				t.Fatal(errs)
			}
			difference := res.At.Objective - singleRun.At.Objective
			t.Logf("%s %s: %d ranks: %s, %d Newton steps, %v passes, apart %.1e, gap %.1e, %.3f s",
				c.name, c.graph, ranks, res.Status, res.Stats.NewtonSteps, res.Stats.Passes, difference,
				res.DualityGap, res.Stats.Seconds)
			if errs[0] != nil || math.Abs(difference) > 1e-6*math.Ln2 {
				t.Errorf("%v", errs)
			}
		}
	}
}
