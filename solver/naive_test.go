package solver_test

import (
	"math"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/solvertest"
	"github.com/scas-admm/scas/sparse"
)

// TestIteratesEqualNaive compares the iterates of the SCAS-ADMM methods with the iterates of dense loops that
// follow the paper and use the same samples.
func TestIteratesEqualNaive(t *testing.T) {
	classify, _ := solvertest.PlantedProblem(t, sparse.SyntheticOptions{Rows: 60, Features: 23, NonzerosPerRow: 7, Seed: 1}, 1e-2)
	regress, _ := solvertest.PlantedProblem(t, sparse.SyntheticOptions{Rows: 60, Features: 23, NonzerosPerRow: 7, Seed: 2, Regression: true, Noise: 0.1}, 1e-2)
	wide, _ := solvertest.PlantedProblem(t, sparse.SyntheticOptions{Rows: 60, Features: 200, NonzerosPerRow: 5, Seed: 3}, 1e-3)
	lasso := func(p *solver.Problem) { p.Constraint = nil }
	cases := []struct {
		name  string
		base  *solver.Problem
		mod   func(*solver.Problem)
		batch int
	}{
		{"batches", classify, func(*solver.Problem) {}, 4},
		{"batches, ball", classify, func(p *solver.Problem) { p.Domain = solver.Ball{Radius: 0.2} }, 3},
		{"identity", classify, lasso, 0},
		{"wide identity", wide, lasso, 0},
		{"wide graph", wide, func(*solver.Problem) {}, 0},
		{"wide graph, L2", wide, func(p *solver.Problem) { p.L2 = 0.3 }, 0},
		{"wide graph, large mu", wide, func(p *solver.Problem) { p.L2 = 20 }, 0},
		{"wide graph, ball", wide, func(p *solver.Problem) { p.Domain = solver.Ball{Radius: 0.1} }, 0},
		{"wide identity, large mu", wide, func(p *solver.Problem) { lasso(p); p.L2 = 4 }, 0},
		{"wide identity, ball", wide, func(p *solver.Problem) { lasso(p); p.Domain = solver.Ball{Radius: 0.3} }, 0},
		{"wide identity, ball, large mu", wide, func(p *solver.Problem) { lasso(p); p.L2 = 4; p.Domain = solver.Ball{Radius: 0.05} }, 0},
		{"wide identity, box", wide, func(p *solver.Problem) { lasso(p); p.Domain = solver.NewBox(200, -0.02, 0.05) }, 0},
		{"identity, ball", classify, func(p *solver.Problem) { lasso(p); p.Domain = solver.Ball{Radius: 0.2} }, 0},
		{"graph, ball", classify, func(p *solver.Problem) { p.Domain = solver.Ball{Radius: 0.1} }, 0},
		{"graph", classify, func(*solver.Problem) {}, 0},
		{"graph, L2", classify, func(p *solver.Problem) { p.L2 = 0.05 }, 0},
		{"identity, L2", classify, func(p *solver.Problem) { lasso(p); p.L2 = 0.05 }, 0},
		{"weights", classify, func(p *solver.Problem) {
			l, _ := p.Constraint.Dims()
			weights := make([]float64, l)
			for j := range l {
				weights[j] = float64(j % 3)
			}
			p.Penalty = solver.L1{Lambda: 1e-2, Weights: weights}
		}, 0},
		{"squared", regress, func(*solver.Problem) {}, 0},
		{"squared, identity", regress, lasso, 0},
		{"graph, box", classify, func(p *solver.Problem) { p.Domain = solver.NewBox(23, -0.05, 0.1) }, 0},
		{"A = 0: SVRG with averaged snapshots", classify, func(p *solver.Problem) { p.Constraint = matrix(t, 1, 23, func(int, int) float64 { return 0 }) }, 0},
		{"user's domain", classify, func(p *solver.Problem) { p.Domain = positive{} }, 0},
	}
	plans := map[string]bool{}
	for _, c := range cases {
		for _, m := range []struct {
			method solver.Method
			k      int
		}{{solver.SCAS{}, 1}, {solver.SCASK{}, 1}, {solver.SCASK{}, 7}, {solver.SCASStrong{}, 1}, {solver.SCASL{}, 1}, {solver.SCASL{}, 5}} {
			prob := *c.base
			c.mod(&prob)
			if m.method == (solver.SCASStrong{}) && prob.Domain != nil {
				continue
			}
			set := &solver.Settings{Method: m.method, DualUpdates: m.k, Eta: 0.03, Rho: 0.05, Passes: 6, Seed: 42, BatchSize: c.batch}
			res := solvertest.Minimize(t, &prob, set)
			plans[res.Stats.Plan] = true
			ref := solvertest.NewNaive(&prob, set)
			ref.BatchSize = c.batch
			if m.method == (solver.SCASL{}) {
				ref.Kappa = set.Rho * res.Stats.Constants.Lambda1
			}
			ref.Nu = math.Min(res.Stats.Constants.NuL, 1/set.Eta)
			average := make([]float64, len(ref.X))
			for range 3 {
				ref.OuterIteration(60/max(1, c.batch), m.k, m.method == solver.SCASStrong{})
				for j, v := range ref.X {
					average[j] += v / 3
				}
			}
			last := solvertest.LastIterate(t, &prob, set)
			for _, v := range []struct {
				name      string
				got, want []float64
			}{{"x", last, ref.X}, {"average", res.XAverage, average}, {"y", res.Y, ref.Y}, {"beta", res.Dual, ref.Beta}} {
				if d := solvertest.RelativeDistance(v.got, v.want); !(d < 1e-12) {
					t.Errorf("%s, %T, K = %d, %s plan (%s): %s differs from the naive loop by %.1e", c.name, m.method, m.k, res.Stats.Plan, res.Stats.PlanReason, v.name, d)
				}
			}
		}
	}
	for _, plan := range []string{"dense", "minibatch", "diagonal", "diagonal-lazy", "diagonal-box", "diagonal-ball", "rotated", "rotated-sparse"} {
		if !plans[plan] {
			t.Errorf("no case took the %s plan", plan)
		}
	}
}

// positive is the set x ≥ 0 as a caller's own domain, which no kernel supports.
type positive struct{}

func (positive) Project(x []float64) {
	for j, v := range x {
		x[j] = math.Max(v, 0)
	}
}
func (positive) Diameter() float64  { return math.Inf(1) }
func (positive) Validate(int) error { return nil }
