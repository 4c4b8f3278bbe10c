package solver_test

import (
	"math"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/solvertest"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

// readTable reads a table of numbers from the directory ref of the test data.
func readTable(t *testing.T, name string) [][]float64 {
	t.Helper()
	return sparsetest.Numbers(t, sparsetest.DataFile(t, "ref", name))
}

func column(rows [][]float64, j int) []float64 {
	c := make([]float64, len(rows))
	for i, row := range rows {
		c[i] = row[j]
	}
	return c
}

// compareGenlasso minimises ½|b − Xx|² + λ|Gx|₁, and compares objective and solution with the results of R's
// genlasso.
func compareGenlasso(
	t *testing.T, x *sparse.CSR, b []float64, g *sparse.CSR, lambda, objective float64, solution []float64,
	passes float64,
) {
	t.Helper()
	halfRowCount := float64(len(b)) / 2
	p := &solver.Problem{
		Data: x, Labels: b, Loss: solver.Squared{}, Constraint: g,
		Penalty: solver.L1{Lambda: lambda / halfRowCount},
	}
	res := solvertest.Minimize(t, p, &solver.Settings{Passes: passes})
	if got := halfRowCount * res.At.Objective; math.Abs(got-objective) > 1e-6 {
		t.Errorf("lambda %v: objective %.9f, genlasso %.9f", lambda, got, objective)
	}
	if d := solvertest.Distance(res.X, solution); d > 1e-3 {
		t.Errorf("lambda %v: %.1e from genlasso's solution", lambda, d)
	}
	t.Logf("lambda %v: objective off by %.1e, solution by %.1e, plan %s",
		lambda, halfRowCount*res.At.Objective-objective, solvertest.Distance(res.X, solution),
		res.Stats.PlanReason)
}

// TestGenlassoChain compares the fused lasso of a signal with R's genlasso.
func TestGenlassoChain(t *testing.T) {
	b, beta := column(readTable(t, "fl1d_y.txt"), 0), readTable(t, "fl1d_beta_lambda_5_1_0.5_0.1.txt")
	objectives := []float64{49.6469421295492, 11.8741920294346, 6.24225285074227, 1.50502957013045}
	for k, lambda := range []float64{5, 1, 0.5, 0.1} {
		compareGenlasso(t, sparse.Identity(100), b, graph.Chain(100).Incidence(), lambda, objectives[k], column(beta, k), 4000)
	}
}

// TestGenlassoGraph compares graph-guided fused least squares with R's genlasso.
func TestGenlassoGraph(t *testing.T) {
	rows, beta := readTable(t, "ggfl_yX_120x21.txt"), readTable(t, "ggfl_beta_lambda_50_20_5_1.txt")
	var values []float64
	for _, row := range rows {
		values = append(values, row[1:]...)
	}
	x, err := sparse.FromDense(120, 20, values)
	if err != nil {
		t.Fatal(err)
	}
	g, err := graph.ReadEdgesFile(sparsetest.DataFile(t, "ref", "ggfl_edges.txt"), 20)
	if err != nil {
		t.Fatal(err)
	}
	objectives := []float64{640.794137191455, 309.817601478637, 123.892679221815, 70.6721605217699}
	for k, lambda := range []float64{50, 20, 5, 1} {
		compareGenlasso(t, x, column(rows, 0), g.Incidence(), lambda, objectives[k], column(beta, k), 1000)
	}
}
