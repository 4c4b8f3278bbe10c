package solver_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/solvertest"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

// TestAuto checks that the default method proves the gap that RelTol asks for, on problems with known optima.
func TestAuto(t *testing.T) {
	problems := map[string]*solver.Problem{} // by the name of the file
	for k, c := range []struct {
		name     string
		features int
		lambda   float64
		graph    string
		optimum  float64
	}{
		{"paper/a9a.zst", 123, 1e-5, "", optimumA9a},
		{"paper/a9a.zst", 123, 1e-5, "graphs/a9a_glasso_0.1.edges", optimumA9aGraph},
		{"paper/covtype.libsvm.binary.scale.zst", 54, 1e-5, "", optimumCovtype},
		{"paper/rcv1v2_binary_train.libsvm.zst", 47236, 1e-4, "", optimumRCV1},
		{"paper/a9a.zst", 123, 1e-5, "graphs/F_a9a_asvrpdhg.txt", optimumA9aPublished},
		{"paper/covtype.libsvm.binary.scale.zst", 54, 1e-5, "graphs/F_covtype_asvrpdhg.txt", optimumCovtypePublished},
	} {
		if problems[c.name] == nil {
			problems[c.name] = solvertest.LoadProblem(t, c.name, c.features)
		}
		p := *problems[c.name]
		p.Penalty = solver.L1{Lambda: c.lambda}
		if c.graph != "" {
			p.Constraint = readConstraint(t, c.graph, c.features)
		}
		tolerances := []float64{1e-3, 1e-9}
		if testing.Short() && k > 0 {
			tolerances = tolerances[1:]
		}
		for _, tol := range tolerances {
			res := solvertest.Minimize(t, &p, &solver.Settings{RelTol: tol})
			excess := res.At.Objective - c.optimum
			t.Logf("%s %s, %g: %g passes, %d Newton steps, gap proved %.1e, true %.1e, %d groups",
				c.name, c.graph, tol, res.Stats.Passes, res.Stats.NewtonSteps, res.DualityGap, excess,
				len(res.Groups))
			if res.Status != solver.Converged || res.DualityGap > tol*math.Ln2 || excess > res.DualityGap+2e-12 {
				t.Errorf("%s %s, %g: %s, gap proved %.2e, true %.2e", c.name, c.graph, tol, res.Status, res.DualityGap, excess)
			}
		}
	}
}

// TestAutoCorrelations checks fused lassos over graphs of the strongest correlations, with thousands of
// features. The objectives must be optima that another program computed, and tied coefficients must be
// exactly equal, up to their sign.
func TestAutoCorrelations(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: it takes ten seconds")
	}
	for _, c := range []struct {
		name                    string
		features, request, want int // want: edges of the graph; more than request if there are ties
		optimum                 float64
	}{
		{"paper/rcv1v2_binary_train.libsvm.zst", 47236, 16000, 16003, 0.25928575634139},
		{"paper/hivfp_train.libsvm.zst", 4932, 2000, 2000, 0.063583326677},
	} {
		p := solvertest.LoadProblem(t, c.name, c.features)
		cor, err := graph.CorrelationOf(p.Data)
		if err != nil {
			t.Fatal(err)
		}
		g, _, err := graph.Strongest(cor, c.request, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(g.Edges()); got != c.want {
			t.Fatalf("%s: %d edges, want %d", c.name, got, c.want)
		}
		p.Penalty, p.Constraint = solver.L1{Lambda: 1e-4}, g.FusedLasso()
		res := solvertest.Minimize(t, p, &solver.Settings{RelTol: 1e-11})
		excess := res.At.Objective - c.optimum
		t.Logf("%s: %d Newton steps, gap proved %.1e, true %.1e, %d groups",
			c.name, res.Stats.NewtonSteps, res.DualityGap, excess, len(res.Groups))
		if res.Status != solver.Converged || !(math.Abs(excess) < 1e-11) || len(res.Groups) == 0 {
			t.Errorf("%s: %s, gap proved %.2e, true %.2e, %d groups", c.name, res.Status, res.DualityGap, excess, len(res.Groups))
		}
		for _, group := range res.Groups {
			for _, j := range group {
				if math.Abs(res.X[j]) != math.Abs(res.X[group[0]]) || res.X[j] == 0 {
					t.Errorf("%s: coefficients %v and %v in one group", c.name, res.X[group[0]], res.X[j])
				}
			}
		}
	}
}

