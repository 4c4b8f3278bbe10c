package model

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

// specs returns specifications with different options, for n rows and nine features.
func specs(n int, loss solver.Loss) map[string]*Spec {
	const p = 9
	rng := rand.New(rand.NewPCG(5, 6))
	weights, offsets, factors := make([]float64, n), make([]float64, n), make([]float64, p)
	for i := range n {
		weights[i], offsets[i] = float64(rng.IntN(3)), rng.NormFloat64()
	}
	for j := range p {
		factors[j] = float64(j%3) / 2
	}
	set := solver.Settings{RelTol: 1e-11}
	cases := map[string]*Spec{
		"plain":       {},
		"nointercept": {NoIntercept: true},
		"unscaled":    {Standardize: StandardizeOff},
		"weights":     {SampleWeights: weights},
		"factors":     {PenaltyFactors: factors},
		"offsets":     {Offsets: offsets},
		"elastic":     {Penalty: ElasticNet{0.4}, PenaltyFactors: factors},
		"ridge":       {Penalty: ElasticNet{0}},
		"groups":      {Penalty: GroupLasso{Groups: [][]int{{0, 1, 2}, {3, 4}, {5, 6, 7}}}},
		"everything":  {SampleWeights: weights, PenaltyFactors: factors, Offsets: offsets, Penalty: ElasticNet{0.7}},
	}
	if classifies(loss) {
		low := 3.0
		cases["balanced"] = &Spec{Balanced: true, SampleWeights: weights}
		cases["classes"] = &Spec{ClassWeights: map[float64]float64{7: 2.5}}
		cases["positive"] = &Spec{Positive: &low}
	}
	for _, s := range cases {
		s.Loss, s.Lambda, s.Settings = loss, 0.02, set
	}
	return cases
}

// otherLossInShort reports whether -short leaves out the case with this name for a loss. It leaves out all
// losses but the logistic one, except in the case "everything", which has all options at once.
func otherLossInShort(loss solver.Loss, name string) bool {
	return testing.Short() && loss != solver.Loss(solver.Logistic{}) && name != "everything"
}

// TestFit checks that the reported objective agrees with plain loops, and that no point nearby has a lower
// objective. solver.Minimize must prove the same optimum.
func TestFit(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, loss := range losses {
		x, y := randomDataFor(t, 70, 9, 3, loss)
		for name, spec := range specs(70, loss) {
			m, err := Fit(context.Background(), spec, x, y)
			if err != nil {
				t.Errorf("%v, %s: %v", loss, name, err)
				continue
			}
			objective := plainObjective(spec, x, y, m.Columns[0].Coefficients, m.Columns[0].Intercept)
			if c := m.Columns[0].Certificate; math.Abs(objective-c.Objective) > 1e-12*math.Abs(objective) ||
				!(c.Gap <= 1e-9) || c.Status != solver.Converged {
				t.Errorf("%v, %s: objective %.15g by plain loops; %+v", loss, name, objective, c)
			}
			for range 50 {
				b := slices.Clone(m.Columns[0].Coefficients)
				stepSize := math.Pow(10, -4*rng.Float64())
				for j := range b {
					b[j] += stepSize * rng.NormFloat64()
				}
				c := m.Columns[0].Intercept
				if !spec.NoIntercept {
					c += stepSize * rng.NormFloat64()
				}
				if v := plainObjective(spec, x, y, b, c); v < objective-m.Columns[0].Certificate.Gap-1e-12 {
					t.Errorf("%v, %s: %.15g nearby, %.15g at the model", loss, name, v, objective)
				}
			}
			if spec.NoIntercept != (m.Columns[0].Intercept == 0) {
				t.Errorf("%v, %s: intercept %v", loss, name, m.Columns[0].Intercept)
			}
			minimizeSpec := *spec
			minimizeSpec.OuterIterations = minimizeIterations
			m, err = Fit(context.Background(), &minimizeSpec, x, y)
			if err != nil {
				t.Errorf("%v, %s, by solver.Minimize: %v", loss, name, err)
				continue
			}
			c, minimized := m.Columns[0].Certificate,
				plainObjective(spec, x, y, m.Columns[0].Coefficients, m.Columns[0].Intercept)
			if math.Abs(minimized-c.Objective) > 1e-12*math.Abs(minimized) || !(c.Gap <= 1e-9) ||
				math.Abs(c.Objective-objective) > 1e-10 {
				t.Errorf("%v, %s, by solver.Minimize: objective %.15g by plain loops, %+v; by package exact %.15g", loss, name, minimized, c, objective)
			}
		}
	}
}

