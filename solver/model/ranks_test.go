package model

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/dist"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

// A call is a function with the arguments of Fit.
type call[M any] func(ctx context.Context, spec *Spec, x *sparse.CSR, y []float64) (M, error)

// onRanks calls the function do on each rank. The ranks have consecutive parts of the rows of x. onRanks
// returns the results and errors of all ranks.
func onRanks[M any](t *testing.T, ranks int, spec *Spec, x *sparse.CSR, y []float64, do call[M]) ([]M, []error) {
	t.Helper()
	models, errs := make([]M, ranks), make([]error, ranks)
	n, _ := x.Dims()
	var wg sync.WaitGroup
	for r, comm := range dist.Local(ranks, time.Minute) {
		lo, hi := r*n/ranks, (r+1)*n/ranks
		var rows []int
		for i := lo; i < hi; i++ {
			rows = append(rows, i)
		}
		shard, err := x.SelectRows(rows)
		if err != nil {
			t.Fatal(err)
		}
		rankSpec := *spec
		rankSpec.Comm = comm
		if spec.SampleWeights != nil {
			rankSpec.SampleWeights = spec.SampleWeights[lo:hi]
		}
		if spec.Offsets != nil {
			rankSpec.Offsets = spec.Offsets[lo:hi]
		}
		wg.Go(func() { models[r], errs[r] = do(context.Background(), &rankSpec, shard, y[lo:hi]) })
	}
	wg.Wait()
	return models, errs
}

// equalResult checks that the results of all ranks have the same bits, and returns one of them.
func equalResult[M any](t *testing.T, results []M, errs []error) M {
	t.Helper()
	for r, got := range results {
		if errs[r] != nil {
			t.Fatalf("rank %d of %d: %v", r, len(results), errs[r])
		}
		if diff := cmp.Diff(results[0], got); diff != "" {
			t.Fatalf("rank %d of %d: %s", r, len(results), diff)
		}
	}
	return results[0]
}

// TestRanksLambdaMaxRefused checks the error of LambdaMax on ranks for too many coefficients without an L1
// penalty.
func TestRanksLambdaMaxRefused(t *testing.T) {
	const p = 3074
	x, err := sparse.New(4, p, []int64{0, 1, 2, 3, 4}, []int32{0, 1, 2, p - 1}, []float64{1, 1, 2, 2})
	if err != nil {
		t.Fatal(err)
	}
	factors := make([]float64, p)
	factors[0] = 1
	_, errs := onRanks(t, 2, &Spec{PenaltyFactors: factors, NoIntercept: true}, x, []float64{1, -1, 1, -1}, LambdaMax)
	for _, err := range errs {
		const want = "the largest lambda is not computed: 3073 coefficients have no L1 penalty, and several processes take at most 3072 of them; set PathSettings.Lambdas"
		sparsetest.CheckError(t, err, want)
	}
}

// TestRanksDiffer checks ranks of which only one has weights, or data that float32 does not round.
func TestRanksDiffer(t *testing.T) {
	x := denseMatrix(t, 4, 1, []float64{1.5, 0.1, 1, 1})
	y := []float64{-1, 1, 1, -1}
	spec := &Spec{
		Lambda: 0.01, NoIntercept: true, Standardize: StandardizeOff,
		Settings: solver.Settings{Float32: true, Method: solver.SCASK{}},
	}
	_, errs := onRanks(t, 2, spec, x, y, Fit)
	if err := errors.Join(errs...); err != nil {
		t.Errorf("values to round on one rank only: %v", err)
	}
	_, errs = onRanks(t, 2, &Spec{Lambda: 0.01}, x, y,
		func(ctx context.Context, spec *Spec, x *sparse.CSR, y []float64) (*Model, error) {
			if spec.Comm.Rank() == 1 {
				spec.SampleWeights = []float64{1, 2}
			}
			return Fit(ctx, spec, x, y)
		})
	if errs[0] == nil ||
		!strings.Contains(errs[0].Error(), "Spec.SampleWeights is nil in this process, but not in all") ||
		errs[1] == nil {
		t.Errorf("weights on one rank only: %v", errs)
	}
}

// fitOnRanks fits twice on ranks, checks that all models have the same bits, and returns one of them.
func fitOnRanks(t *testing.T, ranks int, spec *Spec, x *sparse.CSR, y []float64) *Model {
	t.Helper()
	models, errs := onRanks(t, ranks, spec, x, y, Fit)
	secondModels, secondErrs := onRanks(t, ranks, spec, x, y, Fit)
	return equalResult(t, append(models, secondModels...), append(errs, secondErrs...))
}

