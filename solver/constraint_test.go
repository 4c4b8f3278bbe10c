package solver_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/solvertest"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// differences is the operator x ↦ (x₁−x₂, x₂−x₃, …, x): graph.Chain(p).FusedLasso() without a matrix. The
// int is p, the length of x.
type differences int

func (d differences) Dims() (rows, cols int) { return 2*int(d) - 1, int(d) }

func (d differences) MulVec(dst, x []float64) {
	for j := range x[1:] {
		dst[j] = x[j] - x[j+1]
	}
	copy(dst[len(x)-1:], x)
}

func (d differences) MulVecTrans(dst, v []float64) {
	edges := int(d) - 1
	copy(dst, v[edges:])
	for j, t := range v[:edges] {
		dst[j] += t
		dst[j+1] -= t
	}
}

func matrix(t *testing.T, rows, cols int, entry func(i, j int) float64) *sparse.CSR {
	t.Helper()
	var entries []sparse.Triplet
	for i := range rows {
		for j := range cols {
			if v := entry(i, j); v != 0 {
				entries = append(entries, sparse.Triplet{Row: i, Col: j, Value: v})
			}
		}
	}
	m, err := sparse.FromTriplets(rows, cols, entries)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestEquivalentConstraints checks pairs of problems that have the same solution, although their constraints
// differ.
func TestEquivalentConstraints(t *testing.T) {
	base, _ := solvertest.PlantedProblem(t, sparse.SyntheticOptions{Rows: 80, Features: 15, Noise: 1, Seed: 16}, 0.02)
	base.L2 = 0.02
	chain := graph.Chain(15).FusedLasso()
	l, _ := chain.Dims()
	minusIdentity := matrix(t, l, l, func(i, j int) float64 {
		if i == j {
			return -1
		}
		return 0
	})
	scaledOrthogonal := matrix(t, l, l, func(i, j int) float64 { // used as B of Coupling; B'B = 9 I
		if (i+3)%l == j {
			return 3 * float64(1-2*(i%2))
		}
		return 0
	})
	diagonal := make([]float64, l)
	weights := make([]float64, l)
	wideB := matrix(t, l, l+4, func(i, j int) float64 { // used as B of Coupling: −I with four more columns
		switch {
		case i == j:
			return -1
		case j >= l && i%4 == j-l:
			return -0.5
		}
		return 0
	})
	for j := range diagonal {
		diagonal[j] = float64(1-2*(j%2)) * (1 + float64(j%3))
		weights[j] = math.Abs(diagonal[j])
	}
	groups := make([][]int, l)
	ones := make([]float64, l)
	for j := range groups {
		groups[j], ones[j] = []int{j}, 1
	}
	shift := make([]float64, l)
	for j := range shift {
		shift[j] = 0.1 * float64(j%5)
	}
	for _, c := range []struct {
		name                    string
		changeLeft, changeRight func(*solver.Problem)
		tolerance               float64
	}{
		{
			"operator and matrix", func(p *solver.Problem) { p.Constraint = differences(15) },
			func(p *solver.Problem) { p.Constraint = chain }, 1e-9,
		},
		{
			"B = -I given as a matrix",
			func(p *solver.Problem) { p.Constraint, p.Coupling = chain, &solver.Coupling{B: minusIdentity} },
			func(p *solver.Problem) { p.Constraint = chain }, 1e-8,
		},
		{"B'B = 9 I", func(p *solver.Problem) {
			p.Constraint, p.Coupling = chain, &solver.Coupling{B: scaledOrthogonal}
		}, func(p *solver.Problem) { p.Constraint, p.Penalty = chain, solver.L1{Lambda: 0.02 / 3} }, 1e-9},
		{"diagonal B", func(p *solver.Problem) {
			p.Constraint, p.Coupling, p.Penalty = chain, &solver.Coupling{Diagonal: diagonal},
				solver.L1{Lambda: 0.02, Weights: weights}
		}, func(p *solver.Problem) { p.Constraint = chain }, 1e-9},
		{"diagonal B as a matrix", func(p *solver.Problem) {
			b := matrix(t, l, l, func(i, j int) float64 {
				if i == j {
					return diagonal[i]
				}
				return 0
			})
			p.Constraint, p.Coupling = chain, &solver.Coupling{B: b}
		}, func(p *solver.Problem) { p.Constraint, p.Coupling = chain, &solver.Coupling{Diagonal: diagonal} }, 1e-8},
		{"c through a diagonal", func(p *solver.Problem) { p.Constraint, p.Coupling = chain, &solver.Coupling{C: shift} },
			func(p *solver.Problem) {
				p.Constraint, p.Coupling = chain, &solver.Coupling{B: minusIdentity, C: shift}
			}, 1e-8},
		{"elastic net and L2", func(p *solver.Problem) {
			p.Constraint, p.L2, p.Penalty = nil, 0, solver.ElasticNet{L1: 0.02, L2: 0.3}
		},
			func(p *solver.Problem) { p.Constraint, p.L2, p.Penalty = nil, 0.3, solver.L1{Lambda: 0.02} }, 1e-9},
		{"squared L2", func(p *solver.Problem) { p.Constraint, p.L2, p.Penalty = nil, 0, solver.SquaredL2{Lambda: 0.3} },
			func(p *solver.Problem) { p.Constraint, p.L2, p.Penalty = nil, 0.3, nil }, 1e-9},
		{"groups of one", func(p *solver.Problem) {
			p.Constraint, p.Penalty = chain, solver.GroupL2{Lambda: 0.02, Groups: groups, Weights: ones}
		}, func(p *solver.Problem) { p.Constraint = chain }, 1e-9},
		{"indicator of y >= 0 and domain x >= 0", func(p *solver.Problem) {
			p.Constraint, p.Penalty = nil, solver.Within{Upper: math.Inf(1)}
		},
			func(p *solver.Problem) { p.Constraint, p.Penalty, p.Domain = nil, nil, solver.Nonnegative{} }, 1e-7},
		{"indicator of a box and domain", func(p *solver.Problem) {
			p.Constraint, p.Penalty = nil, solver.Within{Lower: -0.2, Upper: 0.3}
		},
			func(p *solver.Problem) { p.Constraint, p.Penalty, p.Domain = nil, nil, solver.NewBox(15, -0.2, 0.3) }, 1e-7},
		// B has more columns than rows. On the left A is a matrix, and on the right an operator without a
		// matrix.
		{"wide B", func(p *solver.Problem) { p.Constraint, p.Coupling = chain, &solver.Coupling{B: wideB} },
			func(p *solver.Problem) { p.Constraint, p.Coupling = differences(15), &solver.Coupling{B: wideB} }, 1e-8},
	} {
		left, right := *base, *base
		left.Penalty, right.Penalty = solver.L1{Lambda: 0.02}, solver.L1{Lambda: 0.02}
		c.changeLeft(&left)
		c.changeRight(&right)
		set := &solver.Settings{Method: solver.SCASK{}, Passes: 3000, Rho: 0.1}
		a, b := solvertest.Minimize(t, &left, set), solvertest.Minimize(t, &right, set)
		if d := solvertest.Distance(a.X, b.X); !(d < c.tolerance) {
			t.Errorf("%s: solutions are %.1e apart", c.name, d)
		}
		if a.PrimalResidual > 1e-7 || b.PrimalResidual > 1e-7 {
			t.Errorf("%s: residuals %.1e, %.1e", c.name, a.PrimalResidual, b.PrimalResidual)
		}
	}
}

func TestNestedConstraint(t *testing.T) {
	c := solver.NewConstraint(graph.Chain(3).FusedLasso())
	if got := solver.NewConstraint(c); got != c {
		t.Errorf("NewConstraint of a Constraint is %+v, want the same", got)
	}
}

// TestZeroA checks A = 0. Then x minimises f(x), the loss and the ridge, and separately y minimises g(y)
// subject to B y = c.
func TestZeroA(t *testing.T) {
	p, _ := solvertest.PlantedProblem(t, sparse.SyntheticOptions{Rows: 80, Features: 15, Noise: 1, Seed: 17}, 0)
	p.L2 = 0.1
	p.Constraint = matrix(t, 2, 15, func(int, int) float64 { return 0 })
	// The y with the smallest |y|₁ for which y₁ + 2 y₂ + y₃ = 2 and y₃ − y₄ = 1 is (0, 1/2, 1, 0).
	b := matrix(t, 2, 4, func(i, j int) float64 { return [][]float64{{1, 2, 1, 0}, {0, 0, 1, -1}}[i][j] })
	p.Coupling = &solver.Coupling{B: b, C: []float64{2, 1}}
	p.Penalty = solver.L1{Lambda: 1}
	res := solvertest.Minimize(t, p, &solver.Settings{Passes: 2000, Rho: 1})
	for j, want := range []float64{0, 0.5, 1, 0} {
		if math.Abs(res.Y[j]-want) > 1e-7 {
			t.Errorf("y = %v, want (0, 1/2, 1, 0)", res.Y)
			break
		}
	}
	unpenalisedProblem := *p
	unpenalisedProblem.Constraint, unpenalisedProblem.Coupling, unpenalisedProblem.Penalty = nil, nil, nil
	if d := solvertest.Distance(res.X,
		solvertest.Minimize(t, &unpenalisedProblem,
			&solver.Settings{Passes: 2000, Method: solver.SCASK{}, RelTol: -1}).X); d > 1e-9 {
		t.Errorf("x is %.1e from the minimiser of f alone", d)
	}
	if want := 1.5; math.Abs(res.At.Penalty-want) > 1e-6 {
		t.Errorf("penalty %v, want %v", res.At.Penalty, want)
	}
}

// TestGroupLasso checks that results for the group lasso satisfy its optimality conditions.
func TestGroupLasso(t *testing.T) {
	p, _ := solvertest.PlantedProblem(t,
		sparse.SyntheticOptions{Rows: 200, Features: 20, GroupSize: 4, Groups: 2, Noise: 0.5, Seed: 18}, 0)
	p.Constraint = nil
	g := solver.GroupL2{Lambda: 0.04}
	for j := 0; j < 20; j += 4 {
		g.Groups = append(g.Groups, []int{j, j + 1, j + 2, j + 3})
	}
	p.Penalty = g
	for _, set := range []*solver.Settings{{Method: solver.SCASK{}, Passes: 3000}, {Passes: 3000, RelTol: 1e-14}} {
		checkGroups(t, p, g, solvertest.Minimize(t, p, set))
	}
}

func checkGroups(t *testing.T, p *solver.Problem, g solver.GroupL2, res *solver.Result) {
	t.Helper()
	grad := (&solvertest.Naive{Problem: p, X: res.X}).FullGradient()
	const limit = 0.04 * 2 // lambda times the square root of the group's size
	groupNorm := func(group []int, x []float64) float64 {
		var sum float64
		for _, j := range group {
			sum += x[j] * x[j]
		}
		return math.Sqrt(sum)
	}
	zeroGroups := 0
	for k, group := range g.Groups {
		norm, gradNorm := groupNorm(group, res.X), groupNorm(group, grad)
		if norm == 0 {
			zeroGroups++
			if gradNorm > limit {
				t.Errorf("group %d is zero but its gradient %v exceeds %v", k, gradNorm, limit)
			}
			continue
		}
		for _, j := range group {
			if d := grad[j] + limit*res.X[j]/norm; math.Abs(d) > 1e-7 {
				t.Errorf("coordinate %d of group %d: gradient and penalty leave %.1e", j, k, d)
			}
		}
	}
	if zeroGroups != 3 {
		t.Errorf("%d groups are zero, want the 3 without effect", zeroGroups)
	}
}

// TestNoRotation checks that Algorithms 1 and 2 give the same averages with and without a rotated copy of the
// data, up to rounding.
func TestNoRotation(t *testing.T) {
	p, _ := solvertest.PlantedProblem(t, sparse.SyntheticOptions{Rows: 200, Features: 20, Noise: 1, Seed: 5}, 1e-3)
	p.L2, p.Constraint = 1e-2, graph.Chain(20).FusedLasso()
	for _, m := range []solver.Method{solver.SCAS{}, solver.SCASStrong{}} {
		var averages []float64
		recorder := solver.RecorderFunc(func(pt *solver.Point) error {
			averages = append(averages[:0], pt.XAverage...)
			return nil
		})
		set := solver.Settings{Method: m, Eta: 0.05, Rho: 0.01, Passes: 20, Recorder: recorder}
		rotatedRun := solvertest.Minimize(t, p, &set)
		if d := solvertest.RelativeDistance(averages, rotatedRun.XAverage); d != 0 {
			t.Errorf("%T: the recorder saw another average, %.1e away", m, d)
		}
		set.NoRotation, set.BatchSize = true, 1
		denseRun := solvertest.Minimize(t, p, &set)
		if rotatedRun.Stats.Plan != "rotated" || denseRun.Stats.Plan != "dense" {
			t.Errorf("%T: plans %s and %s (%s)", m, rotatedRun.Stats.Plan, denseRun.Stats.Plan, denseRun.Stats.PlanReason)
		}
		if d := solvertest.RelativeDistance(denseRun.XAverage, rotatedRun.XAverage); !(d < 1e-12) {
			t.Errorf("%T: averages differ by %.1e", m, d)
		}
	}
}

// TestNoProof checks that with Settings.NoProof the result is the last iterate, and the gap is infinite.
func TestNoProof(t *testing.T) {
	p := solvertest.ChainProblem(t, 1e-2)
	set := solver.Settings{Method: solver.SCAS{}, Passes: 20, NoProof: true}
	res, provedSettings := solvertest.Minimize(t, p, &set), solver.Settings{Method: solver.SCAS{}, Passes: 20}
	if lastX := solvertest.LastIterate(t, p, &provedSettings); !slices.Equal(res.X, lastX) {
		t.Errorf("x is %v, the last iterate %v", res.X, lastX)
	}
	if !math.IsInf(res.DualityGap, 1) || math.IsInf(solvertest.Minimize(t, p, &provedSettings).DualityGap, 1) {
		t.Errorf("a gap of %g", res.DualityGap)
	}
}

// TestGiantComponent checks a chain of 600 features. Each step of SCASK must use several samples, except in
// short inner loops. SCASL must reach the same objective.
func TestGiantComponent(t *testing.T) {
	p, _ := solvertest.PlantedProblem(t,
		sparse.SyntheticOptions{Rows: 2000, Features: 600, NonzerosPerRow: 8, Noise: 0.5, Seed: 19}, 2e-4)
	p.L2 = 1e-2
	p.Constraint = graph.Chain(600).FusedLasso()
	res := solvertest.Minimize(t, p, &solver.Settings{Method: solver.SCASK{}, Passes: 150})
	if res.Stats.Plan != "minibatch" || res.Stats.BatchSize < 2 {
		t.Fatalf("plan %s (%s), batch size %d", res.Stats.Plan, res.Stats.PlanReason, res.Stats.BatchSize)
	}
	if res.DualityGap > 1e-7 {
		t.Errorf("duality gap %.1e after 150 passes", res.DualityGap)
	}
	shortLoopsRun := solvertest.Minimize(t, p,
		&solver.Settings{Method: solver.SCASK{}, InnerSteps: 100, Passes: 4, NoProof: true})
	if shortLoopsRun.Stats.Plan != "dense" || strings.Contains(shortLoopsRun.Stats.PlanReason, "samples share") {
		t.Errorf("inner loops of 100 steps: plan %s (%s)", shortLoopsRun.Stats.Plan, shortLoopsRun.Stats.PlanReason)
	}
	scaslRun := solvertest.Minimize(t, p, &solver.Settings{Method: solver.SCASL{}, Passes: 150, NoProof: true})
	if scaslRun.Stats.Plan != "diagonal-lazy" {
		t.Errorf("%T took the %s plan", solver.SCASL{}, scaslRun.Stats.Plan)
	}
	if d := math.Abs(scaslRun.At.Objective - res.At.Objective); d > 1e-6 {
		t.Errorf("objectives of %s and %s differ by %.1e", solver.SCASL{}, solver.SCASK{}, d)
	}
}
