package solver_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/solvertest"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

// Optima of real data, computed by other programs: by a C program for covtype, and by an
// interior-point Newton method for all other data sets.
const (
	optimumA9a      = 0.32324138841427674
	optimumA9aGraph = 0.32503800528155763
	optimumA9aMu    = 0.3249405323852009
	optimumA9aBoth  = 0.3266789366377241
	optimumA1a      = 0.3445815851250778
	optimumHeart    = 0.4494553066342697
	optimumCovtype  = 0.5143942796699823
	optimumRCV1     = 0.256618008503

	// Optima for constraint matrices A from published codes of other stochastic ADMM methods.
	optimumA9aPublished     = 0.3239943499974175
	optimumCovtypePublished = 0.5151450223254025
)

// readConstraint reads A from a file of the test data.
func readConstraint(t *testing.T, name string, features int) *sparse.CSR {
	t.Helper()
	con, err := graph.ReadConstraintFile(sparsetest.DataFile(t, name), features)
	if err != nil {
		t.Fatal(err)
	}
	return con.A
}

// TestKnownOptima checks how far SCAS-ADMM methods with automatic settings end from known optima of real
// data.
func TestKnownOptima(t *testing.T) {
	const chain, a9aGraph = "chain", "graphs/a9a_glasso_0.1.edges"
	cases := []struct {
		name, file string
		features   int
		lambda, mu float64
		graph      string // "chain", a file for graph.ReadConstraintFile (edges or A), or "" for A = I
		optimum    float64
		method     solver.Method
		passes     float64
		maxGap     float64
	}{
		{"a9a", "paper/a9a.zst", 123, 1e-5, 0, "", optimumA9a, solver.SCASK{}, 60, 1e-6},
		{"a9a", "paper/a9a.zst", 123, 1e-5, 0, "", optimumA9a, solver.SCAS{}, 100, 1e-4},
		{"a9a", "paper/a9a.zst", 123, 1e-5, 0, "", optimumA9a, solver.SCASStrong{}, 100, 1e-4},
		{"a9a graph", "paper/a9a.zst", 123, 1e-5, 0, a9aGraph, optimumA9aGraph, solver.SCASK{}, 60, 1e-5},
		{"a9a graph", "paper/a9a.zst", 123, 1e-5, 0, a9aGraph, optimumA9aGraph, solver.SCAS{}, 100, 1e-4},
		{"a9a graph", "paper/a9a.zst", 123, 1e-5, 0, a9aGraph, optimumA9aGraph, solver.SCASStrong{}, 100, 1e-4},
		{"a9a mu", "paper/a9a.zst", 123, 1e-5, 1e-4, "", optimumA9aMu, solver.SCASStrong{}, 60, 1e-6},
		{"a9a graph mu", "paper/a9a.zst", 123, 1e-5, 1e-4, a9aGraph, optimumA9aBoth, solver.SCASK{}, 60, 1e-9},
		{"a9a graph", "paper/a9a.zst", 123, 1e-5, 0, a9aGraph, optimumA9aGraph, solver.SCASL{}, 100, 1e-5},
		{"a1a", "small/a1a", 123, 1e-3, 0, "", optimumA1a, solver.SCASK{}, 100, 1e-6},
		{"a1a", "small/a1a", 123, 1e-3, 0, "", optimumA1a, solver.SCAS{}, 240, 1e-6},
		{"a1a", "small/a1a", 123, 1e-3, 0, "", optimumA1a, solver.SCASStrong{}, 240, 1e-6},
		{"heart_scale chain", "small/heart_scale", 13, 1e-2, 0, chain, optimumHeart, solver.SCASK{}, 100, 1e-6},
		{"heart_scale chain", "small/heart_scale", 13, 1e-2, 0, chain, optimumHeart, solver.SCAS{}, 100, 1e-6},
		{"heart_scale chain", "small/heart_scale", 13, 1e-2, 0, chain, optimumHeart, solver.SCASStrong{}, 100, 1e-6},
		{"covtype", "paper/covtype.libsvm.binary.scale.zst", 54, 1e-5, 0, "", optimumCovtype, solver.SCASK{}, 20, 1e-5},
		{
			"a9a published", "paper/a9a.zst", 123, 1e-5, 0, "graphs/F_a9a_asvrpdhg.txt", optimumA9aPublished,
			solver.SCASK{}, 60, 1e-5,
		},
		{
			"covtype published", "paper/covtype.libsvm.binary.scale.zst", 54, 1e-5, 0,
			"graphs/F_covtype_asvrpdhg.txt", optimumCovtypePublished, solver.SCASK{}, 20, 1e-5,
		},
		{"rcv1 stand-in", "paper/rcv1v2_binary_train.libsvm.zst", 47236, 1e-4, 0, "", optimumRCV1, solver.SCASK{}, 8, 1e-2},
	}
	for _, c := range cases {
		t.Run(c.name+"/"+c.method.Info().Name, func(t *testing.T) {
			if c.name != "a9a" && c.name != "a9a graph mu" && strings.HasPrefix(c.file, "paper") {
				sparsetest.Long(t)
			}
			p := solvertest.LoadProblem(t, c.file, c.features)
			p.Penalty, p.L2 = solver.L1{Lambda: c.lambda}, c.mu
			switch c.graph {
			case "":
			case chain:
				p.Constraint = graph.Chain(c.features).FusedLasso()
			default:
				p.Constraint = readConstraint(t, c.graph, c.features)
			}
			res := solvertest.Minimize(t, p, &solver.Settings{Method: c.method, Passes: c.passes})
			gap := res.At.Objective - c.optimum
			t.Logf("gap %.2e after %g passes (average %.1e), eta %.3g, rho %.3g, residuals %.1e %.1e, %.2f s",
				gap, res.Stats.Passes, res.AtAverage.Objective-c.optimum, res.Stats.Eta, res.Stats.Rho,
				res.PrimalResidual, res.DualResidual, res.Stats.Seconds)
			if !(gap <= c.maxGap) || gap < -1e-10 {
				t.Errorf("objective %.12f is %.2e from the optimum; want at most %.0e and not below",
					res.At.Objective, gap, c.maxGap)
			}
			checkDual(t, p, res)
			if c.mu > 0 && !(res.DualityGap >= gap-1e-13) {
				t.Errorf("duality gap %.2e is below the true gap %.2e", res.DualityGap, gap)
			}
		})
	}
}