// TestAutoDifferences checks that a run converges and ties coefficients if every row of A x is the
// difference of two neighbouring coefficients.
func TestAutoDifferences(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: it takes seconds")
	}
	p, _ := solvertest.PlantedProblem(t,
		sparse.SyntheticOptions{Rows: 300, Features: 2100, NonzerosPerRow: 20, Noise: 1, Seed: 3}, 1e-2)
	chain := graph.Chain(2100).FusedLasso()
	rows := make([]int, 2099)
	for i := range rows {
		rows[i] = i
	}
	differences, err := chain.SelectRows(rows)
	if err != nil {
		t.Fatal(err)
	}
	p.Constraint = differences
	res := solvertest.Minimize(t, p, nil)
	if res.Status != solver.Converged || len(res.Groups) == 0 {
		t.Errorf("%s, gap %g, %d groups", res.Status, res.DualityGap, len(res.Groups))
	}
}

// TestAutoEnds checks the result, the status and the error of runs that converge or stall, or that a budget,
// a time limit or a context ends.
func TestAutoEnds(t *testing.T) {
	p, _ := solvertest.PlantedProblem(t,
		sparse.SyntheticOptions{Rows: 3000, Features: 60, NonzerosPerRow: 20, Noise: 1, Seed: 3}, 1e-3)
	objectiveAtStart := p.Evaluate(make([]float64, 60)).Objective
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		name   string
		ctx    context.Context
		set    solver.Settings
		status solver.Status
		err    error
	}{
		{"default", t.Context(), solver.Settings{}, solver.Converged, nil},
		{"few passes", t.Context(), solver.Settings{Passes: 4}, solver.PassesDone, solver.ErrNotConverged},
		{"passes for some Newton steps", t.Context(), solver.Settings{Passes: 20}, solver.PassesDone, solver.ErrNotConverged},
		{"no goal", t.Context(), solver.Settings{RelTol: -1, Passes: 6}, solver.PassesDone, nil},
		{"no time", t.Context(), solver.Settings{TimeLimit: 1}, solver.TimeDone, solver.ErrNotConverged},
		{"time enough", t.Context(), solver.Settings{TimeLimit: time.Hour}, solver.Converged, nil},
		{"cancelled", cancelled, solver.Settings{}, solver.Stopped, context.Canceled},
		{"a goal beyond rounding", t.Context(), solver.Settings{RelTol: 1e-300}, solver.Stalled, solver.ErrNotConverged},
		{
			"a goal beyond rounding, few passes", t.Context(), solver.Settings{RelTol: 1e-300, Passes: 45},
			solver.PassesDone, solver.ErrNotConverged,
		},
		{
			"a method by name, with a goal", t.Context(),
			solver.Settings{Method: solver.SCASK{}, RelTol: 1e-3, Passes: 1000}, solver.Converged, nil,
		},
		{"a method by name", t.Context(), solver.Settings{Method: solver.SCAS{}, Passes: 10}, solver.PassesDone, nil},
	} {
		res, err := solver.Minimize(c.ctx, p, &c.set)
		if !errors.Is(err, c.err) || res == nil {
			t.Errorf("%s: error %v, want %v", c.name, err, c.err)
			continue
		}
		if res.Status != c.status || !(res.At.Objective <= objectiveAtStart) || math.IsNaN(res.DualityGap) {
			t.Errorf("%s: status %s, objective %v after %v, gap %v",
				c.name, res.Status, res.At.Objective, objectiveAtStart, res.DualityGap)
		}
		if c.set.Passes > 0 && res.Stats.Passes > c.set.Passes {
			t.Errorf("%s: %v passes of %v", c.name, res.Stats.Passes, c.set.Passes)
		}
	}
}

