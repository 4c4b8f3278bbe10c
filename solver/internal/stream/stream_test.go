package stream

import (
	"cmp"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/solvertest"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

func writeTemp(t *testing.T, d *sparse.Dataset) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "d.scas")
	if err := sparse.WriteFile(path, d); err != nil {
		t.Fatal(err)
	}
	return path
}

func mappedCopy(t *testing.T, d *sparse.Dataset) *sparse.Dataset {
	t.Helper()
	return mapFile(t, writeTemp(t, d))
}

func mapFile(t *testing.T, path string) *sparse.Dataset {
	t.Helper()
	dataset, err := sparse.ReadFile(path, &sparse.ReadOptions{Regression: true, Memory: 1 << 20, Beyond: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dataset.Close() })
	if !dataset.X.Mapped() {
		t.Skip("this system maps no files")
	}
	return dataset
}

func synthetic(t *testing.T, opt sparse.SyntheticOptions) *sparse.Dataset {
	t.Helper()
	d, err := sparse.NewSynthetic(opt)
	if err != nil {
		t.Fatal(err)
	}
	return d.Dataset
}

// TestDamage checks that a run on a damaged file returns an error with the path of the file.
func TestDamage(t *testing.T) {
	path := writeTemp(t, synthetic(t, sparse.SyntheticOptions{Rows: 60000, Features: 30, Noise: 1, Seed: 1}))
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	dataset := mapFile(t, path)
	p, set := &solver.Problem{Data: dataset.X, Labels: dataset.Labels, L2: 1}, &solver.Settings{Method: solver.SCASK{}}
	res, err := Minimize(t.Context(), p, set, 8<<20)
	if bad := (*sparse.ParseError)(nil); res != nil || !errors.As(err, &bad) || bad.File != path {
		t.Errorf("%v, %v", res, err)
	}
}

func TestRefuses(t *testing.T) {
	d := mappedCopy(t, synthetic(t, sparse.SyntheticOptions{Rows: 200, Features: 20, Noise: 1, Seed: 1}))
	inMemory := synthetic(t, sparse.SyntheticOptions{Rows: 200, Features: 20, Noise: 1, Seed: 1})
	for want, c := range map[string]struct {
		p      solver.Problem
		method solver.Method
	}{
		"scas convert writes": {solver.Problem{Data: inMemory.X, Labels: inMemory.Labels}, solver.SCASK{}},
		"only scas-k and":     {solver.Problem{Data: d.X, Labels: d.Labels}, solver.SCAS{}},
		"labels for 200 rows": {solver.Problem{Data: d.X, Labels: d.Labels[1:], Penalty: solver.L1{Lambda: 1}}, solver.SCASL{}},
		"Problem.SampleWeights has length 4": {
			solver.Problem{Data: d.X, Labels: d.Labels, SampleWeights: []float64{1, 1, 1, 1}}, solver.SCASK{},
		},
		"Problem.L2 = -1":                  {solver.Problem{Data: d.X, Labels: d.Labels, L2: -1}, solver.SCASK{}},
		"losses, penalties and domains of": {solver.Problem{Data: d.X, Labels: d.Labels, Penalty: ownPenalty{}}, solver.SCASK{}},
		"curvature of the poisson loss": {
			solver.Problem{Data: d.X, Labels: d.Labels, Loss: solver.Poisson{}}, solver.SCASK{},
		},
	} {
		res, err := Minimize(t.Context(), &c.p, &solver.Settings{Method: c.method}, 8<<20)
		if res != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, %v; want %q", res, err, want)
		}
	}
}

