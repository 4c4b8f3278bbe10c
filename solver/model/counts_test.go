package model

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

// TestExposure checks that counts with the logarithms of the exposures as offsets give the same fit
// as counts divided by the exposures, with the exposures as weights.
func TestExposure(t *testing.T) {
	x, y := randomDataFor(t, 70, 9, 3, solver.Poisson{})
	exposure, offsets, rates, totalExposure := make([]float64, 70), make([]float64, 70), make([]float64, 70), 0.0
	for i := range exposure {
		exposure[i] = float64(1 + i%7)
		offsets[i], rates[i] = math.Log(exposure[i]), y[i]/exposure[i]
		totalExposure += exposure[i]
	}
	offsetSpec := &Spec{Loss: solver.Poisson{}, Lambda: 0.05, Standardize: StandardizeOff, Offsets: offsets}
	offsetSpec.RelTol = 1e-12
	weightSpec := &Spec{
		Loss: solver.Poisson{}, Lambda: 0.05 * 70 / totalExposure, Standardize: StandardizeOff,
		SampleWeights: exposure,
	}
	weightSpec.RelTol = 1e-12
	m, weightModel := mustFit(t, offsetSpec, x, y), mustFit(t, weightSpec, x, rates)
	want := m.Columns[0].Certificate.Objective
	if got := plainObjective(offsetSpec, x, y, weightModel.Columns[0].Coefficients,
		weightModel.Columns[0].Intercept); math.Abs(got-want) > 1e-11*want {
		t.Errorf("objective %.15g, and %.15g at the fit with weights", want, got)
	}
}

// TestEqualCounts checks that solver.Minimize takes a problem whose tolerance unit is 0, with offsets of 0.
func TestEqualCounts(t *testing.T) {
	x, _ := randomData(t, 20, 3, 1, true)
	ones := slices.Repeat([]float64{1}, 20)
	spec := &Spec{Loss: solver.Poisson{}, Lambda: 0.1, Offsets: make([]float64, 20), Settings: solver.Settings{Passes: 10}}
	if m, err := Fit(t.Context(), spec, x, ones); m == nil || m.NonZeros() != 0 ||
		err != nil && !errors.Is(err, solver.ErrNotConverged) {
		t.Errorf("%+v, %v", m, err)
	}
}

// TestCountMetrics checks the metrics and predictions of a model of counts, and the errors for a rate that
// overflows.
func TestCountMetrics(t *testing.T) {
	x := denseMatrix(t, 3, 1, []float64{0, 1, 2})
	m := &Model{Loss: solver.Poisson{}, Columns: []Column{{Coefficients: []float64{0}, Intercept: math.Log(2)}}}
	got, err := m.Score(x, []float64{0, 2, 4}, nil)
	if err != nil {
		t.Fatal(err)
	}
	checkNear(t, "deviance", *got.Numbers.Deviance, 2*(2+(4*math.Log(2)-2))/3)
	checkNear(t, "mean loss", got.Loss, *got.Numbers.Deviance/2)
	checkNear(t, "MSE", got.Numbers.MSE, 8.0/3)
	if d2 := *got.Numbers.D2; math.Abs(d2) > 1e-15 {
		t.Errorf("the mean explains %v of its deviance", d2)
	}
	tally, overflow := m.NewTally(nil), (*OverflowError)(nil)
	if err := tally.Add(x, []float64{0, 2, 4}, nil); err != nil {
		t.Fatal(err)
	}
	if err := tally.Add(x, []float64{0, 2, 4}, &ScoreSettings{Offsets: []float64{0, 0, 710}}); !errors.As(err,
		&overflow) || overflow.Row != 2 {
		t.Errorf("an offset of 710: %v", err)
	}
	if metricsAfter, err := tally.Metrics(); !cmp.Equal(metricsAfter, got) {
		t.Errorf("after an Add with an error %+v, %v; want %+v", metricsAfter, err, got)
	}
	got, err = m.Score(x, []float64{0, 0, 0}, nil)
	if err != nil || *got.Numbers.D2 != 0 {
		t.Errorf("counts of 0: %+v, %v", got, err)
	}
	rates, err := m.Predictions(nil, x)
	if err != nil || math.Abs(rates[0]-2) > 1e-15 {
		t.Errorf("rates %v, %v; want 2", rates, err)
	}
	m.HasIntercept, m.Columns[0].Intercept = true, 710
	if _, err := m.Predict(nil, nil); !errors.As(err, &overflow) || overflow.Margin != 710 ||
		!strings.Contains(err.Error(), "count is beyond the largest number: it is e to the power of 710") {
		t.Errorf("a rate beyond float64: %v", err)
	}
	if rates, err := m.Predictions(nil, x); rates != nil || !errors.As(err, &overflow) {
		t.Errorf("rates beyond float64: %v, %v", rates, err)
	}
	sparsetest.CheckError(t, m.WriteLiblinear(&bytes.Buffer{}), "no model of counts")
}