// TestRanks checks that a fit on ranks agrees with a fit in one process. On one rank both must have the same
// bits.
func TestRanks(t *testing.T) {
	g, err := graph.New(9, []graph.Edge{{I: 0, J: 3, Weight: 1}, {I: 1, J: 4, Weight: -2}})
	if err != nil {
		t.Fatal(err)
	}
	for _, loss := range losses {
		x, y := randomDataFor(t, 70, 9, 3, loss)
		cases := specs(70, loss)
		cases["graph"] = &Spec{Graph: g, Standardize: StandardizeOn}
		cases["mixed"] = &Spec{
			Penalty: ElasticNet{0.4}, SampleWeights: cases["weights"].SampleWeights,
			Offsets: cases["offsets"].Offsets,
		}
		cases["unscaled factors"] = &Spec{
			Penalty: ElasticNet{0.2}, NoIntercept: true, Standardize: StandardizeOff,
			PenaltyFactors: []float64{1, 2, 3, 1e-3, 0.5, 1, 7, 1, 1},
		}
		if !classifies(loss) { // without a penalty, classification may have no optimum
			cases["no factors"] = &Spec{Penalty: ElasticNet{0.2}, PenaltyFactors: make([]float64, 9)}
		}
		for name, spec := range cases {
			if name != "no factors" && otherLossInShort(loss, name) {
				continue
			}
			spec.Loss, spec.Lambda, spec.RelTol = loss, 0.02, 1e-10
			want := mustFit(t, spec, x, y)
			for _, ranks := range []int{1, 2, 3} {
				m := fitOnRanks(t, ranks, spec, x, y)
				if diff := cmp.Diff(want, m); ranks == 1 && diff != "" {
					t.Errorf("%v, %s: one rank is not the single process: %s", loss, name, diff)
				}
				objective := plainObjective(spec, x, y, m.Columns[0].Coefficients, m.Columns[0].Intercept)
				if c := m.Columns[0].Certificate; math.Abs(objective-c.Objective) > 1e-12*math.Abs(objective) || !(c.Gap <= 1e-8) || c.Status != solver.Converged || math.Abs(c.Objective-want.Columns[0].Certificate.Objective) > c.Gap+want.Columns[0].Certificate.Gap {
					t.Errorf("%v, %s, %d ranks: objective %.15g by plain loops, %+v, want %+v",
						loss, name, ranks, objective, c, want.Columns[0].Certificate)
				}
				if diff := cmp.Diff([]any{want.Summary, want.Classes}, []any{m.Summary, m.Classes}); diff != "" {
					t.Errorf("%v, %s, %d ranks: %s", loss, name, ranks, diff)
				}
			}
		}
	}
}

// TestRanksUnattained checks that NoOptimum depends on the rows of all ranks: a feature may separate the
// classes in the rows of one rank only.
func TestRanksUnattained(t *testing.T) {
	for _, c := range []struct {
		values    []float64 // the only feature of the rows; their labels are −1, +1, −1, ...
		noOptimum bool
	}{
		{[]float64{-1, 2, -3, 1, -2, 4, -1, 1}, true},
		{[]float64{0, 0, 0, 0, -2, 4, -1, 1}, true},
		{[]float64{-1, 2, -3, 1, -2, 4, 1, -1}, false},
		{[]float64{1, -2, -3, 1, -2, 4, -1, 1}, false},
	} {
		x := denseMatrix(t, 8, 1, c.values)
		y := []float64{-1, 1, -1, 1, -1, 1, -1, 1}
		spec := &Spec{NoIntercept: true, Settings: solver.Settings{RelTol: 1e-3}}
		for _, ranks := range []int{1, 2, 4} {
			models, errs := onRanks(t, ranks, spec, x, y, Fit)
			for r, m := range models { // without an optimum a fit may end with an error
				if m == nil || m.Columns[0].Certificate.NoOptimum != c.noOptimum || errs[r] != nil && !c.noOptimum {
					t.Errorf("%v, rank %d of %d: want no optimum %v: %+v, %v", c.values, r, ranks, c.noOptimum, m, errs[r])
				}
			}
		}
	}
}