// TestAutoWithoutProof checks a problem for which no gap can be proved. A run must end without an error,
// whether or not RelTol is set.
func TestAutoWithoutProof(t *testing.T) {
	p, _ := solvertest.PlantedProblem(t,
		sparse.SyntheticOptions{Rows: 300, Features: 20, NonzerosPerRow: 5, Noise: 1, Seed: 3}, 1e-3)
	l, _ := p.Constraint.Dims()
	p.Coupling = &solver.Coupling{C: slices.Repeat([]float64{0.1}, l)}
	for _, relTol := range []float64{0, 1e-2} {
		for status, set := range map[solver.Status]solver.Settings{
			solver.PassesDone: {RelTol: relTol, Passes: 20}, solver.TimeDone: {RelTol: relTol, TimeLimit: 1},
		} {
			res, err := solver.Minimize(t.Context(), p, &set)
			if err != nil || res.Status != status || !math.IsInf(res.DualityGap, 1) {
				t.Errorf("RelTol %v: %v, error %v", relTol, res, err)
			}
		}
	}
}

// outlierProblem returns a regression problem in which one label is multiplied by 1e5. The labels are
// proportional to labelSize. If noisy is true, the labels do not depend on the features.
func outlierProblem(t *testing.T, seed uint64, labelSize float64, noisy bool) *solver.Problem {
	t.Helper()
	const rows, features = 200, 20
	rng := rand.New(rand.NewPCG(seed, 1))
	weights, values, labels := make([]float64, features), make([]float64, rows*features), make([]float64, rows)
	for j := range weights {
		weights[j] = rng.NormFloat64()
	}
	for i := range labels {
		for j, w := range weights {
			v := math.Floor(3 * rng.Float64())
			values[i*features+j] = v
			labels[i] += labelSize * w * v
		}
		labels[i] += 0.1 * labelSize * rng.NormFloat64()
		if noisy {
			labels[i] = labelSize * rng.NormFloat64()
		}
	}
	labels[rng.IntN(rows)] *= 1e5
	x, err := sparse.FromDense(rows, features, values)
	if err != nil {
		t.Fatal(err)
	}
	return &solver.Problem{Data: x, Labels: labels, Loss: solver.Huber{}, Penalty: solver.L1{Lambda: 1e-5}, L2: 1e-6}
}

// TestAutoOfAnOutlier checks that runs reach small and large tolerances if one label is an outlier.
func TestAutoOfAnOutlier(t *testing.T) {
	for _, size := range []float64{1, 1e3} {
		for _, noisy := range []bool{false, true} {
			for seed := range uint64(5) {
				p := outlierProblem(t, seed, size, noisy)
				for _, tol := range []float64{0.5, 0.1, 1e-2, 1e-3, 1e-4, 1e-6} {
					if res, err := solver.Minimize(t.Context(), p, &solver.Settings{RelTol: tol}); err != nil || res.Status != solver.Converged {
						t.Errorf("labels of %g, noisy %t, seed %d, to %g: %v", size, noisy, seed, tol, err)
					}
				}
			}
		}
	}
}

// TestGroups checks that features with tied coefficients are listed as a group.
func TestGroups(t *testing.T) {
	p, s := solvertest.PlantedProblem(t,
		sparse.SyntheticOptions{Rows: 400, Features: 8, Groups: 1, GroupSize: 4, Noise: 1, Seed: 1}, 0.04)
	res := solvertest.Minimize(t, p, nil)
	if len(res.Groups) != 1 || len(res.Groups[0]) != 4 {
		t.Fatalf("groups %v with x = %v, planted %v", res.Groups, res.X, s.Coefficients)
	}
	for _, j := range res.Groups[0] {
		if res.X[j] != res.X[res.Groups[0][0]] {
			t.Errorf("x[%d] = %v is not that of its group", j, res.X[j])
		}
	}
}