// checkDual checks that |beta| ≤ limit for each row of A, and that beta = limit·sign(y) if y is not zero.
func checkDual(t *testing.T, p *solver.Problem, res *solver.Result) {
	t.Helper()
	for j, b := range res.Dual {
		limit := term.L1(p.Penalty.(solver.L1)).Limit(j)
		if math.Abs(b) > limit {
			t.Fatalf("|beta[%d]| = %v exceeds %v", j, math.Abs(b), limit)
		}
		if y := res.Y[j]; y != 0 && b != math.Copysign(limit, y) {
			t.Fatalf("y[%d] = %v but beta = %v, not ±%v", j, y, b, limit)
		}
	}
}

// TestSquaredAgainstRidge checks that the gradient of ridge regression is zero at the solution.
func TestSquaredAgainstRidge(t *testing.T) {
	p, _ := solvertest.PlantedProblem(t,
		sparse.SyntheticOptions{Rows: 40, Features: 15, Seed: 5, Regression: true, Noise: 0.5}, 0)
	p.Constraint, p.L2 = nil, 0.3
	res := solvertest.Minimize(t, p, &solver.Settings{Passes: 400})
	ref := &solvertest.Naive{Problem: p, X: res.X}
	gradient := ref.FullGradient()
	if g := math.Sqrt(kernels.Dot(gradient, gradient)); g > 1e-12 {
		t.Errorf("gradient at the solution has norm %.1e", g)
	}
}

