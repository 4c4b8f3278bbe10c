package model

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

// A storedData is data in memory and the same data in a mapped file.
type storedData struct {
	memoryData, fileData *sparse.Dataset
	path                 string
}

// storeInFile writes data to a file and maps it. isRegression is true if the labels are numbers.
func storeInFile(t *testing.T, data *sparse.Dataset, isRegression bool) *storedData {
	t.Helper()
	path := writeFile(t, data)
	fileData, err := sparse.ReadFile(path,
		&sparse.ReadOptions{Regression: isRegression, MaxClasses: 9, Memory: 1 << 16, Beyond: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { fileData.Close() })
	if !fileData.X.Mapped() {
		t.Skip("this system maps no files")
	}
	return &storedData{data, fileData, path}
}

func synthetic(t *testing.T, opt sparse.SyntheticOptions) *sparse.Dataset {
	t.Helper()
	data, err := sparse.NewSynthetic(opt)
	if err != nil {
		t.Fatal(err)
	}
	return &sparse.Dataset{X: data.X, Labels: data.Labels}
}

// withCounts returns a copy of the data set numbers with counts as labels.
func withCounts(numbers *sparse.Dataset) *sparse.Dataset {
	countData := &sparse.Dataset{X: numbers.X}
	for _, v := range numbers.Labels {
		countData.Labels = append(countData.Labels, math.Floor(math.Exp(v/2)))
	}
	return countData
}

// writeFile writes data to a temporary file and returns its path.
func writeFile(t *testing.T, data *sparse.Dataset) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "d.scas")
	if err := sparse.WriteFile(path, data); err != nil {
		t.Fatal(err)
	}
	return path
}

