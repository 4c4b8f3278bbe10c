package model

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/scas-admm/scas/solver"
)

// TestCVClassesMetrics checks CV of three classes with several metrics, and its errors.
func TestCVClassesMetrics(t *testing.T) {
	x, y := threeClassSample(t)
	pathSettings := PathSettings{Lambdas: []float64{0.1, 0.01}}
	for _, measure := range []Measure{ByError, ByAUC} {
		r := mustCV(t, &Spec{Loss: solver.SquaredHinge{}}, x, y,
			&CVSettings{Path: pathSettings, Folds: 3, Measure: measure})
		errorRates, aucs := r.Measures[ByError].Mean, r.Measures[ByAUC].Mean
		if !(errorRates[1] > 0 && errorRates[1] < 0.5 && aucs[1] > 0.5 && aucs[1] < 1) ||
			errorRates[1] > errorRates[0]+0.1 || aucs[1] < aucs[0]-0.1 ||
			cmp.Diff(r.Curve, r.Measures[measure]) != "" {
			t.Errorf("%s: %+v", measure, r)
		}
	}
	few := slices.Clone(y)
	few[0] = 30
	for want, call := range map[string]func() (*CVResult, error){
		"beside a metric of your own": func() (*CVResult, error) {
			return CV(context.Background(), nil, x, y, &CVSettings{Measure: ByAUC, Metric: metricOf(ByLoss)})
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
	// If models do not converge, CV returns a result with these models, and an error.
	r, err := CV(context.Background(), &Spec{Settings: solver.Settings{RelTol: 1e-300}}, x, y,
		&CVSettings{Path: pathSettings, Folds: 2})
	if r == nil || !errors.Is(err, solver.ErrNotConverged) || r.Path[1].Columns[0].Certificate.Status != solver.Stalled {
		t.Errorf("stalled: %+v, %v", r, err)
	}
	m, err := Fit(context.Background(), &Spec{Settings: solver.Settings{TimeLimit: time.Nanosecond, Threads: 1}}, x, y)
	if m == nil || !errors.Is(err, solver.ErrNotConverged) || m.Columns[2].Certificate.Status != solver.TimeDone {
		t.Errorf("out of time: %+v, %v", m, err)
	}
}