// TestPlantedSolution checks that the solution has exactly the zeros and the groups of the true coefficients,
// and that making them exact does not raise the objective.
func TestPlantedSolution(t *testing.T) {
	for _, c := range []struct {
		opt    sparse.SyntheticOptions
		lambda float64
		method solver.Method
	}{
		{sparse.SyntheticOptions{Rows: 3000, Features: 40, Noise: 0.5, Seed: 13}, 0.02, solver.SCASK{}},
		{sparse.SyntheticOptions{Rows: 1500, Features: 40, Noise: 0.5, Seed: 6, Cliques: true}, 0.008, solver.SCASK{}},
		{sparse.SyntheticOptions{Rows: 600, Features: 40, Noise: 0.5, Seed: 7, Regression: true}, 0.1, solver.SCASK{}},
		{sparse.SyntheticOptions{Rows: 600, Features: 40, Noise: 0.5, Seed: 7, Regression: true}, 0.1, solver.SCASStrong{}},
	} {
		p, s := solvertest.PlantedProblem(t, c.opt, c.lambda)
		if c.method == (solver.SCASStrong{}) {
			p.L2 = 1e-3
		}
		var lastObjective float64
		recorder := solver.RecorderFunc(func(pt *solver.Point) error {
			lastObjective = pt.Last.Objective
			return nil
		})
		res := solvertest.Minimize(t, p, &solver.Settings{Method: c.method, Passes: 400, Recorder: recorder})
		if !res.Stats.Rounded {
			t.Errorf("%+v: zeros and ties were not made exact", c.opt)
		}
		if res.Unrounded != lastObjective || res.At.Objective > lastObjective+1e-14 {
			t.Errorf("%+v: objective %v, before zeros and ties were exact %v, in the last record %v",
				c.opt, res.At.Objective, res.Unrounded, lastObjective)
		}
		for j, v := range s.Coefficients {
			if (v == 0) != (res.X[j] == 0) {
				t.Errorf("%+v: coefficient %d is %v, planted %v", c.opt, j, res.X[j], v)
			}
		}
		for _, group := range s.Groups {
			for _, j := range group {
				if res.X[j] != res.X[group[0]] {
					t.Errorf("%+v: features %d and %d of one group have %v and %v", c.opt, group[0], j, res.X[group[0]], res.X[j])
				}
			}
		}
	}
}

// TestLostZeros checks that the zeros of y do not count as exact if the domain has no point with these zeros.
func TestLostZeros(t *testing.T) {
	opt := sparse.SyntheticOptions{Rows: 100, Features: 20, Noise: 0.5, Seed: 1, Regression: true}
	p, _ := solvertest.PlantedProblem(t, opt, 0.2)
	p.Domain = solver.NewBox(20, 0.01, 1)
	res := solvertest.Minimize(t, p, &solver.Settings{Method: solver.SCASK{}, Passes: 3})
	if !slices.Contains(res.Y[15:], 0) || res.Stats.Rounded {
		t.Errorf("y = %v, exact: %v", res.Y, res.Stats.Rounded)
	}
}

// TestExactStart checks that zeros and ties remain exact if rounding makes the start, the solution of another
// run, better than the result of Newton steps.
func TestExactStart(t *testing.T) {
	for seed := range uint64(6) {
		opt := sparse.SyntheticOptions{Rows: 40, Features: 20, Noise: 0.5, Seed: seed, Cliques: true, Regression: true}
		for _, lambda := range []float64{0.05, 10} {
			for _, domain := range []solver.Domain{nil, solver.NewBox(20, -0.1, 0.2), solver.Ball{Radius: 0.5}} {
				p, _ := solvertest.PlantedProblem(t, opt, lambda)
				p.Domain = domain
				set := &solver.Settings{RelTol: 1e-9}
				first := solvertest.Minimize(t, p, set)
				set.Start = first.Iterate
				if !first.Stats.Rounded {
					t.Errorf("seed %d, lambda %g, %v: not exact", seed, lambda, domain)
				}
				again := solvertest.Minimize(t, p, set)
				// again may have more ties, if a multiplier is near its limit
				lost := func(group []int) bool {
					return !slices.ContainsFunc(again.Groups, func(g []int) bool { return slices.Contains(g, group[0]) })
				}
				if !again.Stats.Rounded || slices.ContainsFunc(first.Groups, lost) || again.At.Objective > first.At.Objective {
					t.Errorf("seed %d, lambda %g, %v: from the solution with the groups %v to %v, exact: %v",
						seed, lambda, domain, first.Groups, again.Groups, again.Stats.Rounded)
				}
			}
		}
	}
}

