package solver_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/solvertest"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// withScaledColumns returns p with each column of its data multiplied by a factor from 1e-3 to 1e3.
func withScaledColumns(t *testing.T, p *solver.Problem) *solver.Problem {
	t.Helper()
	_, features := p.Data.Dims()
	rng := rand.New(rand.NewPCG(7, 7))
	factors := make([]float64, features)
	for j := range factors {
		factors[j] = math.Pow(10, 6*rng.Float64()-3)
	}
	q := *p
	var err error
	q.Data, err = p.Data.ScaleColumns(factors)
	if err != nil {
		t.Fatal(err)
	}
	return &q
}

// TestUnits checks the plan and the gap of runs with columns of different units. The gap must be much smaller
// than with a given rho, for which all columns have the same step size.
func TestUnits(t *testing.T) {
	for _, c := range []struct {
		name      string
		a         solver.Operator
		mu        float64
		method    solver.Method
		opt       sparse.SyntheticOptions
		plan      string
		tolerance float64
	}{
		{
			"few features", nil, 0, solver.SCASK{},
			sparse.SyntheticOptions{Rows: 400, Features: 20, Noise: 1, Seed: 3}, "diagonal", 1e-4,
		},
		{
			"sparse rows", nil, 0, solver.SCASK{},
			sparse.SyntheticOptions{Rows: 3000, Features: 400, NonzerosPerRow: 5, Noise: 1, Seed: 3},
			"diagonal-decay", 1e-4,
		},
		{
			"regression with mu", nil, 1e-3, solver.SCASK{},
			sparse.SyntheticOptions{Rows: 400, Features: 20, Noise: 1, Seed: 4, Regression: true}, "diagonal",
			1e-9,
		},
		{
			"chain", graph.Chain(20).FusedLasso(), 0, solver.SCASK{},
			sparse.SyntheticOptions{Rows: 400, Features: 20, Noise: 1, Seed: 5}, "rotated", 1e-3,
		},
		{
			"linearised", graph.Chain(20).FusedLasso(), 1e-4, solver.SCASL{},
			sparse.SyntheticOptions{Rows: 400, Features: 20, Noise: 1, Seed: 5}, "diagonal", 1e-3,
		},
	} {
		plain, _ := solvertest.PlantedProblem(t, c.opt, 1e-5)
		p := withScaledColumns(t, plain)
		p.Constraint, p.L2 = c.a, c.mu
		best := solvertest.Minimize(t, p, &solver.Settings{RelTol: 1e-11}).At.Objective
		res := solvertest.Minimize(t, p, &solver.Settings{Method: c.method, Passes: 200})
		givenRhoRun := solvertest.Minimize(t, p, &solver.Settings{Method: c.method, Passes: 200, Rho: 1e-4})
		gap, old := res.At.Objective-best, givenRhoRun.At.Objective-best
		if !(gap <= c.tolerance*best) || !(gap < old/20) {
			t.Errorf("%s: gap %.1e, with equal steps %.1e", c.name, gap, old)
		}
		if res.Stats.Plan != c.plan {
			t.Errorf("%s: plan %s, want %s", c.name, res.Stats.Plan, c.plan)
		}
	}
}

// TestScaledColumnsOnSimplexAndBall checks that runs on a simplex and on a ball converge if columns are
// multiplied by factors from 1e-8 to 1e8.
func TestScaledColumnsOnSimplexAndBall(t *testing.T) {
	for _, d := range []solver.Domain{solver.Simplex{Total: 2}, solver.Ball{Radius: 2}} {
		for seed := range uint64(20) {
			rng, factors := rand.New(rand.NewPCG(seed, 1)), make([]float64, 6)
			for j := range factors {
				factors[j] = math.Pow(10, 16*rng.Float64()-8)
			}
			p := normalProblem(t, 6, solver.Logistic{}, func(row []float64, _ float64) {
				for j, s := range factors {
					row[j] *= s
				}
			})
			p.Domain, p.Penalty = d, solver.L1{Lambda: 1e-3}
			if _, err := solver.Minimize(t.Context(), p, nil); err != nil {
				t.Errorf("%T, seed %d: %v", d, seed, err)
			}
		}
	}
}