// TestRanksClasses checks that ranks fit the same models as one process, even if some ranks do not have
// rows of all classes.
func TestRanksClasses(t *testing.T) {
	x, _ := randomData(t, 90, 6, 3, true)
	y := append(mixedLabels(60, 3), slices.Repeat([]float64{5}, 30)...)
	for _, spec := range []*Spec{
		{}, {Balanced: true},
		{ClassWeights: map[float64]float64{5: 3}, Settings: solver.Settings{TimeLimit: time.Hour}},
	} {
		spec.Lambda = 0.01
		want := mustFit(t, spec, x, y)
		for _, ranks := range []int{1, 3} {
			m := fitOnRanks(t, ranks, spec, x, y)
			if diff := cmp.Diff(want.Classes, m.Classes); diff != "" || m.Summary.Rows != 90 {
				t.Fatalf("%d ranks: %d rows, %s", ranks, m.Summary.Rows, diff)
			}
			for k, column := range m.Columns {
				reference := want.Columns[k].Certificate
				if c := column.Certificate; math.Abs(c.Objective-reference.Objective) > c.Gap+reference.Gap {
					t.Errorf("class %v, %d ranks: %+v, want %+v", want.Classes.Values[k], ranks, c, reference)
				}
			}
		}
	}
}

// TestRanksRefuse checks that all ranks return an error if one rank has an error.
func TestRanksRefuse(t *testing.T) {
	x, y := randomData(t, 40, 4, 3, true)
	set := func(i int, v float64) []float64 {
		out := append([]float64(nil), y...)
		out[i] = v
		return out
	}
	for want, c := range map[string]struct {
		spec Spec
		y    []float64
	}{
		"row 1; it must be finite":  {Spec{}, set(21, math.NaN())},
		"is a third one":            {Spec{Positive: &y[0]}, set(3, 9)},
		"must be finite":            {Spec{Loss: solver.Squared{}}, set(39, math.Inf(1))},
		"weights of the rows sum":   {Spec{Balanced: true, SampleWeights: make([]float64, 40)}, y},
		"of class 3 have no weight": {Spec{ClassWeights: map[float64]float64{3: 0}}, y},
		"Settings.TimeLimit":        {Spec{Settings: solver.Settings{TimeLimit: -1}}, y},
		"it must be finite and not": {Spec{Lambda: -1}, y},
	} {
		models, errs := onRanks(t, 2, &c.spec, x, c.y, Fit)
		found := false
		for r, err := range errs {
			if models[r] != nil || err == nil {
				t.Fatalf("%q, rank %d: %v, %v", want, r, models[r], err)
			}
			found = found || strings.Contains(err.Error(), want)
		}
		if !found {
			t.Errorf("%q: %v", want, errs)
		}
	}
}

// TestRanksCV checks that cross-validation on ranks has the results of one process, even if a rank has all
// rows of a fold.
func TestRanksCV(t *testing.T) {
	const n = 90
	for _, loss := range []solver.Loss{solver.Logistic{}, solver.Squared{}, solver.Poisson{}, nil} {
		dataLoss, withClasses := loss, false
		if dataLoss == nil { // nil stands for the logistic loss with three classes
			dataLoss, withClasses = solver.Logistic{}, true
		}
		x, y := randomDataFor(t, n, 9, 4, dataLoss)
		if withClasses {
			y = mixedLabels(n, 3)
		}
		weights, offsets, folds := make([]float64, n), make([]float64, n), make([]int, n)
		for i := range n {
			weights[i], offsets[i], folds[i] = float64(1+i%3), math.Sin(float64(i)), i/30
		}
		for name, spec := range map[string]*Spec{
			"plain": {}, "weights": {SampleWeights: weights, Offsets: offsets},
			"graph": {Graph: graph.Chain(9), Standardize: StandardizeOn},
		} {
			for _, assigned := range []bool{false, true} {
				isLong := name != "weights" && loss != solver.Loss(solver.Logistic{})
				if assigned && name != "plain" || testing.Short() && isLong {
					continue
				}
				spec.Loss, spec.RelTol, spec.Seed = loss, 1e-9, 3
				set := CVSettings{Path: PathSettings{Count: 6, Ratio: 1e-2}, Folds: 4}
				settings := func(spec *Spec, rows int) *CVSettings {
					rankSettings := set
					if assigned {
						firstRow := spec.Comm.Rank() * n / spec.Comm.Size()
						rankSettings.Assignment = folds[firstRow : firstRow+rows]
					}
					return &rankSettings
				}
				oneRankSpec := *spec
				oneRankSpec.Comm = dist.Local(1, 0)[0]
				want := mustCV(t, &oneRankSpec, x, y, settings(&oneRankSpec, n))
				for _, ranks := range []int{1, 2, 3} {
					cv := func(ctx context.Context, spec *Spec, x *sparse.CSR, y []float64) (*CVResult, error) {
						return CV(ctx, spec, x, y, settings(spec, len(y)))
					}
					results, errs := onRanks(t, ranks, spec, x, y, cv)
					name := fmt.Sprintf("%v, %s, assigned %v, %d ranks", loss, name, assigned, ranks)
					for r, got := range results {
						if errs[r] != nil {
							t.Fatalf("%s: rank %d: %v", name, r, errs[r])
						}
						sameCV(t, fmt.Sprintf("%s: rank %d", name, r), results[0], got)
					}
					compareCV(t, name, results[0], want, 1e-7)
				}
			}
		}
	}
}