// TestSolutionWithoutLoss checks that a run ends at once, with gap 0, if every label is predicted exactly by
// x = 0, so that the loss there is 0.
func TestSolutionWithoutLoss(t *testing.T) {
	for loss, label := range map[solver.Loss]float64{solver.Squared{}: 0, solver.Huber{}: 0, solver.Poisson{}: 1} {
		p := smallProblem(t)
		p.Loss, p.Labels = loss, slices.Repeat([]float64{label}, len(p.Labels))
		res, err := solver.Minimize(t.Context(), p, nil)
		if err != nil || res.Status != solver.Converged || res.DualityGap != 0 || res.Stats.NewtonSteps > 1 {
			t.Errorf("%v: %v, %s, gap %v after %d Newton steps", loss, err, res.Status, res.DualityGap, res.Stats.NewtonSteps)
		}
	}
}

// TestExactZero checks that 0 counts as exact if it is the solution. Newton steps end near 0, because no row
// of A gives a zero or a tie.
func TestExactZero(t *testing.T) {
	data, err := sparse.FromDense(4, 3, []float64{1, 2, 0, 0, 1, -1, 2, 0, 1, -1, 1, 1})
	if err != nil {
		t.Fatal(err)
	}
	a, err := sparse.FromDense(3, 3, []float64{1, 1, 1, 1, -2, 1, 2, 1, -1})
	if err != nil {
		t.Fatal(err)
	}
	p := &solver.Problem{
		Data: data, Labels: []float64{1, -1, 1, -1}, Loss: solver.SquaredHinge{}, Constraint: a, Penalty: solver.L1{Lambda: 2},
		Domain: solver.NewBox(3, -4, 8),
	}
	res := solvertest.Minimize(t, p, &solver.Settings{RelTol: 1e-9})
	if !slices.Equal(res.X, make([]float64, 3)) || !res.Stats.Rounded || res.Groups != nil {
		t.Errorf("x = %v, exact: %v, groups %v", res.X, res.Stats.Rounded, res.Groups)
	}
}

// TestDomains checks that results are in their domain, and that their residuals are small.
func TestDomains(t *testing.T) {
	p, _ := solvertest.PlantedProblem(t, sparse.SyntheticOptions{Rows: 200, Features: 20, Noise: 1, Seed: 9}, 1e-3)
	for _, d := range []solver.Domain{solver.NewBox(20, -0.3, 0.2), solver.Ball{Radius: 0.5}, ownNonnegative{}} {
		p.Domain = d
		res := solvertest.Minimize(t, p, &solver.Settings{Method: solver.SCASK{}, Passes: 2000})
		if res.DualResidual > 1e-8 || res.PrimalResidual > 1e-8 {
			t.Errorf("%T: residuals %.1e, %.1e", d, res.PrimalResidual, res.DualResidual)
		}
		if far := domainDistance(d, res.X); far > 1e-15 {
			t.Errorf("%T: the solution lies outside by %.1e", d, far)
		}
	}
}

// domainDistance returns the distance of x from a domain.
func domainDistance(d solver.Domain, x []float64) float64 {
	projection := slices.Clone(x)
	d.Project(projection)
	return solvertest.Distance(projection, x)
}

// TestFixedPoint checks that the last of many outer iterations does not move the iterate.
func TestFixedPoint(t *testing.T) {
	p, _ := solvertest.PlantedProblem(t, sparse.SyntheticOptions{Rows: 100, Features: 15, Noise: 1, Seed: 10}, 1e-2)
	p.L2 = 1e-2
	for _, method := range []solver.Method{(solver.SCASK{}), (solver.SCAS{}), (solver.SCASStrong{})} {
		var before, after []float64
		solvertest.Minimize(t, p,
			&solver.Settings{Method: method, Passes: 3000, Recorder: solver.RecorderFunc(func(pt *solver.Point) error {
				before, after = after, slices.Clone(pt.X)
				return nil
			})})
		if d := solvertest.Distance(before, after); d > 1e-13 {
			t.Errorf("%T moves by %.1e at the solution", method, d)
		}
	}
}