// TestSmallDataSets checks that runs on small public data sets converge with the default settings. Columns
// are unscaled, or multiplied by factors from 1e-3 to 1e3.
func TestSmallDataSets(t *testing.T) {
	steps, runs := 0, 0
	for _, c := range []struct {
		name string
		loss solver.Loss
	}{
		{"heart_scale", solver.Logistic{}}, {"german.numer_scale", solver.Logistic{}},
		{"breast-cancer_scale", solver.Logistic{}}, {"a1a", solver.Logistic{}},
		{"housing_scale", solver.Squared{}}, {"abalone", solver.Squared{}}, {"housing_scale", solver.Huber{}},
		{"heart_scale", solver.SquaredHinge{}},
	} {
		for _, scaled := range []bool{false, true} {
			p := readSmallData(t, c.name, c.loss, scaled)
			maxLambda := lambdaMax(p)
			for _, fraction := range []float64{0.5, 0.1, 1e-2, 1e-3, 1e-4, 1e-6} {
				for _, chain := range []bool{false, true} {
					_, features := p.Data.Dims()
					q := *p
					q.Penalty = solver.L1{Lambda: fraction * maxLambda}
					if chain {
						q.Constraint = graph.Chain(features).FusedLasso()
					}
					res, err := solver.Minimize(t.Context(), &q, nil)
					if err != nil || res.Status != solver.Converged {
						t.Errorf("%s, %s, scaled %v, %g lambda_max, chain %v: %v", c.name, c.loss, scaled, fraction, chain, err)
						continue
					}
					steps, runs = steps+res.Stats.NewtonSteps, runs+1
				}
			}
		}
	}
	t.Logf("%d runs, %.1f Newton steps each", runs, float64(steps)/float64(runs))
}

// readSmallData reads a data set. If scaled is true, it multiplies the columns by factors from 1e-3 to 1e3.
func readSmallData(t *testing.T, name string, loss solver.Loss, scaled bool) *solver.Problem {
	t.Helper()
	regression := loss.Validate([]float64{0.5}) == nil
	ds, err := sparse.ReadFile(sparsetest.DataFile(t, "small", name), &sparse.ReadOptions{Regression: regression})
	if err != nil {
		t.Fatal(err)
	}
	p := &solver.Problem{Data: ds.X, Labels: ds.Labels, Loss: loss}
	if scaled {
		return withScaledColumns(t, p)
	}
	return p
}

// lambdaMax returns the smallest lambda for which x = 0 solves the lasso.
func lambdaMax(p *solver.Problem) float64 {
	n, features := p.Data.Dims()
	slope, g := make([]float64, n), make([]float64, features)
	for i, b := range p.Labels {
		slope[i] = p.Loss.Slope(0, b)
	}
	p.Data.MulVecTrans(g, slope)
	maxGradient := 0.0
	for _, v := range g {
		maxGradient = max(maxGradient, math.Abs(v)/float64(n))
	}
	return maxGradient
}

// TestBeyondRounding checks data with huge values. The objective must not rise above the objective at the
// start, and the error must be nil exactly if the run converged.
func TestBeyondRounding(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 5))
	for _, size := range []float64{1e100, 1e150, 1e200, 1e300} {
		data, labels := make([]float64, 80), make([]float64, 40)
		for i := range labels {
			data[2*i], data[2*i+1], labels[i] = size*rng.Float64(), rng.Float64(), float64(2*rng.IntN(2)-1)
		}
		x, err := sparse.FromDense(40, 2, data)
		if err != nil {
			t.Fatal(err)
		}
		for _, loss := range solvertest.Losses(0, -1, 1) {
			p := &solver.Problem{Data: x, Labels: labels, Loss: loss, Penalty: solver.L1{Lambda: 1e-3}}
			res, err := solver.Minimize(t.Context(), p, nil)
			objectiveAtStart := p.Evaluate(make([]float64, 2)).Objective
			if res == nil || !(res.At.Objective <= objectiveAtStart) {
				t.Errorf("values of %g, %s: %v, objective %+v after %v", size, loss, err, res, objectiveAtStart)
				continue
			}
			if (res.Status == solver.Converged) != (err == nil) {
				t.Errorf("values of %g, %s: status %s, error %v", size, loss, res.Status, err)
			}
			t.Logf("values of %g, %s: %s, gap %.1e", size, loss, res.Status, res.DualityGap)
		}
	}
}