// TestRanksCVEnds checks that CV returns an error on all ranks if one rank has an error.
func TestRanksCVEnds(t *testing.T) {
	x, y := randomData(t, 60, 4, 3, true)
	for want, spoil := range map[string]func(*CVSettings, context.CancelFunc){
		"Assignment has length 2": func(set *CVSettings, _ context.CancelFunc) { set.Assignment = []int{0, 1} },
		"a metric that fails": func(set *CVSettings, _ context.CancelFunc) {
			set.Metric = func(*Model, *sparse.CSR, []float64, *ScoreSettings) (float64, error) {
				return 0, errors.New("a metric that fails")
			}
		},
		"context canceled": func(set *CVSettings, cancel context.CancelFunc) {
			set.ModelScored = func(done, _ int) {
				if done == 9 {
					cancel()
				}
			}
		},
	} {
		cv := func(ctx context.Context, spec *Spec, x *sparse.CSR, y []float64) (*CVResult, error) {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			set := &CVSettings{Path: PathSettings{Count: 6, Ratio: 0.1}, Folds: 3, Metric: metricOf(ByLoss)}
			if spec.Comm.Rank() == 2 {
				spoil(set, cancel)
			}
			return CV(ctx, spec, x, y, set)
		}
		results, errs := onRanks(t, 3, &Spec{}, x, y, cv)
		for r, err := range errs {
			if results[r] != nil || err == nil || r == 2 && !strings.Contains(err.Error(), want) {
				t.Errorf("want %q, rank %d: %v, %v", want, r, results[r], err)
			}
		}
	}
}

// sameCV checks that two results are equal, except for Assignment, which has only the rows of one rank.
func sameCV(t *testing.T, name string, want, got *CVResult) {
	t.Helper()
	a, b := *want, *got
	a.Assignment, b.Assignment = nil, nil
	if diff := cmp.Diff(a, b, cmpopts.IgnoreUnexported(Step{}, StepColumn{}), cmpopts.EquateNaNs()); diff != "" {
		t.Errorf("%s: %s", name, diff)
	}
}

// compareCV checks that two cross-validations choose the same lambdas, and that their means agree within the
// given tolerance.
func compareCV(t *testing.T, name string, got, want *CVResult, tolerance float64) {
	t.Helper()
	if got.Best != want.Best || got.OneSE != want.OneSE || len(got.Measures) != len(want.Measures) {
		t.Errorf("%s: best %d, 1se %d, %d measures; want %d, %d, %d",
			name, got.Best, got.OneSE, len(got.Measures), want.Best, want.OneSE, len(want.Measures))
	}
	for measure, curve := range want.Measures {
		for k, v := range curve.Mean {
			if !(math.Abs(got.Measures[measure].Mean[k]-v) <= tolerance*max(1, math.Abs(v))) {
				t.Errorf("%s: %s at lambda %d is %.12g, want %.12g", name, measure, k, got.Measures[measure].Mean[k], v)
			}
		}
	}
}