// TestGraph fits with a graph. Tied coefficients must have exactly the same absolute value unless features
// are standardised.
func TestGraph(t *testing.T) {
	for _, loss := range losses {
		x, y := randomDataFor(t, 90, 9, 4, loss)
		g, err := graph.New(9,
			[]graph.Edge{{I: 0, J: 3, Weight: 1}, {I: 3, J: 6, Weight: 1}, {I: 1, J: 4, Weight: -2}, {I: 7, J: 8, Weight: 0.5}})
		if err != nil {
			t.Fatal(err)
		}
		offsets := make([]float64, 90)
		for i := range offsets {
			offsets[i] = float64(i%3) / 2
		}
		for _, spec := range []*Spec{
			{}, {NoIntercept: true}, {Standardize: StandardizeOn}, {Fusion: 3},
			{PenaltyFactors: make([]float64, 9)}, {NoIntercept: true, Penalty: ElasticNet{0.6}},
			{PenaltyFactors: []float64{1, 2, 0, 1, 1, 3, 1, 1, 0.5}, Penalty: ElasticNet{0.6}, Standardize: StandardizeOn},
			{Offsets: offsets},
		} {
			spec.Loss, spec.Lambda, spec.Graph, spec.RelTol = loss, 0.03, g, 1e-10
			m, err := Fit(context.Background(), spec, x, y)
			if err != nil {
				t.Errorf("%v, %+v: %v", loss, spec, err)
				continue
			}
			objective := plainObjective(spec, x, y, m.Columns[0].Coefficients, m.Columns[0].Intercept)
			if c := m.Columns[0].Certificate; math.Abs(objective-c.Objective) > 1e-12*math.Abs(objective) || !(c.Gap <= 1e-8) {
				t.Errorf("%v: objective %.15g by plain loops; %+v", loss, objective, c)
			}
			for _, group := range m.Columns[0].Groups {
				for _, j := range group {
					if math.Abs(m.Columns[0].Coefficients[j]) != math.Abs(m.Columns[0].Coefficients[group[0]]) && spec.Standardize != StandardizeOn {
						t.Errorf("%v: group %v has coefficients %v", loss, group, m.Columns[0].Coefficients)
					}
				}
			}
		}
	}
}

// TestPenaltyParts checks fits that use a ridge, a matrix A, groups of rows of A or a domain.
func TestPenaltyParts(t *testing.T) {
	x, y := randomDataFor(t, 90, 9, 4, solver.Logistic{})
	g := graph.Chain(9)
	box := solver.NewBox(9, -0.1, math.Inf(1))
	box.Upper[3] = 0
	offsets := make([]float64, 90)
	for i := range offsets {
		offsets[i] = float64(i%3) / 2
	}
	for name, spec := range map[string]*Spec{
		"mu": {Mu: 0.1}, "mu, plain": {Mu: 0.1, NoIntercept: true},
		"mu, net": {Mu: 0.1, Penalty: ElasticNet{0.5}, PenaltyFactors: []float64{1, 2, 0, 1, 1, 3, 1, 1, 0.5}},
		"mu of A": {MuA: 0.1}, "mu of A, graph": {MuA: 0.1, Graph: g, NoIntercept: true},
		"mu of A, fusion": {MuA: 0.1, Graph: g, Fusion: 2},
		"matrix":          {A: g.FusedLasso()},
		"matrix, scales":  {A: g.FusedLasso(), Standardize: StandardizeOn, Mu: 0.01},
		"matrix, mu":      {A: g.FusedLasso(), MuA: 0.1},
		"groups of rows":  {A: g.Incidence(), Penalty: GroupLasso{Groups: [][]int{{0, 1, 2}, {5, 6}}}},
		"groups, graph":   {Graph: g, Penalty: GroupLasso{Groups: [][]int{{0, 8}, {9, 10}}}},
		"box":             {Domain: box}, "signs": {Domain: solver.Nonnegative{}, Standardize: StandardizeOn},
		"box, graph":   {Domain: box, Graph: g},
		"box, offsets": {Domain: box, Offsets: offsets},
		"ball":         {Domain: solver.Ball{Radius: 0.3}, NoIntercept: true, Standardize: StandardizeOff},
		"simplex":      {Domain: solver.Simplex{}, NoIntercept: true, Standardize: StandardizeOff},
	} {
		spec.Lambda, spec.RelTol = 0.03, 1e-9
		m, err := Fit(t.Context(), spec, x, y)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		c := m.Columns[0].Certificate
		if objective := plainObjective(spec, x, y, m.Columns[0].Coefficients,
			m.Columns[0].Intercept); math.Abs(objective-c.Objective) > 1e-12*math.Abs(objective) {
			t.Errorf("%s: objective %.15g by plain loops; %+v", name, objective, c)
		}
		if spec.Domain != nil {
			projected := slices.Clone(m.Columns[0].Coefficients)
			spec.Domain.Project(projected)
			if !slices.EqualFunc(projected, m.Columns[0].Coefficients, func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }) {
				t.Errorf("%s: coefficients %v outside the domain", name, m.Columns[0].Coefficients)
			}
		}
		minimizeSpec := *spec
		minimizeSpec.OuterIterations = minimizeIterations
		got, err := Fit(t.Context(), &minimizeSpec, x, y)
		if settingErr := (*solver.SettingError)(nil); errors.As(err, &settingErr) {
			continue
		}
		if err != nil {
			t.Errorf("%s, by package solver: %v", name, err)
		} else if o := got.Columns[0].Certificate; math.Abs(o.Objective-c.Objective) > o.Gap+c.Gap {
			t.Errorf("%s: objective %v, by package solver %v", name, c.Objective, o.Objective)
		}
	}
}