// streamedSpecs returns specifications for fits out of core of n rows and p features. regression is true if
// the labels are numbers.
func streamedSpecs(n, p int) map[string]struct {
	isRegression bool
	spec         Spec
} {
	weights, offsets, factors := make([]float64, n), make([]float64, n), make([]float64, p)
	for i := range weights {
		weights[i], offsets[i] = float64(i%3), float64(i%5)/2-1
	}
	for j := range factors {
		factors[j] = float64(j % 3)
	}
	groups := GroupLasso{Groups: [][]int{{0, 1, 2, 3}, {20, 7, 9}, {11, 12}}}
	type c = struct {
		isRegression bool
		spec         Spec
	}
	return map[string]c{
		"lasso":           {false, Spec{Lambda: 2e-3}},
		"as they are":     {false, Spec{Lambda: 2e-3, Standardize: StandardizeOff}},
		"no intercept":    {false, Spec{Lambda: 2e-3, NoIntercept: true}},
		"elastic net":     {false, Spec{Lambda: 5e-3, Penalty: ElasticNet{0.5}}},
		"ridge":           {false, Spec{Lambda: 1e-2, Penalty: ElasticNet{0}}},
		"weights":         {false, Spec{Lambda: 2e-3, SampleWeights: weights}},
		"balanced":        {false, Spec{Lambda: 2e-3, Balanced: true}},
		"offsets":         {false, Spec{Lambda: 2e-3, Offsets: offsets}},
		"factors":         {false, Spec{Lambda: 2e-3, PenaltyFactors: factors}},
		"squared hinge":   {false, Spec{Lambda: 5e-3, Loss: solver.SquaredHinge{}}},
		"squared":         {true, Spec{Lambda: 2e-2, Loss: solver.Squared{}, Offsets: offsets}},
		"huber":           {true, Spec{Lambda: 2e-2, Loss: solver.Huber{Delta: 1.35}}},
		"poisson":         {true, Spec{Lambda: 1e-2, Loss: solver.Poisson{}, Offsets: offsets, SampleWeights: weights}},
		"poisson, groups": {true, Spec{Lambda: 1e-2, Loss: solver.Poisson{}, Penalty: groups}},
		"poisson, graph":  {true, Spec{Lambda: 1e-2, Loss: solver.Poisson{}, Graph: graph.Chain(p)}},
		"groups":          {false, Spec{Lambda: 2e-3, Penalty: groups}},
		"groups, as they are": {
			false,
			Spec{
				Lambda: 2e-3, Penalty: GroupLasso{Groups: groups.Groups, Weights: []float64{1, 2, 0}},
				Standardize: StandardizeOff, NoIntercept: true,
			},
		},
		"groups, offsets": {
			true,
			Spec{Lambda: 2e-2, Penalty: groups, Loss: solver.Huber{Delta: 1.35}, Offsets: offsets, SampleWeights: weights},
		},
		"groups, squared hinge": {false, Spec{Lambda: 5e-3, Penalty: groups, Loss: solver.SquaredHinge{}, Balanced: true}},
		"graph":                 {false, Spec{Lambda: 1e-3, Graph: graph.Chain(p)}},
		"graph, deviations":     {false, Spec{Lambda: 1e-3, Graph: graph.Chain(p), Standardize: StandardizeOn, Fusion: 2}},
		"graph, net": {
			false,
			Spec{Lambda: 1e-3, Graph: graph.Chain(p), Penalty: ElasticNet{0.7}, NoIntercept: true, Standardize: StandardizeOn},
		},
		"graph, net, as they are": {
			false, Spec{Lambda: 1e-3, Graph: graph.Chain(p), Penalty: ElasticNet{0.7}, NoIntercept: true},
		},
		"ridge beside": {false, Spec{Lambda: 2e-3, Mu: 1e-2}},
		"signs":        {false, Spec{Lambda: 2e-3, Domain: solver.Nonnegative{}}},
		"ball": {
			false,
			Spec{Lambda: 1e-3, Domain: solver.Ball{Radius: 0.5}, NoIntercept: true, Standardize: StandardizeOff},
		},
		"matrix": {false, Spec{Lambda: 1e-3, A: graph.Chain(p).FusedLasso(), MuA: 1e-2}},
		"simplex": {
			false, Spec{Domain: solver.Simplex{Total: 0.5}, NoIntercept: true, Standardize: StandardizeOff},
		},
		"groups, ridge": {false, Spec{Lambda: 3e-3, Penalty: groups, Mu: 1e-3}},
		"graph, net, box": {
			false,
			Spec{Lambda: 1e-3, Graph: graph.Chain(p), Penalty: ElasticNet{0.7}, Domain: solver.NewBox(p, -0.1, 0.2)},
		},
		"graph, squared, offsets": {true, Spec{Lambda: 1e-2, Graph: graph.Chain(p), Loss: solver.Squared{}, Offsets: offsets}},
	}
}

// longUnlessListed skips the subtest with -short, unless its name is in the list below.
func longUnlessListed(t *testing.T) {
	t.Helper()
	if _, name, _ := strings.Cut(t.Name(), "/"); !slices.Contains([]string{
		"weights", "ridge", "poisson", "groups,_offsets", "graph,_deviations",
	}, name) {
		sparsetest.Long(t)
	}
}

// streamedMemory is the Spec.Memory for the data of eachStreamedSpec. It gives package exact four pieces: the
// sum of two is the same in any order.
const streamedMemory = 1 << 19

// eachStreamedSpec calls the function test for each specification of streamedSpecs.
func eachStreamedSpec(t *testing.T, test func(t *testing.T, spec Spec, data *storedData)) {
	const n, p = 4000, 24
	opt := sparse.SyntheticOptions{Rows: n, Features: p, NonzerosPerRow: 9, Noise: 1, Seed: 1}
	signData := storeInFile(t, synthetic(t, opt), false)
	opt.Regression = true
	numberData := storeInFile(t, synthetic(t, opt), true)
	countData := storeInFile(t, withCounts(numberData.memoryData), true)
	for name, c := range streamedSpecs(n, p) {
		data := signData
		switch {
		case c.spec.Loss == solver.Poisson{}:
			data = countData
		case c.isRegression:
			data = numberData
		}
		t.Run(name, func(t *testing.T) { test(t, c.spec, data) })
	}
}