// TestZeroConstraint checks that a run with A = 0 reaches the optimum, with and without a ridge. The formula
// of the automatic rho divides by the largest eigenvalue of A'A.
func TestZeroConstraint(t *testing.T) {
	d := mappedCopy(t, synthetic(t, sparse.SyntheticOptions{Rows: 200, Features: 20, Noise: 1, Seed: 1}))
	zeroMatrix, err := sparse.FromDense(1, 20, make([]float64, 20))
	if err != nil {
		t.Fatal(err)
	}
	for _, ridge := range []float64{0, 0.1} {
		p := &solver.Problem{Data: d.X, Labels: d.Labels, Loss: solver.Squared{}, L2: ridge, Penalty: solver.L1{Lambda: 1e-3}, Constraint: zeroMatrix}
		best := solvertest.Minimize(t, p, nil).At.Objective
		res, err := Minimize(t.Context(), p, &solver.Settings{Method: solver.SCASK{}}, 8<<20)
		if err != nil || !(res.At.Objective < best+1e-4) {
			t.Errorf("ridge %v: %v, %v; the optimum is %v", ridge, res, err, best)
		}
	}
}

func TestOneRow(t *testing.T) {
	x, err := sparse.FromDense(1, 2, []float64{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	d := mappedCopy(t, &sparse.Dataset{X: x, Labels: []float64{1}})
	p := &solver.Problem{Data: d.X, Labels: d.Labels, Penalty: solver.L1{Lambda: 0.01}}
	best := solvertest.Minimize(t, p, nil).At.Objective
	res, err := Minimize(t.Context(), p, &solver.Settings{Method: solver.SCASK{}}, 8<<20)
	if err != nil || !(res.At.Objective < best+1e-4) {
		t.Errorf("%v, %v; the optimum is %v", res, err, best)
	}
}

// TestStepHalvings checks that Stats counts the halvings of the step size as a run in memory does. The run
// diverges, because the square of a label overflows.
func TestStepHalvings(t *testing.T) {
	x, err := sparse.FromDense(2, 1, []float64{1, 1})
	if err != nil {
		t.Fatal(err)
	}
	d := mappedCopy(t, &sparse.Dataset{X: x, Labels: []float64{1e200, 1}})
	p, set := &solver.Problem{Data: d.X, Labels: d.Labels, Loss: solver.Squared{}}, &solver.Settings{Method: solver.SCASK{}}
	want, _ := solver.Minimize(t.Context(), p, set)
	got, _ := Minimize(t.Context(), p, set, 8<<20)
	if want.Stats.StepHalvings == 0 || got.Stats.StepHalvings != want.Stats.StepHalvings {
		t.Errorf("%d halvings, in memory %d", got.Stats.StepHalvings, want.Stats.StepHalvings)
	}
}

type ownPenalty struct{ solver.L1 }

// TestRefusesSettings checks the errors for settings that solver.Minimize refuses too.
func TestRefusesSettings(t *testing.T) {
	d := mappedCopy(t, synthetic(t, sparse.SyntheticOptions{Rows: 200, Features: 20, Noise: 1, Seed: 1}))
	p := &solver.Problem{Data: d.X, Labels: d.Labels, Penalty: solver.L1{Lambda: 1e-3}}
	for field, set := range map[string]solver.Settings{
		"Passes": {Passes: 1}, "Eta": {Eta: -1}, "Rho": {Rho: math.NaN()}, "DualUpdates": {DualUpdates: -2}, "RecordEvery": {RecordEvery: -1},
	} {
		set.Method = solver.SCASK{}
		for name, minimize := range map[string]func() (*solver.Result, error){
			"out of core": func() (*solver.Result, error) { return Minimize(t.Context(), p, &set, 8<<20) },
			"in memory":   func() (*solver.Result, error) { return solver.Minimize(t.Context(), p, &set) },
		} {
			res, err := minimize()
			if bad, ok := errors.AsType[*solver.SettingError](err); res != nil || !ok || bad.Field != field {
				t.Errorf("%s, %s: %v, %v", field, name, res, err)
			}
		}
	}
}

// TestStops checks that a cancelled context and a time limit end a run with the result so far. Minimize must
// return an error only for the cancelled context.
func TestStops(t *testing.T) {
	d := mappedCopy(t, synthetic(t, sparse.SyntheticOptions{Rows: 60000, Features: 30, Noise: 1, Seed: 1}))
	p := &solver.Problem{Data: d.X, Labels: d.Labels, Penalty: solver.L1{Lambda: 1e-3}}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	res, err := Minimize(ctx, p, &solver.Settings{Method: solver.SCASK{}}, 8<<20)
	if !errors.Is(err, context.Canceled) || res.Status != solver.Stopped {
		t.Errorf("%v, %v", res, err)
	}
	set := &solver.Settings{Method: solver.SCASK{}, TimeLimit: 1}
	if res, err = Minimize(t.Context(), p, set, 8<<20); err != nil || res.Status != solver.TimeDone {
		t.Errorf("%v, %v", res, err)
	}
}

// TestReport checks that the numbers of passes that Report gets increase up to the number in the result, and
// that Report gets the objective of a snapshot.
func TestReport(t *testing.T) {
	d := mappedCopy(t, synthetic(t, sparse.SyntheticOptions{Rows: 60000, Features: 30, Noise: 1, Seed: 1}))
	p := &solver.Problem{Data: d.X, Labels: d.Labels, Penalty: solver.L1{Lambda: 1e-3}}
	var lastPasses, best float64
	report := func(r solver.Report) {
		if !(r.Passes > lastPasses) {
			t.Errorf("pass %v after %v", r.Passes, lastPasses)
		}
		lastPasses, best = r.Passes, r.Objective
	}
	set := &solver.Settings{Method: solver.SCASK{}, Passes: 4, Report: report}
	res, err := Minimize(t.Context(), p, set, 4<<20)
	if err != nil || lastPasses != res.Stats.Passes || !(best >= res.At.Objective && best < 1) {
		t.Errorf("%v: %v passes to the objective %v, in the result %v to %v", err, lastPasses, best, res.Stats.Passes, res.At.Objective)
	}
}

// sortedByLabel sorts the rows of d by label, and returns d.
func sortedByLabel(t *testing.T, d *sparse.Dataset) *sparse.Dataset {
	t.Helper()
	order := make([]int, len(d.Labels))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(d.Labels[i], d.Labels[j]) })
	x, err := d.X.SelectRows(order)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(d.Labels)
	d.X = x
	return d
}