// TestBounds checks that coefficients of standardised features are in a box to the last bit if package solver
// fits them.
func TestBounds(t *testing.T) {
	x, y := randomData(t, 60, 30, 5, true)
	box := solver.NewBox(30, 0, 0)
	for j := range 30 {
		box.Lower[j], box.Upper[j] = -1e-3*float64(j+1)/7, 1e-3*float64(j+1)/7
	}
	spec := &Spec{
		Lambda: 1e-5, Domain: box, Standardize: StandardizeOn,
		Settings: solver.Settings{OuterIterations: minimizeIterations},
	}
	atBounds := 0
	for j, b := range mustFit(t, spec, x, y).Columns[0].Coefficients {
		if b < box.Lower[j] || b > box.Upper[j] {
			t.Errorf("coefficient %d is %v, not from %v to %v", j, b, box.Lower[j], box.Upper[j])
		}
		if b == box.Lower[j] || b == box.Upper[j] {
			atBounds++
		}
	}
	if atBounds < 10 {
		t.Errorf("only %d coefficients at their bounds", atBounds)
	}
}

// TestDependentRemedies checks the remedies of fits in which two free features are equal.
func TestDependentRemedies(t *testing.T) {
	x := denseMatrix(t, 4, 2, []float64{1, 1, 2, 2, 3, 3, 5, 5})
	for _, iterations := range []int{0, minimizeIterations} {
		spec := &Spec{Loss: solver.Squared{}, Settings: solver.Settings{OuterIterations: iterations}}
		_, err := Fit(t.Context(), spec, x, []float64{1, 2, 2, 4})
		e, ok := errors.AsType[*solver.NotConvergedError](err)
		if !ok || !slices.Contains(e.Remedies, sparse.Remedy{Field: "Spec.Mu", To: "a number above 0"}) {
			t.Errorf("%d iterations: %v", iterations, err)
		}
	}
}

// TestGraphWithoutData checks fits of features without data that only a graph penalises, beside an intercept.
func TestGraphWithoutData(t *testing.T) {
	x := denseMatrix(t, 3, 3, []float64{0, 0, 1, 0, 0, 2, 0, 0, 4})
	g, err := graph.New(3, []graph.Edge{{I: 0, J: 1, Weight: 1}})
	if err != nil {
		t.Fatal(err)
	}
	for _, loss := range []solver.Loss{solver.Squared{}, solver.Logistic{}} {
		spec := &Spec{Loss: loss, Lambda: 0.1, Graph: g, PenaltyFactors: []float64{0, 0, 1}}
		mustFit(t, spec, x, []float64{1, 0, 1})
	}
}

// TestNonzeroGroups checks that Column.Groups lists no features with coefficients of 0.
func TestNonzeroGroups(t *testing.T) {
	x := denseMatrix(t, 1, 2, []float64{-1, 0})
	a := denseMatrix(t, 1, 2, []float64{-0.41, 0.2})
	spec := &Spec{Loss: solver.Squared{}, Lambda: 100, A: a, Domain: solver.Nonnegative{}, NoIntercept: true}
	c := mustFit(t, spec, x, []float64{1}).Columns[0]
	if c.Groups != nil || slices.Max(c.Coefficients) != 0 {
		t.Errorf("groups %v of the coefficients %v", c.Groups, c.Coefficients)
	}
}