// TestRanksPath checks that a path on ranks has the lambdas and statuses of a path in one process, and
// objectives that agree within the gaps, even if a rank has fewer rows than features.
func TestRanksPath(t *testing.T) {
	const n = 90
	x, y := randomData(t, n, 9, 4, true)
	classLabels := mixedLabels(n, 3)
	for name, c := range map[string]struct {
		spec  *Spec
		y     []float64
		ranks int
	}{
		"plain":   {&Spec{}, y, 3},
		"few":     {&Spec{}, y, 12},
		"graph":   {&Spec{Graph: graph.Chain(9)}, y, 3},
		"net":     {&Spec{Penalty: ElasticNet{0.5}, Balanced: true}, y, 3},
		"classes": {&Spec{}, classLabels, 12},
	} {
		set := &PathSettings{Count: 6}
		want, err := fitPath(t.Context(), c.spec, x, c.y, set)
		if err != nil {
			t.Fatal(err)
		}
		fit := func(ctx context.Context, rankSpec *Spec, x *sparse.CSR, y []float64) ([]*Step, error) {
			return fitPath(ctx, rankSpec, x, y, set)
		}
		paths, errs := onRanks(t, c.ranks, c.spec, x, c.y, fit)
		for r, path := range paths {
			if errs[r] != nil || len(path) != len(want) {
				t.Fatalf("%s, rank %d: %d lambdas, %v", name, r, len(path), errs[r])
			}
			for k, s := range path {
				for class, column := range s.Columns {
					got, reference := column.Certificate, want[k].Columns[class].Certificate
					tolerance := got.Gap + reference.Gap + 1e-12*reference.Objective
					nearObjective := math.Abs(got.Objective-reference.Objective) <= tolerance
					sameValues := slices.Equal(column.Values, paths[0][k].Columns[class].Values)
					if math.Abs(s.Lambda/want[k].Lambda-1) > 1e-12 || got.Status != reference.Status ||
						!nearObjective || !sameValues {
						t.Errorf("%s, rank %d: %+v at %v, want %+v at %v",
							name, r, got, s.Lambda, reference, want[k].Lambda)
					}
				}
			}
		}
	}
}

// TestRanksMethods checks CV on ranks by methods of solver.Minimize: the results must be equal on all ranks
// and near the optimum.
func TestRanksMethods(t *testing.T) {
	const n, ranks = 240, 3
	x, y := randomData(t, n, 6, 4, true)
	classLabels := mixedLabels(n, 3)
	set := CVSettings{Path: PathSettings{Lambdas: []float64{0.05, 0.02, 0.01}}, Folds: 3}
	cv := func(ctx context.Context, spec *Spec, x *sparse.CSR, y []float64) (*CVResult, error) {
		return CV(ctx, spec, x, y, &set)
	}
	for name, c := range map[string]struct {
		spec Spec
		y    []float64
	}{
		"passes":  {Spec{Settings: solver.Settings{Passes: 60}}, y},
		"scas-k":  {Spec{Settings: solver.Settings{Method: solver.SCASK{}, Passes: 60}}, y},
		"scas-l":  {Spec{Graph: graph.Chain(6), Settings: solver.Settings{Method: solver.SCASL{}, Passes: 400}}, y},
		"own set": {Spec{Domain: ownBox{}, NoIntercept: true, Standardize: StandardizeOff}, y},
		"classes": {Spec{Settings: solver.Settings{Method: solver.SCASK{}, Passes: 60}}, classLabels},
	} {
		exactSpec := c.spec
		exactSpec.Settings, exactSpec.Domain = solver.Settings{RelTol: 1e-9}, nil
		if c.spec.Domain != nil {
			exactSpec.Domain = solver.NewBox(6, -0.5, 0.5)
		}
		want := mustCV(t, &exactSpec, x, c.y, &set)
		results, errs := onRanks(t, ranks, &c.spec, x, c.y, cv)
		for r, got := range results {
			if got == nil || errs[r] != nil && !errors.Is(errs[r], solver.ErrNotConverged) {
				t.Fatalf("%s, rank %d: %v", name, r, errs[r])
			}
			sameCV(t, fmt.Sprintf("%s, rank %d", name, r), results[0], got)
			for k, s := range got.Path {
				for class, column := range s.Columns {
					a, b := column.Certificate.Objective, want.Path[k].Columns[class].Certificate.Objective
					if math.Abs(a-b) > 1e-3*b {
						t.Errorf("%s, rank %d: objective %v at %v, want %v", name, r, a, s.Lambda, b)
					}
				}
			}
			for k, v := range got.Mean {
				if math.Abs(v-want.Mean[k]) > 1e-2*want.Mean[k] {
					t.Errorf("%s, rank %d: mean %v at lambda %d, want %v", name, r, v, k, want.Mean[k])
				}
			}
		}
	}
	spec := &Spec{NoIntercept: true, Standardize: StandardizeOff, Settings: solver.Settings{Method: solver.SCAS{}}}
	results, errs := onRanks(t, ranks, spec, x, y, cv)
	for r, err := range errs {
		if settingErr := (*solver.SettingError)(nil); results[r] != nil || !errors.As(err, &settingErr) ||
			settingErr.Field != "Method" {
			t.Errorf("rank %d: %v, %v", r, results[r], err)
		}
	}
}