// TestStreamed compares fits out of core, in one process and on ranks, with fits in memory. The results
// must have the same bits for every number of threads.
func TestStreamed(t *testing.T) {
	eachStreamedSpec(t, func(t *testing.T, spec Spec, data *storedData) {
		x, y := data.memoryData.X, data.memoryData.Labels
		_, p := x.Dims()
		memorySpec := spec
		memorySpec.RelTol = 1e-10
		want := mustFit(t, &memorySpec, x, y).Columns[0].Certificate
		zeroObjective := plainObjective(&spec, x, y, make([]float64, p), 0)
		check := func(name string, m *Model) {
			t.Helper()
			c := m.Columns[0].Certificate
			objective := plainObjective(&spec, x, y, m.Columns[0].Coefficients, m.Columns[0].Intercept)
			if math.Abs(objective-c.Objective) > 1e-11*zeroObjective || objective-want.Objective > c.Gap ||
				want.Objective-objective > want.Gap+1e-11*zeroObjective || c.Gap > 1e-6*zeroObjective ||
				c.Status != solver.Converged {
				t.Errorf("%s: objective %v, said to be %v with a gap of %v, in memory %v with %v",
					name, objective, c.Objective, c.Gap, want.Objective, want.Gap)
			}
		}
		spec.Memory = streamedMemory
		singleModel := mustFit(t, &spec, data.fileData.X, data.fileData.Labels)
		check("alone", singleModel)
		threadsSpec := spec
		threadsSpec.Threads = 3
		threadsModel := mustFit(t, &threadsSpec, data.fileData.X, data.fileData.Labels)
		if diff := cmp.Diff(singleModel, threadsModel); diff != "" {
			t.Errorf("other bits with other threads: %s", diff)
		}
		longUnlessListed(t)
		for _, ranks := range []int{1, 2, 3} {
			models, errs := streamedRanks(t, ranks, &spec, data.path, Fit, nil)
			secondModels, secondErrs := streamedRanks(t, ranks, &spec, data.path, Fit, nil)
			m := equalResult(t, append(models, secondModels...), append(errs, secondErrs...))
			check(fmt.Sprint(ranks, " ranks"), m)
			if diff := cmp.Diff(singleModel, m); ranks == 1 && diff != "" {
				t.Errorf("one rank is not the single process: %s", diff)
			}
			if diff := cmp.Diff(singleModel.Summary, m.Summary); diff != "" {
				t.Errorf("%d ranks: %s", ranks, diff)
			}
		}
	})
}

// A shiftedLoss is the squared loss minus a constant, so that it has values below zero.
type shiftedLoss struct{ solver.Squared }

const shift = 0.9

func (s shiftedLoss) Value(margin, label float64) float64 {
	return s.Squared.Value(margin, label) - shift
}

func (shiftedLoss) String() string { return "shifted" }

func (shiftedLoss) Conjugate(alpha, label float64) float64 {
	return alpha*label + alpha*alpha/4 + shift
}

func (shiftedLoss) ConjugateDomain(float64) (lo, hi float64) { return math.Inf(-1), math.Inf(1) }

// TestStreamedBelowZero checks a fit whose optimum is below zero.
func TestStreamedBelowZero(t *testing.T) {
	fileData := storeInFile(t,
		synthetic(t, sparse.SyntheticOptions{Rows: 3000, Features: 20, Noise: 0.1, Seed: 1}), true).fileData
	spec := &Spec{Lambda: 1e-3, Loss: solver.Squared{}, Memory: 1 << 20, Settings: solver.Settings{RelTol: 1e-9}}
	want := mustFit(t, spec, fileData.X, fileData.Labels).Columns[0].Certificate
	spec.Loss = shiftedLoss{}
	got := mustFit(t, spec, fileData.X, fileData.Labels).Columns[0].Certificate
	if !(got.Objective < 0) || !(got.Gap >= 0) || math.Abs(got.Objective-(want.Objective-shift)) > 1e-9 {
		t.Errorf("objective %.12g, gap %.2g, want %.12g", got.Objective, got.Gap, want.Objective-shift)
	}
}