// TestLabelsFarFromZero checks that runs with Huber's loss converge if all labels are far from zero. At x = 0
// the second derivative of the loss is then 0 for every sample.
func TestLabelsFarFromZero(t *testing.T) {
	p, _ := solvertest.PlantedProblem(t, sparse.SyntheticOptions{Rows: 300, Features: 20, Noise: 1, Seed: 4}, 1e-2)
	p.Constraint, p.Loss = nil, solver.Huber{}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, offset := range []float64{1e2, 1e3} {
		labels := make([]float64, 300)
		for i := range labels {
			labels[i] = offset + rng.NormFloat64()
		}
		p.Labels = labels
		res, err := solver.Minimize(context.Background(), p, nil)
		if err != nil {
			t.Errorf("labels about %g: %d Newton steps: %v", offset, res.Stats.NewtonSteps, err)
		}
	}
}

// TestGapWithoutPenalty checks that the proved gap of a problem without a penalty is valid, although two
// columns are nearly multiples of each other.
func TestGapWithoutPenalty(t *testing.T) {
	rows := [][]float64{
		{
			129.55038265161488, 1.1152759180087512e+06, 4.365551973557916e+06, -1.4786431905389068,
			6.975862531709076, 9.676404963834628, 0, 1,
		},
		{12.991758911578799, 0, 0, 8.028734287215963, 0, 0, 0, 1e-06},
		{-6.14875095749623, 0, -10.772038842518903, -6.44062221894271, 0, 0, 0, 1},
		{161.77821569569384, -15.449255590906148, 3.731814218695355, 0, 0, 0, 0, 1},
		{-190.23328524827525, 4.650353980767541, -3.2547785234549043, 0, 0, 10.751065230714033, -21.86407162928612, 1},
		{22.571182925879697, 6.51867160248679, 0, 0, 1.08524901787025, -28.290375151957583, -5.63448949861063, 1},
	}
	var data, y, w []float64
	for _, r := range rows {
		y, w, data = append(y, r[0]), append(w, r[7]), append(data, r[1:7]...)
	}
	x, err := sparse.FromDense(len(rows), 6, data)
	if err != nil {
		t.Fatal(err)
	}
	x, err = x.ColumnStats().Standardize(x, false)
	if err != nil {
		t.Fatal(err)
	}
	p := &solver.Problem{Data: x, Labels: y, SampleWeights: w, Loss: solver.Squared{}, Penalty: solver.L1{}}
	// The errors are ignored, because the runs may fail to converge.
	a, _ := solver.Minimize(context.Background(), p, &solver.Settings{RelTol: 1e-6})
	b, _ := solver.Minimize(context.Background(), p, &solver.Settings{RelTol: 1e-12})
	if b.At.Objective < a.At.Objective-a.DualityGap {
		t.Errorf("objective %g with gap %g, but %g is there", a.At.Objective, a.DualityGap, b.At.Objective)
	}
}