// TestRanksTime checks that a time limit ends a fit or a path at the same step on all ranks.
func TestRanksTime(t *testing.T) {
	x, y := randomData(t, 60, 8, 3, true)
	classLabels := mixedLabels(60, 3)
	for _, method := range []solver.Method{nil, solver.SCASK{}} {
		for _, timeLimit := range []time.Duration{1, time.Millisecond, 10 * time.Millisecond} {
			for _, labels := range [][]float64{y, classLabels} {
				spec := &Spec{Settings: solver.Settings{Method: method, TimeLimit: timeLimit, RelTol: 1e-14}}
				fitLambdas := func(ctx context.Context, rankSpec *Spec, x *sparse.CSR, y []float64) ([]*Step, error) {
					return fitPath(ctx, rankSpec, x, y, &PathSettings{Lambdas: []float64{1e-2, 1e-3, 1e-4}})
				}
				paths, errs := onRanks(t, 3, spec, x, labels, fitLambdas)
				for r := range paths {
					if len(paths[r]) != len(paths[0]) || (errs[r] == nil) != (errs[0] == nil) {
						t.Errorf("%v, %v: %d steps, %v; rank %d: %d steps, %v",
							method, timeLimit, len(paths[0]), errs[0], r, len(paths[r]), errs[r])
					}
				}
				models, errs := onRanks(t, 3, spec, x, labels, Fit)
				for r, m := range models {
					if diff := cmp.Diff(models[0], m); diff != "" || (errs[r] == nil) != (errs[0] == nil) {
						t.Errorf("%v, %v: rank %d: %s; %v, %v", method, timeLimit, r, diff, errs[r], errs[0])
					}
				}
			}
		}
	}
	models, errs := onRanks(t, 3, &Spec{Lambda: 1e-3, Settings: solver.Settings{TimeLimit: 1}}, x, y, Fit)
	for r, m := range models {
		if m == nil || errs[r] == nil || m.Columns[0].Certificate.Status != solver.TimeDone {
			t.Errorf("rank %d: %+v, %v", r, m, errs[r])
		}
	}
}

// stateStore is a checkpoint that stores all saved states, and loads the last one.
type stateStore struct{ list [][]byte }

func (s *stateStore) Save(state []byte) error {
	s.list = append(s.list, state)
	return nil
}

func (s *stateStore) Load() ([]byte, error) {
	if len(s.list) == 0 {
		return nil, nil
	}
	return s.list[len(s.list)-1], nil
}

// resume calls the function do on ranks, and returns the result, which must be the same on all ranks. Rank 0
// has the given checkpoint, and every other rank an empty checkpoint.
func resume[M any](t *testing.T, ranks int, spec *Spec, checkpoint *stateStore, x *sparse.CSR, y []float64, do call[M]) M {
	t.Helper()
	models, errs := onRanks(t, ranks, spec, x, y,
		func(ctx context.Context, rankSpec *Spec, x *sparse.CSR, y []float64) (M, error) {
			rankSpec.Checkpoint = checkpoint
			if rankSpec.Comm.Rank() > 0 {
				rankSpec.Checkpoint = &stateStore{}
			}
			return do(ctx, rankSpec, x, y)
		})
	return equalResult(t, models, errs)
}