// TestInfiniteRidge checks a fit whose ridge is too large for a float64 and becomes +Inf. The coefficient
// must be 0, and the objective must be the loss alone: the ridge term is 0, and not Inf·0 = NaN. With a
// graph, the fit does not converge.
func TestInfiniteRidge(t *testing.T) {
	x := denseMatrix(t, 2, 1, []float64{0, 2e131})
	for name, g := range map[string]*graph.Graph{"plain": nil, "graph": graph.Chain(1)} {
		spec := &Spec{
			Lambda: 1e127, Penalty: ElasticNet{0.61}, Graph: g, PenaltyFactors: []float64{1},
			NoIntercept: true, Standardize: StandardizeOn,
		}
		m, err := Fit(t.Context(), spec, x, []float64{3, 7})
		if err != nil && !errors.Is(err, solver.ErrNotConverged) {
			t.Fatal(err)
		}
		if c := m.Columns[0]; c.Coefficients[0] != 0 || math.Abs(c.Certificate.Objective-math.Ln2) > 1e-15 {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

// TestLimits checks fits with lambda 0, with a large lambda, and with an optimum of 0.
func TestLimits(t *testing.T) {
	x, y := randomData(t, 70, 5, 3, true)
	m := mustFit(t, &Spec{Lambda: 1e3, Settings: solver.Settings{RelTol: 1e-12}}, x, y)
	positiveRows := 0
	for _, v := range y {
		if v == 7 {
			positiveRows++
		}
	}
	share := float64(positiveRows) / float64(len(y))
	if want := math.Log(share / (1 - share)); m.NonZeros() > 0 || math.Abs(m.Columns[0].Intercept-want) > 1e-6 {
		t.Errorf("%v and %v, want nothing and %v", m.Columns[0].Coefficients, m.Columns[0].Intercept, want)
	}
	m = mustFit(t, &Spec{Loss: solver.Squared{}, Settings: solver.Settings{RelTol: 1e-12}}, x, y)
	if m.NonZeros() != 5 || !(m.Columns[0].Certificate.Gap < 1e-10) {
		t.Errorf("least squares: %+v", m)
	}
	for _, loss := range []solver.Loss{solver.Squared{}, solver.Huber{}} {
		for _, iterations := range []int{0, minimizeIterations} {
			spec := &Spec{Loss: loss, Lambda: 0.1, Settings: solver.Settings{OuterIterations: iterations}}
			m = mustFit(t, spec, x, make([]float64, len(y)))
			if c := m.Columns[0].Certificate; m.NonZeros() > 0 || c.Objective != 0 || c.Gap != 0 || c.Status != solver.Converged {
				t.Errorf("%v of zeros: %+v", loss, c)
			}
		}
	}
}

// TestNoLossAtZero checks fits in which the loss at 0 is 0, but the domain does not have 0, such as a
// portfolio of the smallest variance. Without a proof there is an error.
func TestNoLossAtZero(t *testing.T) {
	x, y := randomData(t, 60, 5, 3, false)
	clear(y)
	data := storeInFile(t, &sparse.Dataset{X: x, Labels: y}, true)
	boxSpec := &Spec{Loss: solver.Squared{}, Lambda: 0.1, Domain: solver.NewBox(5, 0.2, 1), NoIntercept: true} // by a Gram matrix
	if c := mustFit(t, boxSpec, x, y).Columns[0].Certificate; !(c.Gap <= 1e-6*c.MeanLoss) {
		t.Errorf("box: %+v", c)
	}
	spec := Spec{Loss: solver.Squared{}, Domain: solver.Simplex{}, NoIntercept: true, Standardize: StandardizeOff}
	best := mustFit(t, &spec, x, y).Columns[0].Certificate
	for name, change := range map[string]func(s *Spec){
		"minimize": func(s *Spec) { s.OuterIterations = minimizeIterations },
		"SCASK":    func(s *Spec) { s.Method, s.RelTol, s.Passes = solver.SCASK{}, 1e-3, 1000 },
		"file":     func(s *Spec) { s.Memory = 1 << 20 },
	} {
		changed := spec
		change(&changed)
		input := data.memoryData
		if changed.Memory > 0 {
			input = data.fileData
		}
		c := mustFit(t, &changed, input.X, input.Labels).Columns[0].Certificate
		if !(c.Gap > 0) || math.Abs(c.Objective-best.Objective) > c.Gap+best.Gap {
			t.Errorf("%s: %+v, by Newton steps %+v", name, c, best)
		}
	}
	spec.Memory, spec.Settings = 1<<20, solver.Settings{Method: solver.SCASK{}, RelTol: 1e-3, Passes: 10}
	if m, err := Fit(t.Context(), &spec, data.fileData.X, data.fileData.Labels); !errors.Is(err,
		solver.ErrNotConverged) || m.Columns[0].Certificate.Status != solver.PassesDone {
		t.Errorf("SCASK by a file: %v", err)
	}
	for j := range 60 { // the loss is 0 everywhere
		_, val := x.Row(j)
		clear(val)
	}
	spec = Spec{
		Loss: solver.Squared{}, Lambda: 0.1, Domain: solver.Simplex{Total: 0.87}, NoIntercept: true,
		Standardize: StandardizeOff,
	}
	if m, err := Fit(t.Context(), &spec, x, y); (m.Columns[0].Certificate.Status == solver.Converged) != (err == nil) || err != nil && !errors.Is(err, solver.ErrNotConverged) {
		t.Errorf("without loss: %+v, %v", m.Columns[0].Certificate, err)
	}
}

// TestSparseScale checks that a fit that standardises the features gives the same model as a fit of data that
// were standardised and centred before.
func TestSparseScale(t *testing.T) {
	x, y := randomData(t, 80, 6, 8, true)
	s := x.ColumnStats()
	scaledX, err := s.Standardize(x, true)
	if err != nil {
		t.Fatal(err)
	}
	set := solver.Settings{RelTol: 1e-12}
	got := mustFit(t, &Spec{Lambda: 0.02, Settings: set}, x, y)
	m := mustFit(t, &Spec{Lambda: 0.02, Standardize: StandardizeOff, Settings: set}, scaledX, y)
	c := 0.0 // what the centring adds to the intercept
	for j, v := range m.Columns[0].Coefficients {
		v /= s.Scale()[j]
		c -= v * s.Mean()[j]
		if math.Abs(v-got.Columns[0].Coefficients[j]) > 1e-6*(1+math.Abs(v)) {
			t.Errorf("coefficient %d: %v, of centred data %v", j, got.Columns[0].Coefficients[j], v)
		}
	}
	if math.Abs(c+m.Columns[0].Intercept-got.Columns[0].Intercept) > 1e-6 ||
		math.Abs(m.Columns[0].Certificate.Objective-got.Columns[0].Certificate.Objective) > 1e-12 {
		t.Errorf("intercept %v and objective %v, of centred data %v and %v",
			got.Columns[0].Intercept, got.Columns[0].Certificate.Objective, c+m.Columns[0].Intercept,
			m.Columns[0].Certificate.Objective)
	}
}

// TestBits checks that the model has the same bits for any number of threads.
func TestBits(t *testing.T) {
	x, y := loadData(t, "small/a1a", 123)
	var want *Model
	for _, threads := range []int{1, 3} {
		m := mustFit(t, &Spec{Lambda: 1e-3, Settings: solver.Settings{Threads: threads}}, x, y)
		if want == nil {
			want = m
		} else if !slices.Equal(m.Columns[0].Coefficients, want.Columns[0].Coefficients) ||
			m.Columns[0].Intercept != want.Columns[0].Intercept ||
			m.Columns[0].Certificate != want.Columns[0].Certificate {
			t.Errorf("%d threads: %+v, not %+v", threads, m.Columns[0].Certificate, want.Columns[0].Certificate)
		}
	}
}

// TestInfiniteScale fits data with a column whose standard deviation overflows. Its coefficient must be 0,
// and the others as without the column, also with a bound of 0 and a start of 0 for it.
func TestInfiniteScale(t *testing.T) {
	x, y := randomData(t, 60, 5, 1, true)
	emptyX, err := x.ScaleColumns([]float64{1, 1, 0, 1, 1})
	if err != nil {
		t.Fatal(err)
	}
	x, err = x.ScaleColumns([]float64{1, 1, 1e160, 1, 1})
	if err != nil {
		t.Fatal(err)
	}
	start := mustFit(t, &Spec{Lambda: 0.05}, emptyX, y)
	minimizeSettings := solver.Settings{OuterIterations: minimizeIterations}
	for name, spec := range map[string]Spec{
		"lasso": {}, "ridge": {Penalty: ElasticNet{}}, "bound": {Domain: solver.Nonnegative{}}, "start": {Start: start},
		"factor":        {PenaltyFactors: []float64{1, 1, 0, 1, 1}, Penalty: ElasticNet{L1Ratio: 0.5}},
		"bound, solver": {Domain: solver.Nonnegative{}, Settings: minimizeSettings},
		"start, solver": {Start: start, Settings: minimizeSettings},
	} {
		spec.Lambda = 0.02
		m, err := Fit(t.Context(), &spec, x, y)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want := mustFit(t, &spec, emptyX, y).Columns[0].Certificate
		if c := m.Columns[0]; c.Coefficients[2] != 0 ||
			math.Abs(c.Certificate.Objective-want.Objective) > c.Certificate.Gap+want.Gap {
			t.Errorf("%s: %+v, want %+v", name, c, want)
		}
	}
}

// TestManyFeatures checks that a fit of sparse data with more features than rows has a proof.
func TestManyFeatures(t *testing.T) {
	x, y := loadData(t, "paper/rcv1v2_binary_train.libsvm.zst", 47236)
	m := mustFit(t, &Spec{Lambda: 1e-4, Standardize: StandardizeOff}, x, y)
	if c := m.Columns[0].Certificate; !(c.Gap <= 1e-6*math.Ln2) || m.Columns[0].Intercept == 0 ||
		m.NonZeros() < 100 || m.NonZeros() > 1000 {
		t.Errorf("%+v, intercept %v, %d coefficients", c, m.Columns[0].Intercept, m.NonZeros())
	}
}

// TestStalled checks a fit and a path whose RelTol cannot be reached.
func TestStalled(t *testing.T) {
	x, y := loadData(t, "small/a1a", 123)
	m, err := Fit(context.Background(), &Spec{Lambda: 1e-3, Settings: solver.Settings{RelTol: 1e-30}}, x, y)
	if m == nil || !errors.Is(err, solver.ErrNotConverged) || !(m.Columns[0].Certificate.Gap < 1e-10) {
		t.Errorf("too much: %+v, %v", m.Columns[0].Certificate, err)
	}
	// Stalled means that rounding ended the run.
	if e := (*solver.NotConvergedError)(nil); !errors.As(err, &e) || e.Status != solver.Stalled ||
		m.Columns[0].Certificate.Status != solver.Stalled {
		t.Errorf("too much: status %s, %+v", m.Columns[0].Certificate.Status, e)
	}
	steps, err := fitPath(context.Background(), &Spec{Settings: solver.Settings{RelTol: 1e-30}}, x, y, &PathSettings{Count: 3})
	for _, s := range steps[1:] {
		if c := s.Columns[0].Certificate; c.Status != solver.Stalled || s.Model().Columns[0].Certificate != c {
			t.Errorf("path, lambda %v: %+v, %v", s.Lambda, c, err)
		}
	}
}

// TestFarFeature fits data with a feature whose mean is far from 0. Rounding errors keep the fit from its
// goal, and the error must name this feature.
func TestFarFeature(t *testing.T) {
	const n, p, far = 100, 3, 1
	dense, y := make([]float64, n*p), make([]float64, n)
	for i := range n {
		for j := range p {
			dense[i*p+j] = math.Sin(float64(1 + i*p + j))
		}
		y[i] = dense[i*p+far] + dense[i*p]
		dense[i*p+far] += 1e9
	}
	x := denseMatrix(t, n, p, dense)
	_, err := Fit(context.Background(), &Spec{Loss: solver.Squared{}, Lambda: 1e-3}, x, y)
	e, ok := errors.AsType[*solver.NotConvergedError](err)
	if !ok || !strings.Contains(e.Error(), fmt.Sprintf("the mean of feature %d, counted from 0, is ", far)) {
		t.Errorf("error %v", err)
	}
}

// TestPathRetries checks that Path, like Fit, tries solver.Minimize if a fit stalls, and keeps its column
// only if it is better.
func TestPathRetries(t *testing.T) {
	retriedSteps := 0
	for seed := range uint64(4) {
		x, y := randomData(t, 60, 5, seed, true)
		spec := &Spec{Settings: solver.Settings{RelTol: 1e-30}} // cannot be reached
		steps, err := fitPath(t.Context(), spec, x, y, &PathSettings{Lambdas: []float64{0.1, 0.01, 0.001}})
		if len(steps) != 3 || !errors.Is(err, solver.ErrNotConverged) {
			t.Fatalf("%d steps, %v", len(steps), err)
		}
		for _, s := range steps {
			if s.Columns[0].run.Method != "proximal-newton" {
				retriedSteps++
			}
		}
	}
	if retriedSteps == 0 {
		t.Error("no step is of solver.Minimize")
	}
	for name, retryOut := range map[string]*Column{
		"none": nil, "worse": {Certificate: Certificate{Objective: 9, Gap: 9}},
		"better":  {Certificate: Certificate{Objective: -1}},
		"stopped": {Certificate: Certificate{Objective: 9, Gap: 9, Status: solver.Stopped}},
		"late":    {Certificate: Certificate{Objective: 9, Gap: 9, Status: solver.TimeDone}},
	} {
		var retryErr error
		wantStatus := solver.Stalled
		switch name {
		case "stopped":
			wantStatus, retryErr = solver.Stopped, context.Canceled
		case "late":
			wantStatus = solver.TimeDone
		case "better":
			wantStatus = ""
		}
		stalled := &Column{Certificate: Certificate{Objective: 1, Gap: 1, RelTol: 1e-30, Status: solver.Stalled}}
		out, err := betterColumn(stalled, solver.ErrNotConverged, retryOut, retryErr, 1)
		if want := name == "better"; (out == retryOut) != want || (err == nil) != want {
			t.Errorf("%s: %+v, %v", name, out, err)
		}
		if out.Certificate.Status != wantStatus || retryErr != nil && err != retryErr {
			t.Errorf("%s: %v, %v", name, out.Certificate.Status, err)
		}
	}
}

func TestBetter(t *testing.T) {
	for _, objective := range []float64{-2, 0, 2} {
		reference := Certificate{Objective: objective, Gap: 1}
		for _, c := range []struct {
			objective, gap float64
			want           bool
		}{{objective, 1, false}, {objective, 0.5, true}, {objective - 1e-9, 2, true}, {objective + 1e-9, 2, false}} {
			if got := (&Certificate{Objective: c.objective, Gap: c.gap}).better(&reference); got != c.want {
				t.Errorf("objective %v, gap %v against %v and 1: %v", c.objective, c.gap, objective, got)
			}
		}
	}
}

func TestBadSpec(t *testing.T) {
	x, y := randomData(t, 6, 2, 1, true)
	one := 1.0
	for want, spec := range map[string]*Spec{
		"Lambda = -1":               {Lambda: -1},
		"Lambda = NaN":              {Lambda: math.NaN()},
		"L1Ratio = 2":               {Penalty: ElasticNet{2}},
		"not a pointer":             {Penalty: &GroupLasso{Groups: [][]int{{0, 1}}}},
		"PenaltyFactors has":        {PenaltyFactors: []float64{1}},
		"PenaltyFactors[1] = -1":    {PenaltyFactors: []float64{1, -1}},
		"SampleWeights has":         {SampleWeights: []float64{1}},
		"weights of the rows sum":   {SampleWeights: make([]float64, 6)},
		"Offsets[2] = +Inf":         {Offsets: []float64{0, 0, math.Inf(1), 0, 0, 0}},
		"Balanced and":              {Balanced: true, ClassWeights: map[float64]float64{}},
		"of class 3 have no weight": {ClassWeights: map[float64]float64{3: 0}},
		"of class 7 have no weight": {ClassWeights: map[float64]float64{7: 0}},
		"ClassWeights[3] = -2":      {ClassWeights: map[float64]float64{3: -2}},
		"Standardize = \"yes\"":     {Standardize: "yes"},
		"IndexBase = 2":             {IndexBase: 2},
		"Features has 1":            {Features: []string{"a"}},
		"label 1 said":              {Positive: &one},
		"Graph has 3":               {Graph: graph.Chain(3)},
		"without a Graph":           {Fusion: 2},
		"choose one":                {Graph: graph.Chain(2), A: graph.Chain(2).Incidence()},
		"A has 3 columns":           {A: graph.Chain(3).Incidence()},
		"multiply its rows":         {A: graph.Chain(2).Incidence(), Penalty: ElasticNet{0.5}},
		"takes no Fusion":           {Graph: graph.Chain(2), Fusion: 5, Penalty: GroupLasso{Groups: [][]int{{0}}}},
		"takes no MuA":              {MuA: 1, Penalty: GroupLasso{Groups: [][]int{{0}}}},
		"Mu = -1":                   {Mu: -1},
		"MuA = NaN":                 {MuA: math.NaN()},
		"Box has 3 lower":           {Domain: solver.NewBox(3, 0, 1)},
		"holds no intercept":        {Domain: solver.Simplex{}},
		"of features as they are":   {Domain: solver.Ball{Radius: 1}, NoIntercept: true},
		"has row 3; A has 0..2":     {Graph: graph.Chain(2), Penalty: GroupLasso{Groups: [][]int{{3}}}},
		"set Spec.NoIntercept to true": {
			Graph: graph.Chain(2), Penalty: ElasticNet{0.5}, Settings: solver.Settings{Method: solver.SCAS{}},
		},
		"give it Weights": {
			PenaltyFactors: []float64{1, 1}, Penalty: GroupLasso{Groups: [][]int{{0}}},
		},
		"are for classification":                                        {Loss: solver.Squared{}, Balanced: true},
		"RelTol = 1":                                                    {Settings: solver.Settings{RelTol: 1}},
		"Settings.Threads = -1; ":                                       {Settings: solver.Settings{Threads: -1}},
		"Settings.Schedule = foo; ":                                     {Settings: solver.Settings{Schedule: "foo"}},
		"Settings.RecordEvery = -3; ":                                   {Settings: solver.Settings{RecordEvery: -3}},
		"[0] = -1; it must be finite and not negative":                  {PenaltyFactors: []float64{-1, 1}},
		"model: GroupLasso.Groups[0] has feature 5; the data have 0..1": {Penalty: GroupLasso{Groups: [][]int{{5}}}},
		"model: GroupLasso.Groups[0] and [1] share feature 1; groups must be disjoint": {
			Penalty: GroupLasso{Groups: [][]int{{1}, {1}}},
		},
		"model: GroupLasso.Weights has length 2; there are 1 groups": {
			Penalty: GroupLasso{Groups: [][]int{{1}}, Weights: []float64{1, 2}},
		},
		"model: GroupLasso.Weights[0] = -1; it must be finite and not negative": {
			Penalty: GroupLasso{Groups: [][]int{{1}}, Weights: []float64{-1}},
		},
	} {
		if m, err := Fit(context.Background(), spec, x, y); m != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v and %v", want, m, err)
		}
	}
	for want, labels := range map[string][]float64{
		"5 labels":    {1, 2, 1, 2, 1},
		"label NaN":   {1, 2, 1, 2, 1, math.NaN()},
		"every label": {1, 1, 1, 1, 1, 1},
		"label 0.31 is not a whole number, as labels of three or more classes must be; are the labels numbers": {
			1, 2, 0.31, 4, 5, 6,
		},
		"label 3 of row 2 is a third one, beside 1 and 2; for more than two classes leave Spec.Positive nil": {1, 2, 3, 1, 2, 3},
		"label 3 of row 3 is a third one, beside -1 and 1":                                                   {1, -1, 1, 3, -1, 1},
	} {
		spec := &Spec{}
		if strings.Contains(want, "third") {
			spec.Positive = &labels[0]
		}
		if m, err := Fit(context.Background(), spec, x, labels); m != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v and %v", want, m, err)
		}
	}
	if _, err := Fit(context.Background(), nil, nil, y); err == nil {
		t.Error("no error without data")
	}
}

type ownLoss struct{ solver.Squared }

func (ownLoss) String() string { return "own" }

// TestOwnLoss fits a loss of the caller that is not a solver.ConjugateLoss. Write and LambdaMax must return
// errors.
func TestOwnLoss(t *testing.T) {
	x, y := randomData(t, 60, 5, 3, false)
	want := mustFit(t, &Spec{Loss: solver.Squared{}, Lambda: 0.5}, x, y)
	m, err := Fit(context.Background(), &Spec{Loss: ownLoss{}, Lambda: 0.5}, x, y)
	if err != nil && !errors.Is(err, solver.ErrNotConverged) {
		t.Fatal(err)
	}
	if math.Abs(m.Columns[0].Certificate.Objective-want.Columns[0].Certificate.Objective) > 1e-3*want.Columns[0].Certificate.Objective {
		t.Errorf("objective %v, of the known loss %v", m.Columns[0].Certificate.Objective, want.Columns[0].Certificate.Objective)
	}
	sparsetest.CheckError(t, m.Write(io.Discard), `"own"`)
	if _, err := LambdaMax(context.Background(), &Spec{Loss: ownLoss{}}, x, y); err == nil {
		t.Error("no error for lambda max")
	}
	for step, err := range Path(context.Background(), &Spec{Loss: ownLoss{}}, x, y, &PathSettings{Lambdas: []float64{0.5}}) {
		if err != nil && !errors.Is(err, solver.ErrNotConverged) {
			t.Error(err)
		} else if got := step.Columns[0].Certificate.Objective; got != m.Columns[0].Certificate.Objective {
			t.Errorf("objective %v on the path, want %v", got, m.Columns[0].Certificate.Objective)
		}
	}
}

// TestReport checks the last report of fits in memory, with each method, against the model.
func TestReport(t *testing.T) {
	d := synthetic(t, sparse.SyntheticOptions{Rows: 300, Features: 20, Noise: 1, Seed: 1})
	for _, set := range []solver.Settings{{}, {Method: solver.SCASK{}, Passes: 20}, {Passes: 1000}} {
		var last solver.Report
		set.Report = func(r solver.Report) { last = r }
		c := mustFit(t, &Spec{Lambda: 1e-3, NoIntercept: true, Standardize: StandardizeOff, Settings: set},
			d.X, d.Labels).Columns[0]
		samePasses := last.Passes == c.Run.Passes || c.Run.Method == "proximal-newton"
		if last.NewtonSteps != c.Run.NewtonSteps || !samePasses || math.Abs(last.Objective-c.Certificate.Objective) > 0.01 {
			t.Errorf("%v: %+v, in the model %+v, %+v", set.Method, last, c.Run, c.Certificate)
		}
		if set.Method == nil && !(last.Gap <= last.Goal) {
			t.Errorf("%+v: the gap is above the goal", last)
		}
	}
}
