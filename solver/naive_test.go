package solver_test

import (
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/solvertest"
	"github.com/scas-admm/scas/sparse"
)

// TestIteratesEqualNaive compares the iterates of the SCAS-ADMM methods with the iterates of dense loops that
// follow the paper and use the same samples. It also checks that the runs take all plans, and that the plan
// "dense" replaces a plan that does not fit the step size.
func TestIteratesEqualNaive(t *testing.T) {
	classification, _ := solvertest.PlantedProblem(t,
		sparse.SyntheticOptions{Rows: 60, Features: 23, NonzerosPerRow: 7, Seed: 1}, 1e-2)
	regression, _ := solvertest.PlantedProblem(t,
		sparse.SyntheticOptions{Rows: 60, Features: 23, NonzerosPerRow: 7, Seed: 2, Regression: true, Noise: 0.1},
		1e-2)
	wide, _ := solvertest.PlantedProblem(t, sparse.SyntheticOptions{Rows: 60, Features: 200, NonzerosPerRow: 5, Seed: 3}, 1e-3)
	wider, _ := solvertest.PlantedProblem(t, sparse.SyntheticOptions{Rows: 60, Features: 340, NonzerosPerRow: 5, Seed: 4}, 1e-3)
	toLasso := func(p *solver.Problem) { p.Constraint = nil }
	toDiagonal := func(p *solver.Problem) {
		p.Constraint = matrix(t, 340, 340, func(i, j int) float64 {
			if i != j {
				return 0
			}
			return 1 + float64(j%3)
		})
	}
	const (
		eta      = 0.03
		mediumL2 = 4  // so large that lazyPlan and ballPlan of package admm recompute their vector u in a round
		largeL2  = 20 // so large that 1 − eta largeL2 is below minFactor of package admm
	)
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
		{"wide graph, large L2", wide, func(p *solver.Problem) { p.L2 = largeL2 }, 0},
		{"wide graph, ball", wide, func(p *solver.Problem) { p.Domain = solver.Ball{Radius: 0.1} }, 0},
		{"wide identity, medium L2", wide, func(p *solver.Problem) { toLasso(p); p.L2 = mediumL2 }, 0},
		{"wide identity, large L2", wide, func(p *solver.Problem) { toLasso(p); p.L2 = largeL2 }, 0},
		{"wide identity, ball", wide, func(p *solver.Problem) { toLasso(p); p.Domain = solver.Ball{Radius: 0.3} }, 0},
		{
			"wide identity, ball, medium L2", wide,
			func(p *solver.Problem) { toLasso(p); p.L2 = mediumL2; p.Domain = solver.Ball{Radius: 0.02} }, 0,
		},
		{
			"wide identity, ball, large L2", wide,
			func(p *solver.Problem) { toLasso(p); p.L2 = largeL2; p.Domain = solver.Ball{Radius: 0.005} }, 0,
		},
		{"wide identity, box", wide, func(p *solver.Problem) { toLasso(p); p.Domain = solver.NewBox(200, -0.02, 0.05) }, 0},
		{"wider diagonal", wider, toDiagonal, 0},
		{"wider diagonal, large L2", wider, func(p *solver.Problem) { toDiagonal(p); p.L2 = largeL2 }, 0},
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
		{
			"A = 0: SVRG with averaged snapshots", classification,
			func(p *solver.Problem) { p.Constraint = matrix(t, 1, 23, func(int, int) float64 { return 0 }) },
			0,
		},
		{"user's domain", classification, func(p *solver.Problem) { p.Domain = ownNonnegative{} }, 0},
	}
	plans := map[string]bool{}
	for _, c := range cases {
		for _, m := range []struct {
			method solver.Method
			k      int
		}{
			{solver.SCAS{}, 1}, {solver.SCASK{}, 1}, {solver.SCASK{}, 7}, {solver.SCASStrong{}, 1},
			{solver.SCASL{}, 1}, {solver.SCASL{}, 5},
		} {
			prob := *c.base
			c.mod(&prob)
			if m.method == (solver.SCASStrong{}) && prob.Domain != nil {
				continue
			}
			set := &solver.Settings{
				Method: m.method, DualUpdates: m.k, Eta: eta, Rho: 0.05, Passes: 6, Seed: 42, BatchSize: c.batchSize,
				NoProof: true, // so that the result is the last iterate
			}
			res := solvertest.Minimize(t, &prob, set)
			plans[res.Stats.Plan] = true
			if prob.L2 == largeL2 && res.Stats.Plan != "dense" {
				t.Errorf("%s, %T, K = %d: %s plan, want dense", c.name, m.method, m.k, res.Stats.Plan)
			}
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
			for _, v := range []struct {
				name      string
				got, want []float64
			}{{"x", res.X, ref.X}, {"average", res.XAverage, average}, {"y", res.Y, ref.Y}, {"beta", res.Dual, ref.Beta}} {
				if d := solvertest.RelativeDistance(v.got, v.want); !(d < 1e-12) {
					t.Errorf("%s, %T, K = %d, %s plan (%s): %s differs from the naive loop by %.1e",
						c.name, m.method, m.k, res.Stats.Plan, res.Stats.PlanReason, v.name, d)
				}
			}
		}
	}
	want := []string{
		"dense", "diagonal", "diagonal-ball", "diagonal-box", "diagonal-decay", "diagonal-lazy", "minibatch",
		"rotated", "rotated-sparse",
	}
	if got := slices.Sorted(maps.Keys(plans)); !slices.Equal(got, want) {
		t.Errorf("the runs took the plans %q, want %q", got, want)
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