// TestRanksResume checks that a fit that continues from a checkpoint gives the same bits as a fit that was
// not interrupted. With another number of ranks, the fit must reach the optimum.
func TestRanksResume(t *testing.T) {
	for _, loss := range losses {
		if math.IsInf(loss.Curvature(), 1) {
			continue // Newton's method fits losses of unbounded curvature, and stores no state
		}
		x, y := randomDataFor(t, 90, 9, 4, loss)
		cases := specs(90, loss)
		cases["graph"] = &Spec{Graph: graph.Chain(9), Standardize: StandardizeOn}
		for name, spec := range cases {
			if otherLossInShort(loss, name) {
				continue
			}
			spec.Loss, spec.Lambda, spec.RelTol = loss, 0.02, 1e-9
			bestCertificate := mustFit(t, spec, x, y).Columns[0].Certificate
			store := &stateStore{}
			want := resume(t, 3, spec, store, x, y, Fit)
			if len(store.list) == 0 {
				t.Errorf("%v, %s: no checkpoint", loss, name)
			}
			for k := range store.list {
				if diff := cmp.Diff(want, resume(t, 3, spec, &stateStore{slices.Clip(store.list[:k+1])}, x, y, Fit)); diff != "" {
					t.Fatalf("%v, %s, from checkpoint %d: %s", loss, name, k, diff)
				}
				for _, ranks := range []int{1, 2} {
					c := resume(t, ranks, spec, &stateStore{slices.Clip(store.list[:k+1])}, x, y, Fit).Columns[0].Certificate
					difference := math.Abs(c.Objective - bestCertificate.Objective)
					if c.Status != solver.Converged || difference > c.Gap+bestCertificate.Gap {
						t.Errorf("%v, %s, from 3 ranks to %d: %+v, want %+v", loss, name, ranks, c, bestCertificate)
					}
				}
			}
		}
	}
}

// TestRanksResumeClasses checks that classes with a stored model are not fitted again.
func TestRanksResumeClasses(t *testing.T) {
	x, _ := randomData(t, 90, 6, 3, true)
	y := mixedLabels(90, 4)
	spec := &Spec{Lambda: 0.01, Balanced: true}
	store := &stateStore{}
	want := resume(t, 2, spec, store, x, y, Fit)
	calls := make([]int, len(store.list))
	for k := range store.list {
		countCalls := func(ctx context.Context, rankSpec *Spec, x *sparse.CSR, y []float64) (*Model, error) {
			if rankSpec.Comm.Rank() == 0 {
				rankSpec.Comm.(*dist.Goroutine).Before = func(call, _ int) error { calls[k] = call; return nil }
			}
			return Fit(ctx, rankSpec, x, y)
		}
		if diff := cmp.Diff(want, resume(t, 2, spec, &stateStore{slices.Clip(store.list[:k+1])}, x, y, countCalls)); diff != "" {
			t.Fatalf("from checkpoint %d: %s", k, diff)
		}
		model := resume(t, 1, spec, &stateStore{slices.Clip(store.list[:k+1])}, x, y, Fit)
		for class, m := range model.Columns {
			if m.Certificate.Status != solver.Converged {
				t.Errorf("class %d, from 2 ranks to one: %+v", class, m.Certificate)
			}
		}
	}
	if firstCalls, lastCalls := calls[0], calls[len(calls)-1]; !(lastCalls < firstCalls/2) {
		t.Errorf("%d messages from the first checkpoint, %d from the last", firstCalls, lastCalls)
	}
}