// TestOverflowOfHeldOutRow checks that CV names the row of the data whose predicted count is infinite, and
// that such a row is no error if its weight is 0.
func TestOverflowOfHeldOutRow(t *testing.T) {
	x := denseMatrix(t, 8, 1, []float64{0, 1, 2, 3, 0, 5000, 2, 3})
	y, set := []float64{1, 2, 4, 8, 1, 3, 4, 8}, &CVSettings{Assignment: []int{0, 0, 0, 0, 1, 1, 1, 1}}
	set.Path.Lambdas = []float64{1e-3}
	spec := &Spec{Loss: solver.Poisson{}, Standardize: StandardizeOff}
	var overflow *OverflowError
	if _, err := CV(t.Context(), spec, x, y, set); !errors.As(err, &overflow) || overflow.Row != 5 {
		t.Errorf("a count beyond float64: %v", err)
	}
	spec.SampleWeights = []float64{1, 1, 1, 1, 1, 0, 1, 1}
	if r, err := CV(t.Context(), spec, x, y, set); err != nil || !finite(r.Mean[0]) {
		t.Errorf("a count beyond float64 in a row of weight 0: %+v, %v", r, err)
	}
}

// TestCountsUnattained checks that NoOptimum is set if all counts are 0. It must also be set if the
// counts are 0 in all rows with an entry of an unpenalised feature.
func TestCountsUnattained(t *testing.T) {
	x := denseMatrix(t, 4, 1, []float64{1, 1, 0, 0})
	for _, c := range []struct {
		y            []float64
		lambda       float64
		hasIntercept bool
		noOptimum    bool
	}{
		{[]float64{0, 0, 0, 0}, 0.1, true, true},
		{[]float64{0, 0, 1, 3}, 0, false, true},
		{[]float64{0, 0, 1, 3}, 0.1, true, false},
		{[]float64{0, 1, 0, 3}, 0, true, false},
	} {
		spec := &Spec{Loss: solver.Poisson{}, Lambda: c.lambda, NoIntercept: !c.hasIntercept}
		m, err := Fit(t.Context(), spec, x, c.y)
		if m == nil || m.Columns[0].Certificate.NoOptimum != c.noOptimum {
			t.Errorf("counts %v, lambda %v: %+v, %v", c.y, c.lambda, m, err)
		}
	}
	_, err := Fit(t.Context(), &Spec{Loss: solver.Poisson{}}, x, []float64{1, -1, 0, 0})
	sparsetest.CheckError(t, err, "Labels[1] = -1; poisson loss needs")
}

// TestCountsByOthers checks that methods and settings that need a bound on the curvature of the loss are
// errors for counts.
func TestCountsByOthers(t *testing.T) {
	x, y := randomDataFor(t, 70, 9, 3, solver.Poisson{})
	for name, set := range map[string]*solver.Settings{
		"Method": {Method: solver.SCASK{}}, "Eta": {Eta: 0.1}, "Rho": {Rho: 1}, "BatchSize": {BatchSize: 4},
		"Checkpoint": {Checkpoint: &stateStore{}},
	} {
		_, err := solver.Minimize(t.Context(), &solver.Problem{Data: x, Labels: y, Loss: solver.Poisson{}}, set)
		var bad *solver.SettingError
		if !errors.As(err, &bad) || bad.Field != name ||
			!strings.Contains(bad.Allowed, "curvature of the poisson loss has no bound") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