// TestAutoFreeWide checks that gaps are proved for a problem with 3,000 features and an intercept that is not
// penalised.
func TestAutoFreeWide(t *testing.T) {
	p, _ := solvertest.PlantedProblem(t,
		sparse.SyntheticOptions{Rows: 1000, Features: 3000, NonzerosPerRow: 10, Noise: 1, Seed: 3}, 0)
	ones, err := sparse.FromDense(1, 1000, slices.Repeat([]float64{1}, 1000))
	if err != nil {
		t.Fatal(err)
	}
	columns, err := sparse.Stack(p.Data.Transpose(), ones)
	if err != nil {
		t.Fatal(err)
	}
	p.Data = columns.Transpose()
	weights := make([]float64, 3001)
	for j := range 3000 {
		weights[j] = 1
	}
	p.Constraint, p.Penalty = nil, solver.L1{Lambda: 1e-3, Weights: weights}
	chain := graph.Chain(3001).FusedLasso()
	rowWeights := slices.Concat(slices.Repeat([]float64{1}, 2999), []float64{0}, weights)
	for _, c := range []struct {
		a       solver.Operator
		weights []float64
	}{{nil, weights}, {chain, rowWeights}} {
		p.Penalty = (solver.L1{Lambda: 1e-3, Weights: c.weights})
		if c.a != nil {
			p.Constraint = c.a
		}
		res := solvertest.Minimize(t, p, &solver.Settings{RelTol: 1e-9})
		if res.Status != solver.Converged || !(res.DualityGap <= 1e-9) || res.X[3000] == 0 {
			t.Errorf("A = %T: %s, gap %g, intercept %g", c.a, res.Status, res.DualityGap, res.X[3000])
		}
	}
}

// TestAutoWideKinds checks that runs with 5,000 features converge, for different penalties and domains. With
// the ball, Newton steps do not allow so many features, and passes of SCASK must converge.
func TestAutoWideKinds(t *testing.T) {
	syn, err := sparse.NewSynthetic(sparse.SyntheticOptions{Rows: 1500, Features: 5000, NonzerosPerRow: 20, Noise: 1, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	for name, p := range map[string]*solver.Problem{
		"ridge":                    {L2: 1e-3},
		"elastic net":              {Penalty: solver.ElasticNet{L1: 1e-4, L2: 1e-3}},
		"squares of x":             {Penalty: solver.SquaredL2{Lambda: 1e-3}},
		"nonnegative":              {Penalty: solver.L1{Lambda: 1e-3}, Domain: solver.Nonnegative{}},
		"nonnegative ridge":        {L2: 1e-3, Domain: solver.Nonnegative{}},
		"nonnegative, squared":     {Penalty: solver.L1{Lambda: 1e-3}, Domain: solver.Nonnegative{}, Loss: solver.Squared{}},
		"nonnegative, elastic net": {Penalty: solver.ElasticNet{L1: 1e-4, L2: 1e-4}, Domain: solver.Nonnegative{}},
		"ball":                     {Penalty: solver.L1{Lambda: 1e-3}, Domain: solver.Ball{Radius: 1}},
	} {
		p.Data, p.Labels = syn.X, syn.Labels
		res := solvertest.Minimize(t, p, nil)
		t.Logf("%s: %g passes, %d Newton steps, gap %.1e", name, res.Stats.Passes, res.Stats.NewtonSteps, res.DualityGap)
		if res.Status != solver.Converged {
			t.Errorf("%s: %s with gap %.1e", name, res.Status, res.DualityGap)
		}
		if p.Domain == (solver.Nonnegative{}) && slices.Min(res.X) < 0 {
			t.Errorf("%s: a coefficient is %v", name, slices.Min(res.X))
		}
	}
}

// TestAutoConditioned checks that passes of SCASK prove the goal, without Newton steps, if the objective is
// well conditioned and A couples thousands of features.
func TestAutoConditioned(t *testing.T) {
	syn, err := sparse.NewSynthetic(sparse.SyntheticOptions{Rows: 6000, Features: 5000, NonzerosPerRow: 20, Noise: 1, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	p := &solver.Problem{
		Data: syn.X, Labels: syn.Labels, Constraint: graph.Chain(5000).FusedLasso(),
		Penalty: solver.L1{Lambda: 1e-4}, L2: 1e-2,
	}
	for _, method := range []solver.Method{solver.Auto{}, solver.SCASK{}} {
		res := solvertest.Minimize(t, p, &solver.Settings{Method: method, RelTol: 1e-6})
		if res.Status != solver.Converged || res.Stats.NewtonSteps > 0 {
			t.Errorf("%T: %s after %g passes and %d Newton steps, gap %.1e",
				method, res.Status, res.Stats.Passes, res.Stats.NewtonSteps, res.DualityGap)
		}
	}
}