// TestStreamedUnproved checks that Fit returns ErrNotConverged if no gap can be proved because columns
// without a penalty are linearly dependent.
func TestStreamedUnproved(t *testing.T) {
	const n = 3000
	data, err := sparse.NewSynthetic(sparse.SyntheticOptions{Rows: n, Features: 4, Groups: 1, GroupSize: 2, Noise: 1, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	denseX := make([]float64, 0, 5*n)
	for i := range n {
		var row [5]float64
		idx, val := data.X.Row(i)
		for k, j := range idx {
			row[j] = val[k]
		}
		row[4] = row[0]
		denseX = append(denseX, row[:]...)
	}
	x := denseMatrix(t, n, 5, denseX)
	fileData := storeInFile(t, &sparse.Dataset{X: x, Labels: data.Labels}, false).fileData
	spec := &Spec{NoIntercept: true, Standardize: StandardizeOff, Memory: 8 << 20}
	m, err := Fit(t.Context(), spec, fileData.X, fileData.Labels)
	if !errors.Is(err, solver.ErrNotConverged) || m.Columns[0].Certificate.Status != solver.Stalled {
		t.Errorf("%v, %v", m, err)
	}
}

// TestStreamedProgress checks that the reported passes increase, up to the passes of the whole fit.
func TestStreamedProgress(t *testing.T) {
	fileData := storeInFile(t,
		// More than 4 MiB: two windows of package exact.
		synthetic(t, sparse.SyntheticOptions{Rows: 15000, Features: 24, Noise: 1, Seed: 1}),
		false).fileData
	for _, method := range []solver.Method{nil, solver.SCASK{}} {
		lastReport := solver.Report{}
		spec := &Spec{Lambda: 1e-3, NoIntercept: true, Standardize: StandardizeOff, Memory: 1 << 19}
		spec.Report = func(report solver.Report) {
			if !(report.Passes > lastReport.Passes) || method != nil && !math.IsInf(report.Gap, 1) {
				t.Errorf("%v: %+v after %+v", method, report, lastReport)
			}
			lastReport = report
		}
		spec.Method = method
		if method != nil {
			spec.Passes = 4
		}
		c := mustFit(t, spec, fileData.X, fileData.Labels).Columns[0]
		if lastReport.Passes != c.Run.Passes || !(lastReport.Objective >= c.Certificate.Objective && lastReport.Objective < 1) {
			t.Errorf("%v: %+v of %+v, %v passes", method, lastReport, c.Certificate, c.Run.Passes)
		}
	}
}

// TestStreamedRare checks that standardised columns with few entries do not prevent a proof.
func TestStreamedRare(t *testing.T) {
	const n = 10000
	var entries []sparse.Triplet
	labels := make([]float64, n)
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range n {
		v := rng.NormFloat64()
		entries = append(entries, sparse.Triplet{Row: i, Value: v}, sparse.Triplet{Row: i, Col: 1, Value: rng.NormFloat64()})
		labels[i] = 1
		if v+rng.NormFloat64() < 0 {
			labels[i] = -1
		}
		if k := i / (n / 8); i%(n/8) < 4 { // each rare column has entries in four rows, two of each class
			entries, labels[i] = append(entries, sparse.Triplet{Row: i, Col: 2 + k, Value: 1}), float64(2*(i%2)-1)
		}
	}
	x, err := sparse.FromTriplets(n, 10, entries)
	if err != nil {
		t.Fatal(err)
	}
	fileData := storeInFile(t, &sparse.Dataset{X: x, Labels: labels}, false).fileData
	mustFit(t, &Spec{Lambda: 1e-6, Memory: 1 << 19}, fileData.X, fileData.Labels)
}

// TestStreamedColumns checks fits out of core of columns that weights make special. A constant column has the
// scale 1, also if the sum of the weights is rounded. A free feature whose entries all have weight 0 does not
// prevent a proof.
func TestStreamedColumns(t *testing.T) {
	zeroToTwo := []float64{0, 1, 2, 0, 1, 2, 0, 1, 2, 0}
	for name, c := range map[string]struct {
		x, y []float64
		spec Spec
	}{
		"constant": {slices.Repeat([]float64{1}, 10), zeroToTwo, Spec{
			Lambda: 0.1, NoIntercept: true, Standardize: StandardizeOn,
			SampleWeights: []float64{0.1, 0.3, 1, 0.3, 0.1, 0.3, 0.1, 1, 0.1, 1},
		}},
		"weight 0": {[]float64{0, 0, 1}, []float64{1, 0, 0}, Spec{
			Lambda: 1, Standardize: StandardizeOff, PenaltyFactors: []float64{0}, SampleWeights: []float64{1, 1, 0},
		}},
	} {
		x := denseMatrix(t, len(c.x), 1, c.x)
		spec := c.spec
		spec.Loss = solver.Squared{}
		want := mustFit(t, &spec, x, c.y).Columns[0]
		fileData := storeInFile(t, &sparse.Dataset{X: x, Labels: c.y}, true).fileData
		spec.Memory = 1 << 20
		m, err := Fit(t.Context(), &spec, fileData.X, fileData.Labels)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := m.Columns[0]; math.Abs(got.Certificate.Objective-want.Certificate.Objective) > got.Certificate.Gap+want.Certificate.Gap {
			t.Errorf("%s: %+v, in memory %+v", name, got, want)
		}
	}
}

// TestStreamedPath checks that a path out of core has the lambdas and objectives of a path in memory.
func TestStreamedPath(t *testing.T) {
	eachStreamedSpec(t, func(t *testing.T, spec Spec, data *storedData) {
		longUnlessListed(t)
		set := &PathSettings{Count: 6, Ratio: 1e-2}
		switch spec.Domain.(type) { // LambdaMax does not support a ball, a simplex or a matrix A
		case solver.Ball, solver.Simplex:
			set = &PathSettings{Lambdas: []float64{3e-2, 1e-2, 1e-3}}
		}
		if spec.A != nil {
			set = &PathSettings{Lambdas: []float64{3e-2, 1e-2, 1e-3}}
		}
		memorySpec := spec
		memorySpec.RelTol = 1e-9
		want, err := fitPath(t.Context(), &memorySpec, data.memoryData.X, data.memoryData.Labels, set)
		if err != nil {
			t.Fatal(err)
		}
		spec.Memory = streamedMemory
		steps, err := fitPath(t.Context(), &spec, data.fileData.X, data.fileData.Labels, set)
		if err != nil {
			t.Fatal(err)
		}
		for k, s := range steps {
			if math.Abs(s.Lambda-want[k].Lambda) > 1e-8*s.Lambda {
				t.Errorf("lambda %v, in memory %v", s.Lambda, want[k].Lambda)
			}
			m, w := s.Columns[0].Certificate, want[k].Columns[0].Certificate
			t.Logf("%.4g: gap %.1e, off by %.1e; %v passes", s.Lambda, m.Gap, m.Objective-w.Objective, s.Columns[0].run.Passes)
			if off := m.Objective - w.Objective; math.Abs(off) > m.Gap+w.Gap+1e-8*w.Objective || m.Status != solver.Converged {
				t.Errorf("lambda %v: objective %v with a gap of %v, in memory %v", s.Lambda, m.Objective, m.Gap, w.Objective)
			}
		}
	})
}

func TestStreamedRefuses(t *testing.T) {
	opt := sparse.SyntheticOptions{Rows: 3000, Features: 20, Noise: 1, Seed: 1}
	data := storeInFile(t, synthetic(t, opt), false)
	memoryData, fileData := data.memoryData, data.fileData
	labels := append([]float64(nil), fileData.Labels...)
	labels[7] = 3
	plusOne, minusOne := 1.0, -1.0
	for want, c := range map[string]struct {
		x          *sparse.CSR
		y          []float64
		spec       Spec
		otherError bool // the error must not match rows.ErrNotStreamed
	}{
		"data that are mapped": {memoryData.X, memoryData.Labels, Spec{}, true},
		"label 3 of row 7":     {fileData.X, labels, Spec{Positive: &plusOne}, true},
		"+1 is the positive class": {
			fileData.X, fileData.Labels,
			Spec{
				Positive: &minusOne, NoIntercept: true, Standardize: StandardizeOff,
				Settings: solver.Settings{Method: solver.SCASK{}},
			},
			false,
		},
		"Memory = -1": {fileData.X, fileData.Labels, Spec{Memory: -1}, true},
		"not a domain of package": {
			fileData.X, fileData.Labels,
			Spec{Domain: ownBox{}, NoIntercept: true, Standardize: StandardizeOff}, false,
		},
		"fits no intercept": {
			fileData.X, fileData.Labels, Spec{Settings: solver.Settings{Method: solver.SCASK{}}}, false,
		},
		"Settings.Checkpoint to nil": {
			fileData.X, fileData.Labels, Spec{Settings: solver.Settings{Checkpoint: &stateStore{}}}, false,
		},
	} {
		if c.spec.Memory == 0 {
			c.spec.Memory = 1 << 20
		}
		m, err := Fit(context.Background(), &c.spec, c.x, c.y)
		if m != nil || err == nil || !strings.Contains(err.Error(), want) || errors.Is(err, rows.ErrNotStreamed) == c.otherError {
			t.Errorf("%v; want %q", err, want)
		}
	}
}

// ownBox is a domain of a type outside package solver: every coefficient is between −0.5 and 0.5.
type ownBox struct{}

func (ownBox) Diameter() float64 { return math.Inf(1) }

func (ownBox) Validate(int) error { return nil }

func (ownBox) Project(x []float64) {
	for j, v := range x {
		x[j] = max(-0.5, min(v, 0.5))
	}
}

func TestOwnDomain(t *testing.T) {
	x, y := randomData(t, 240, 6, 4, true)
	spec := &Spec{Lambda: 1e-3, NoIntercept: true, Standardize: StandardizeOff, Domain: ownBox{}}
	spec.Passes = 2000
	got := mustFit(t, spec, x, y).Columns[0]
	spec.Domain, spec.Passes = solver.NewBox(6, -0.5, 0.5), 0
	want := mustFit(t, spec, x, y).Columns[0].Certificate
	difference := got.Certificate.Objective - want.Objective
	if largest := slices.Max(got.Coefficients); largest != 0.5 || !(math.Abs(difference) < 1e-6) {
		t.Errorf("objectives are %v apart, the largest coefficient is %v", difference, largest)
	}
}

// TestStreamedEnds checks that a fit that ends early has a model only if a point was evaluated.
func TestStreamedEnds(t *testing.T) {
	fileData := storeInFile(t, synthetic(t, sparse.SyntheticOptions{Rows: 3000, Features: 20, Noise: 1, Seed: 1}), false).fileData
	m, err := Fit(context.Background(), &Spec{Memory: 1 << 20, Settings: solver.Settings{TimeLimit: 1}},
		fileData.X, fileData.Labels)
	if m != nil || !errors.Is(err, solver.ErrNotConverged) {
		t.Errorf("%v, %v", m, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	spec := &Spec{Lambda: 1e-3, Memory: 1 << 20}
	passes := 0.0
	spec.Report = func(report solver.Report) {
		passes = report.Passes
		if passes >= 1 { // no point is evaluated yet
			cancel()
		}
	}
	m, err = Fit(ctx, spec, fileData.X, fileData.Labels)
	if m != nil || !errors.Is(err, context.Canceled) || passes > 2 {
		t.Errorf("%v, %v after %v passes", m, err, passes)
	}
	ctx, cancel = context.WithCancel(context.Background())
	defer cancel()
	spec.Report = func(report solver.Report) {
		if report.Passes > 2 {
			cancel()
		}
	}
	m, err = Fit(ctx, spec, fileData.X, fileData.Labels)
	if m == nil || !errors.Is(err, context.Canceled) || m.Columns[0].Certificate.Status != solver.Stopped ||
		!finite(m.Columns[0].Certificate.Objective) {
		t.Errorf("%v, %v", m, err)
	}
}

// TestStreamedCV checks that cross-validation out of core, in one process and on three ranks, has the results
// of cross-validation in memory. All ranks must have equal results.
func TestStreamedCV(t *testing.T) {
	const n = 4000
	twoClassData := storeInFile(t,
		synthetic(t, sparse.SyntheticOptions{Rows: n, Features: 16, NonzerosPerRow: 6, Noise: 1, Seed: 1}),
		false)
	fourClassData, weights, offsets := storedClasses(t, n)
	for name, c := range map[string]struct {
		manyClasses bool // more than two classes
		spec        Spec
		set         CVSettings
	}{
		"two":     {false, Spec{}, CVSettings{}},
		"weights": {false, Spec{SampleWeights: weights, Offsets: offsets, Balanced: true}, CVSettings{Measure: ByAUC}},
		"net":     {false, Spec{Penalty: ElasticNet{0.5}}, CVSettings{Metric: metricOf(ByError)}},
		"many":    {true, Spec{}, CVSettings{Measure: ByAUC}},
		"many, weights": {
			true, Spec{SampleWeights: weights, Offsets: offsets, ClassWeights: map[float64]float64{5: 2}},
			CVSettings{},
		},
		"many, hinge": {
			true, Spec{Balanced: true, Loss: solver.SquaredHinge{}},
			CVSettings{Measure: ByAUC, Path: PathSettings{Lambdas: []float64{0.05, 0.02, 0.01}}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			longUnlessListed(t)
			data := twoClassData
			if c.manyClasses {
				data = fourClassData
			}
			c.spec.RelTol, c.spec.Seed = 1e-9, 4
			c.set.Folds, c.set.Path.Count, c.set.Path.Ratio = 3, 3, 1e-2
			want := mustCV(t, &c.spec, data.memoryData.X, data.memoryData.Labels, &c.set)
			c.spec.Memory = 1 << 19
			set, lastDone, calls := c.set, 0, 0
			set.ModelScored = func(done, total int) {
				calls++
				if done < lastDone || total != 9 {
					t.Errorf("%d of %d models after %d", done, total, lastDone)
				}
				lastDone = done
			}
			got, err := CV(t.Context(), &c.spec, data.fileData.X, data.fileData.Labels, &set)
			if err != nil || lastDone != 9 || calls < 9 {
				t.Fatalf("%d models in %d calls, %v", lastDone, calls, err)
			}
			cv := func(ctx context.Context, spec *Spec, x *sparse.CSR, y []float64) (*CVResult, error) {
				return CV(ctx, spec, x, y, &c.set)
			}
			results, errs := streamedRanks(t, 3, &c.spec, data.path, cv, nil)
			for r, rank := range results {
				if errs[r] != nil {
					t.Fatalf("rank %d: %v", r, errs[r])
				}
				sameCV(t, fmt.Sprint("rank ", r), results[0], rank)
			}
			for _, got := range []*CVResult{got, results[0]} {
				compareCV(t, name, got, want, 1e-5)
				for k, s := range got.Path {
					if math.Abs(got.SE[k]-want.SE[k]) > 1e-5 || math.Abs(s.Lambda-want.Lambdas[k]) > 1e-7*s.Lambda {
						t.Errorf("standard error %v at %v, in memory %v at %v", got.SE[k], s.Lambda, want.SE[k], want.Lambdas[k])
					}
					for class, column := range s.Columns {
						a, b := column.Certificate, want.Path[k].Columns[class].Certificate
						tolerance := math.Abs(s.Lambda/want.Lambdas[k]-1) + 1e-12 // the lambdas differ slightly
						if a.Status != solver.Converged || math.Abs(a.Objective-b.Objective) > a.Gap+b.Gap+tolerance*b.Objective {
							t.Errorf("lambda %d, class %d: %+v, in memory %+v", k, class, a, b)
						}
					}
				}
			}
		})
	}
}

// TestStreamedAUCMemory checks that CV has no AUC if Memory is too small for the scores of all lambdas,
// unless CV chooses lambda by the AUC.
func TestStreamedAUCMemory(t *testing.T) {
	const n = 4500
	opt := sparse.SyntheticOptions{Rows: n, Features: 16, NonzerosPerRow: 4, Noise: 1, Seed: 1}
	fileData := storeInFile(t, synthetic(t, opt), false).fileData
	// 20 models for the 1,500 rows of a fold have scores of 240,000 bytes, more than half of Memory.
	spec := &Spec{Memory: 1 << 18, Settings: solver.Settings{RelTol: 1e-3}}
	set := &CVSettings{Path: PathSettings{Count: 20, Ratio: 0.1}, Folds: 3}
	for measure, want := range map[Measure]bool{"": false, ByAUC: true} {
		set.Measure = measure
		r := mustCV(t, spec, fileData.X, fileData.Labels, set)
		if _, got := r.Measures[ByAUC]; got != want || len(r.Measures[ByError].Mean) != 20 {
			t.Errorf("by %q: %d measures, the AUC among them: %v", measure, len(r.Measures), got)
		}
	}
	set.Measure, spec.Loss = ByR2, solver.Squared{}
	r, err := CV(context.Background(), spec, fileData.X, fileData.Labels, set)
	if err != nil || len(r.Measures) != 3 || !(r.Mean[r.Best] > 0 && r.Mean[r.Best] < 1) || r.Mean[r.Best] != slices.Max(r.Mean) {
		t.Errorf("numbers: %+v, %v", r, err)
	}
}

// TestStreamedFolds checks that CV returns an error for a fold with all rows of a class and for more folds
// than rows, and that it accepts 257 folds.
func TestStreamedFolds(t *testing.T) {
	const n = 300
	opt := sparse.SyntheticOptions{Rows: n, Features: 6, Groups: 1, GroupSize: 3, Noise: 1, Seed: 2}
	fileData := storeInFile(t, synthetic(t, opt), false).fileData
	folds := make([]int, n)
	for i, b := range fileData.Labels {
		if b < 0 {
			folds[i] = 1
		}
	}
	badFolds := make([]int, n)
	badFolds[7] = n
	for want, set := range map[string]*CVSettings{
		"Assignment[7] = 300":                {Assignment: badFolds},
		"no fold but 1 has rows of label -1": {Assignment: folds},
		"must be between 2 and 300":          {Folds: 301},
	} {
		_, err := CV(t.Context(), &Spec{Memory: 1 << 20}, fileData.X, fileData.Labels, set)
		sparsetest.CheckError(t, err, want)
	}
	set := &CVSettings{Path: PathSettings{Lambdas: []float64{0.01}}, Folds: 257}
	if r, err := CV(t.Context(), &Spec{Memory: 1 << 20}, fileData.X, fileData.Labels, set); err != nil || len(r.Values) != 257 {
		t.Errorf("257 folds: %+v, %v", r, err)
	}
}

// A countedContext is a context that ends. The first calls of its method Err return nil, as many as the field
// calls says; later ones return context.Canceled.
type countedContext struct {
	context.Context
	calls int
}

func (c *countedContext) Err() error {
	c.calls--
	if c.calls < 0 {
		return context.Canceled
	}
	return nil
}

// TestStreamedEndsAfterProof checks that a fit out of core returns an error exactly if it has not converged,
// no matter when the context ends: it lets the context end at the first call of Err, at the second call, and
// so on. The last pass follows the proof. It only looks for directions in which the loss falls forever, so
// the result stays converged if the context ends there.
func TestStreamedEndsAfterProof(t *testing.T) {
	numbers := synthetic(t, sparse.SyntheticOptions{Rows: 3000, Features: 15, Regression: true, Noise: 1, Seed: 1})
	d := storeInFile(t, withCounts(numbers), true).fileData
	p, err := newProblems(&Spec{Loss: solver.Poisson{}, Memory: 1 << 20}, d.X, d.Labels)
	if err != nil {
		t.Fatal(err)
	}
	ended := true
	for calls := 0; ended; calls++ {
		design, err := p.preparedDesign(0)
		if err != nil {
			t.Fatal(err)
		}
		f, err := design.newFitter(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		ctx := &countedContext{t.Context(), calls}
		out, err := f.solve(ctx, 0.01)
		ended = ctx.calls < 0
		if converged := out != nil && out.Certificate.Status == solver.Converged; converged != (err == nil) {
			t.Errorf("ended at call %d: %+v, %v", calls, out, err)
		}
	}
}