// TestBatches checks that inner loops that draw from one batch at a time progress about as fast as inner
// loops that draw from all samples, even if the rows of the file are sorted by label. The certified gap must
// not be below the true gap, and without a domain not far above it. The number of threads must not change the
// bits of the result, but the seed must change them.
func TestBatches(t *testing.T) {
	for name, c := range map[string]struct {
		opt       sparse.SyntheticOptions
		method    solver.Method
		reference solver.Method
		change    func(p *solver.Problem)
	}{
		"lasso":  {sparse.SyntheticOptions{Rows: 60000, Features: 30, NonzerosPerRow: 9, Noise: 1, Seed: 1}, solver.SCASK{}, solver.SCASK{}, func(p *solver.Problem) { p.Penalty = solver.L1{Lambda: 2e-3} }},
		"sorted": {sparse.SyntheticOptions{Rows: 60000, Features: 30, NonzerosPerRow: 9, Noise: 1, Seed: 1}, solver.SCASK{}, solver.SCASK{}, func(p *solver.Problem) { p.Penalty = solver.L1{Lambda: 2e-3} }},
		"fused": {sparse.SyntheticOptions{Rows: 60000, Features: 30, NonzerosPerRow: 9, Noise: 1, Seed: 2}, solver.SCASK{}, solver.SCASL{}, func(p *solver.Problem) {
			p.Penalty, p.Constraint = solver.L1{Lambda: 2e-3}, graph.Chain(30).FusedLasso()
		}},
		"number": {sparse.SyntheticOptions{Rows: 60000, Features: 30, Noise: 1, Seed: 5, Regression: true}, solver.SCASK{}, solver.SCASK{}, func(p *solver.Problem) { p.Loss, p.Penalty = solver.Squared{}, solver.L1{Lambda: 1e-2} }},
		"weights": {sparse.SyntheticOptions{Rows: 60000, Features: 30, NonzerosPerRow: 9, Noise: 1, Seed: 8}, solver.SCASL{}, solver.SCASL{}, func(p *solver.Problem) {
			p.Penalty, p.SampleWeights = solver.L1{Lambda: 1e-3}, make([]float64, len(p.Labels))
			for i, b := range p.Labels {
				p.SampleWeights[i] = 2 + b
			}
		}},
		"groups": {sparse.SyntheticOptions{Rows: 60000, Features: 30, NonzerosPerRow: 9, Noise: 1, Seed: 10}, solver.SCASK{}, solver.SCASK{}, func(p *solver.Problem) {
			p.Penalty = solver.GroupL2{Lambda: 2e-3, Groups: [][]int{{0, 1, 2, 3}, {20, 7, 9}, {11}, {12, 13, 14, 15, 16}}}
		}},
		"box": {sparse.SyntheticOptions{Rows: 60000, Features: 30, NonzerosPerRow: 9, Noise: 1, Seed: 9}, solver.SCASK{}, solver.SCASK{}, func(p *solver.Problem) {
			p.Penalty, p.Domain = solver.L1{Lambda: 1e-3}, solver.NewBox(30, -0.2, 0.2)
		}},
		"ball": {sparse.SyntheticOptions{Rows: 60000, Features: 30, NonzerosPerRow: 9, Noise: 1, Seed: 9}, solver.SCASK{}, solver.SCASK{}, func(p *solver.Problem) {
			p.Penalty, p.Domain = solver.L1{Lambda: 1e-3}, solver.Ball{Radius: 0.5}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			if !slices.Contains([]string{"lasso", "sorted", "fused", "ball"}, name) {
				sparsetest.Long(t)
			}
			dataset := synthetic(t, c.opt)
			if name == "sorted" {
				dataset = sortedByLabel(t, dataset)
			}
			d := mappedCopy(t, dataset)
			p := &solver.Problem{Data: d.X, Labels: d.Labels}
			c.change(p)
			best, err := solver.Minimize(context.Background(), p, &solver.Settings{RelTol: 1e-9})
			if err != nil {
				t.Fatal(err)
			}
			const passes = 20
			reference, err := solver.Minimize(context.Background(), p, &solver.Settings{Method: c.reference, Passes: passes})
			if err != nil {
				t.Fatal(err)
			}
			set := &solver.Settings{Method: c.method, Passes: passes, Seed: 3}
			res, err := Minimize(context.Background(), p, set, 4<<20)
			if err != nil {
				t.Fatal(err)
			}
			objectiveAtZero, objective := p.Evaluate(make([]float64, 30)).Objective, p.Evaluate(res.X).Objective
			excess, referenceExcess := (objective-best.At.Objective)/objectiveAtZero, (reference.At.Objective-best.At.Objective)/objectiveAtZero
			t.Logf("off by %.1e, from all samples by %.1e; gap proved %.1e; %s: %s", excess, referenceExcess, res.DualityGap/objectiveAtZero, res.Stats.Plan, res.Stats.PlanReason)
			if excess > 3*referenceExcess+1e-5 || math.Abs(objective-res.At.Objective) > 1e-12*objectiveAtZero || objective-best.At.Objective > res.DualityGap {
				t.Errorf("objective %v, %v from all samples; gap %v", objective, reference.At.Objective, res.DualityGap)
			}
			if p.Domain == nil && res.DualityGap > 2*(objective-best.At.Objective)+1e-6*objectiveAtZero {
				t.Errorf("the gap is said to be %v, and is %v", res.DualityGap, objective-best.At.Objective)
			}
			set.Threads = 3
			secondRun, err := Minimize(context.Background(), p, set, 4<<20)
			if err != nil || !slices.Equal(res.X, secondRun.X) {
				t.Errorf("other bits, %v", err)
			}
			set.Seed = 4
			if secondRun, err = Minimize(context.Background(), p, set, 4<<20); err != nil || slices.Equal(res.X, secondRun.X) {
				t.Errorf("the seed has no effect, %v", err)
			}
		})
	}
}