// TestClassesResumeOther checks that Fit does not take the models of a checkpoint of another fit.
func TestClassesResumeOther(t *testing.T) {
	x, _ := randomData(t, 90, 6, 3, true)
	y := mixedLabels(90, 3)
	store := &stateStore{}
	spec := Spec{Lambda: 0.01, Settings: solver.Settings{Checkpoint: store}}
	want := mustFit(t, &spec, x, y)
	if diff := cmp.Diff(want, mustFit(t, &spec, x, y)); diff != "" {
		t.Errorf("the same fit again: %s", diff)
	}
	otherY := slices.Clone(y)
	otherY[slices.Index(otherY, 0)] = 1
	part, err := x.SelectRows([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})
	if err != nil {
		t.Fatal(err)
	}
	lambda, loss, penalty := spec, spec, spec
	lambda.Lambda, loss.Loss, penalty.Penalty = 0.02, solver.SquaredHinge{}, ElasticNet{L1Ratio: 0.5}
	for name, c := range map[string]struct {
		spec Spec
		x    *sparse.CSR
		y    []float64
	}{
		"lambda": {lambda, x, y}, "loss": {loss, x, y}, "penalty": {penalty, x, y},
		"labels": {spec, x, otherY}, "rows": {spec, part, y[:12]},
	} {
		if m, err := Fit(t.Context(), &c.spec, c.x, c.y); m != nil || err == nil ||
			!strings.Contains(err.Error(), "Settings.Checkpoint is of a fit of other data") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestClassesResume checks that the fit of a class continues only from a state of its own. The checkpoint may
// still hold the last state of an earlier class whose fit did not converge.
func TestClassesResume(t *testing.T) {
	x, _ := randomData(t, 90, 6, 3, true)
	y := mixedLabels(90, 4)
	spec := &Spec{Lambda: 0.01}
	spec.Method, spec.RelTol, spec.Passes = solver.SCASK{}, 1e-12, 8
	want, err := Fit(t.Context(), spec, x, y)
	if !errors.Is(err, solver.ErrNotConverged) {
		t.Fatal(err)
	}
	store := &stateStore{}
	for k := 0; k == 0 || k <= len(store.list); k++ {
		resumeSpec, checkpoint := *spec, &stateStore{slices.Clip(store.list[:k])}
		resumeSpec.Checkpoint = checkpoint
		got, err := Fit(t.Context(), &resumeSpec, x, y)
		if diff := cmp.Diff(want, got); !errors.Is(err, solver.ErrNotConverged) || diff != "" {
			t.Fatalf("from checkpoint %d of %d: %v, %s", k, len(store.list), err, diff)
		}
		if k == 0 {
			store = checkpoint
		}
	}
}

// TestRanksSigns checks that ranks agree on two classes if only one of their Datasets has Signs, and that
// they return errors if the Datasets have different Classes.
func TestRanksSigns(t *testing.T) {
	x := denseMatrix(t, 4, 1, []float64{1, 2, 2, 3})
	mapped := sparse.Classes{Values: []float64{3, 7}}
	signs := []float64{-1, 1, -1, 1}
	for _, c := range []struct {
		first, second sparse.Dataset
		want          string // part of the error of a rank; "" for the labels 3 and 7
	}{
		{sparse.Dataset{Labels: signs, Signs: true, Classes: mapped}, sparse.Dataset{Labels: signs, Signs: true, Classes: mapped}, ""},
		{sparse.Dataset{Labels: []float64{3, 7, 3, 7}}, sparse.Dataset{Labels: signs, Signs: true, Classes: mapped}, ""},
		{
			sparse.Dataset{Labels: signs, Signs: true, Classes: mapped},
			sparse.Dataset{Labels: signs, Signs: true, Classes: sparse.Classes{Values: []float64{3, 8}}}, "third one",
		},
		{
			sparse.Dataset{Labels: signs, Signs: true, Classes: mapped},
			sparse.Dataset{Labels: signs, Signs: true, Classes: sparse.Classes{Values: []float64{7, 3}}}, "in this process",
		},
	} {
		datasets := []sparse.Dataset{c.first, c.second}
		models, errs := make([]*Model, 2), make([]error, 2)
		var wg sync.WaitGroup
		for r, comm := range dist.Local(2, time.Minute) {
			datasets[r].X = x
			spec := &Spec{Lambda: 0.01, Comm: comm}
			wg.Go(func() { models[r], errs[r] = FitData(t.Context(), spec, &datasets[r]) })
		}
		wg.Wait()
		if c.want != "" {
			if errs[0] == nil || errs[1] == nil || !strings.Contains(errors.Join(errs...).Error(), c.want) {
				t.Errorf("%v and %v: %v, want %q", c.first.Classes, c.second.Classes, errs, c.want)
			}
			continue
		}
		if m := equalResult(t, models, errs); !cmp.Equal(m.Classes, mapped) || m.Columns[0].Coefficients[0] <= 0 {
			t.Errorf("%v and %v: classes %v, coefficients %v",
				c.first.Classes, c.second.Classes, m.Classes, m.Columns[0].Coefficients)
		}
	}
}

// TestWrongSigns checks that a Dataset with Signs must have two classes and the labels −1 and +1.
func TestWrongSigns(t *testing.T) {
	x := denseMatrix(t, 4, 1, []float64{1, 2, 2, 3})
	d := &sparse.Dataset{X: x, Labels: []float64{1, 1, 2, 2}, Signs: true, Classes: sparse.Classes{Values: []float64{1, 2}}}
	for _, want := range []string{"the label 2; with Signs", "Signs and the Classes [1 2 3]"} {
		_, err := FitData(t.Context(), &Spec{Lambda: 0.01}, d)
		sparsetest.CheckError(t, err, want)
		d.Classes.Values = []float64{1, 2, 3}
	}
}
