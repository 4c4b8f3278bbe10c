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
	classification, _ := solvertest.PlantedProblem(t, sparse.SyntheticOptions{Rows: 60, Features: 23, NonzerosPerRow: 7, Seed: 1}, 1e-2)
	regression, _ := solvertest.PlantedProblem(t, sparse.SyntheticOptions{Rows: 60, Features: 23, NonzerosPerRow: 7, Seed: 2, Regression: true, Noise: 0.1}, 1e-2)
	wide, _ := solvertest.PlantedProblem(t, sparse.SyntheticOptions{Rows: 60, Features: 200, NonzerosPerRow: 5, Seed: 3}, 1e-3)
	toLasso := func(p *solver.Problem) { p.Constraint = nil }
	cases := []struct {
		name      string
		base      *solver.Problem
		mod       func(*solver.Problem)
		batchSize int
	}{
		{"batches", classification, func(*solver.Problem) {}, 4},
		{"batches, ball", classification, func(p *solver.Problem) { p.Domain = solver.Ball{Radius: 0.2} }, 3},
		{"identity", classification, toLasso, 0},
		{"wide identity", wide, toLasso, 0},
		{"wide graph", wide, func(*solver.Problem) {}, 0},
		{"wide graph, L2", wide, func(p *solver.Problem) { p.L2 = 0.3 }, 0},
		{"wide graph, large mu", wide, func(p *solver.Problem) { p.L2 = 20 }, 0},
		{"wide graph, ball", wide, func(p *solver.Problem) { p.Domain = solver.Ball{Radius: 0.1} }, 0},
		{"wide identity, large mu", wide, func(p *solver.Problem) { toLasso(p); p.L2 = 4 }, 0},
		{"wide identity, ball", wide, func(p *solver.Problem) { toLasso(p); p.Domain = solver.Ball{Radius: 0.3} }, 0},
		{"wide identity, ball, large mu", wide, func(p *solver.Problem) { toLasso(p); p.L2 = 4; p.Domain = solver.Ball{Radius: 0.05} }, 0},
		{"wide identity, box", wide, func(p *solver.Problem) { toLasso(p); p.Domain = solver.NewBox(200, -0.02, 0.05) }, 0},
		{"identity, ball", classification, func(p *solver.Problem) { toLasso(p); p.Domain = solver.Ball{Radius: 0.2} }, 0},
		{"graph, ball", classification, func(p *solver.Problem) { p.Domain = solver.Ball{Radius: 0.1} }, 0},
		{"graph", classification, func(*solver.Problem) {}, 0},
		{"graph, L2", classification, func(p *solver.Problem) { p.L2 = 0.05 }, 0},
		{"identity, L2", classification, func(p *solver.Problem) { toLasso(p); p.L2 = 0.05 }, 0},
		{"weights", classification, func(p *solver.Problem) {
			l, _ := p.Constraint.Dims()
			weights := make([]float64, l)
			for j := range l {
				weights[j] = float64(j % 3)
			}
			p.Penalty = solver.L1{Lambda: 1e-2, Weights: weights}
		}, 0},
		{"squared", regression, func(*solver.Problem) {}, 0},
		{"squared, identity", regression, toLasso, 0},
		{"graph, box", classification, func(p *solver.Problem) { p.Domain = solver.NewBox(23, -0.05, 0.1) }, 0},
		{"A = 0: SVRG with averaged snapshots", classification, func(p *solver.Problem) { p.Constraint = matrix(t, 1, 23, func(int, int) float64 { return 0 }) }, 0},
		{"user's domain", classification, func(p *solver.Problem) { p.Domain = ownNonnegative{} }, 0},
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
			set := &solver.Settings{Method: m.method, DualUpdates: m.k, Eta: 0.03, Rho: 0.05, Passes: 6, Seed: 42, BatchSize: c.batchSize}
			res := solvertest.Minimize(t, &prob, set)
			plans[res.Stats.Plan] = true
			ref := solvertest.NewNaive(&prob, set)
			ref.BatchSize = c.batchSize
			if m.method == (solver.SCASL{}) {
				ref.Kappa = set.Rho * res.Stats.Constants.Lambda1
			}
			ref.Nu = math.Min(res.Stats.Constants.NuL, 1/set.Eta)
			average := make([]float64, len(ref.X))
			for range 3 {
				ref.OuterIteration(60/max(1, c.batchSize), m.k, m.method == solver.SCASStrong{})
				for j, v := range ref.X {
					average[j] += v / 3
				}
			}
			lastX := solvertest.LastIterate(t, &prob, set)
			for _, v := range []struct {
				name      string
				got, want []float64
			}{{"x", lastX, ref.X}, {"average", res.XAverage, average}, {"y", res.Y, ref.Y}, {"beta", res.Dual, ref.Beta}} {
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

// ownNonnegative is the set x ≥ 0 as a caller's own domain, which no kernel supports.
type ownNonnegative struct{}

func (ownNonnegative) Project(x []float64) {
	for j, v := range x {
		x[j] = math.Max(v, 0)
	}
}
func (ownNonnegative) Diameter() float64  { return math.Inf(1) }
func (ownNonnegative) Validate(int) error { return nil }
