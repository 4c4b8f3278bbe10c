package model

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/scas-admm/scas/solver"
)

// TestCVClassesByHand compares the means, standard errors and models of CV with fits of single folds,
// for several numbers of threads.
func TestCVClassesByHand(t *testing.T) {
	x, y := threeClasses(t)
	weights := make([]float64, len(y))
	for i := range weights {
		weights[i] = float64(1 + i%2)
	}
	spec := &Spec{SampleWeights: weights, ClassWeights: map[float64]float64{10: 2}, Settings: solver.Settings{RelTol: 1e-11, Seed: 5}}
	set := &CVSettings{Path: PathSettings{Count: 4, Ratio: 0.01}, Folds: 4}
	got, err := CV(context.Background(), spec, x, y, set)
	if err != nil {
		t.Fatal(err)
	}
	most := 0.0
	for _, class := range []float64{0, 10, 20} {
		v, err := LambdaMax(context.Background(), &Spec{SampleWeights: product(weights, y)}, x, against(y, class))
		if err != nil {
			t.Fatal(err)
		}
		most = math.Max(most, v)
	}
	if math.Abs(got.Lambdas[0]-most) > 1e-9*most || len(got.Lambdas) != 4 {
		t.Errorf("lambdas %v, want the first to be %v", got.Lambdas, most)
	}
	for i, lambda := range got.Lambdas {
		var sum, total float64
		values := make([]float64, 4)
		for fold := range values {
			in, out := split(got.Assignment, fold)
			part, err := x.SelectRows(out)
			if err != nil {
				t.Fatal(err)
			}
			one := *spec
			one.Lambda, one.SampleWeights = lambda, pick(weights, out)
			m, err := Fit(context.Background(), &one, part, pick(y, out))
			if err != nil {
				t.Fatal(err)
			}
			held, err := x.SelectRows(in)
			if err != nil {
				t.Fatal(err)
			}
			s, err := m.Score(held, pick(y, in), &ScoreSettings{Weights: pick(weights, in)})
			if err != nil {
				t.Fatal(err)
			}
			w := 0.0
			for _, v := range pick(weights, in) {
				w += v
			}
			sum, total = sum+w*s.Loss, total+w
			if off := math.Abs(s.Loss - got.Values[fold][i]); !(off < 1e-6) {
				t.Errorf("lambda %v, fold %d: %v, alone %v", lambda, fold, got.Values[fold][i], s.Loss)
			}
		}
		if !(math.Abs(sum/total-got.Mean[i]) < 1e-6) {
			t.Errorf("lambda %v: mean %v, want %v", lambda, got.Mean[i], sum/total)
		}
		all := *spec
		all.Lambda = lambda
		want, err := Fit(context.Background(), &all, x, y)
		if err != nil {
			t.Fatal(err)
		}
		for k, m := range got.Path[i].Model().Columns {
			if c := m.Certificate; math.Abs(c.Objective-want.Columns[k].Certificate.Objective) > c.Gap+want.Columns[k].Certificate.Gap || got.Path[i].Lambda != lambda {
				t.Errorf("lambda %v, class %v: %+v, alone %+v", lambda, k, c, want.Columns[k].Certificate)
			}
		}
	}
	if got.Mean[got.Best] != slices.Min(got.Mean) || got.OneSE > got.Best {
		t.Errorf("best %d, 1se %d of %v", got.Best, got.OneSE, got.Mean)
	}
	for k := range 4 { // check that the rows of each class are divided evenly among the folds
		in, _ := split(got.Assignment, k)
		count := map[float64]int{}
		for _, i := range in {
			count[y[i]]++
		}
		for class, n := range count {
			if n < 12 || n > 13 {
				t.Errorf("fold %d has %d rows of class %v", k, n, class)
			}
		}
	}
	spec.Threads = 1
	set.Metric = metricOf(ByLoss)
	again, err := CV(context.Background(), spec, x, y, set)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(got, again, cmpopts.IgnoreUnexported(Step{}, StepColumn{}), cmpopts.EquateNaNs()); diff != "" {
		t.Error(diff)
	}
}

// product multiplies weights by the class weights of TestCVClassesByHand.
func product(weights, y []float64) []float64 {
	w := slices.Clone(weights)
	for i, v := range y {
		if v == 10 {
			w[i] *= 2
		}
	}
	return w
}

// TestCVClassesMetrics checks CV of several classes with other metrics, and the errors for metrics that
// do not apply.
func TestCVClassesMetrics(t *testing.T) {
	x, y := threeClasses(t)
	lambdas := PathSettings{Lambdas: []float64{0.1, 0.01}}
	for _, by := range []Measure{ByError, ByAUC} {
		r, err := CV(context.Background(), &Spec{Loss: solver.SquaredHinge{}}, x, y, &CVSettings{Path: lambdas, Folds: 3, By: by})
		if err != nil {
			t.Fatal(err)
		}
		wrong, auc := r.Measures[ByError].Mean, r.Measures[ByAUC].Mean
		if !(wrong[1] > 0 && wrong[1] < 0.5 && auc[1] > 0.5 && auc[1] < 1) || wrong[1] > wrong[0]+0.1 || auc[1] < auc[0]-0.1 || cmp.Diff(r.Curve, r.Measures[by]) != "" {
			t.Errorf("%s: %+v", by, r)
		}
	}
	few := slices.Clone(y)
	few[0] = 30
	for want, call := range map[string]func() (*CVResult, error){
		"beside a metric of your own": func() (*CVResult, error) {
			return CV(context.Background(), nil, x, y, &CVSettings{By: ByAUC, Metric: metricOf(ByLoss)})
		},
		"has rows of label 30": func() (*CVResult, error) { return CV(context.Background(), nil, x, few, nil) },
		"PathSettings.Ratio": func() (*CVResult, error) {
			return CV(context.Background(), nil, x, y, &CVSettings{Path: PathSettings{Ratio: 2}})
		},
		"the time limit came before": func() (*CVResult, error) {
			return CV(context.Background(), &Spec{Settings: solver.Settings{TimeLimit: time.Nanosecond}}, x, y, nil)
		},
		"Settings.Threads = -1": func() (*CVResult, error) {
			return CV(context.Background(), &Spec{Settings: solver.Settings{Threads: -1}}, x, y, nil)
		},
	} {
		if r, err := call(); r != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, %v", want, r, err)
		}
	}
	// Models that do not converge are in the result, which comes with their error. The time limit is for
	// all classes together.
	r, err := CV(context.Background(), &Spec{Settings: solver.Settings{RelTol: 1e-300}}, x, y, &CVSettings{Path: lambdas, Folds: 2})
	if r == nil || !errors.Is(err, solver.ErrNotConverged) || r.Path[1].Columns[0].Certificate.Status != solver.Stalled {
		t.Errorf("stalled: %+v, %v", r, err)
	}
	m, err := Fit(context.Background(), &Spec{Settings: solver.Settings{TimeLimit: time.Nanosecond, Threads: 1}}, x, y)
	if m == nil || !errors.Is(err, solver.ErrNotConverged) || m.Columns[2].Certificate.Status != solver.TimeDone {
		t.Errorf("out of time: %+v, %v", m, err)
	}
}
