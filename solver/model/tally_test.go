package model

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
)

// pieces calls add for rows of x, 300 at a time, with their labels and settings.
func pieces(t *testing.T, x *sparse.CSR, y []float64, set *ScoreSettings, add func(x *sparse.CSR, y []float64, set *ScoreSettings) error) {
	t.Helper()
	n, _ := x.Dims()
	for lo := 0; lo < n; lo += 300 {
		rows := make([]int, min(300, n-lo))
		for k := range rows {
			rows[k] = lo + k
		}
		part, err := x.SelectRows(rows)
		if err == nil {
			err = add(part, pick(y, rows), &ScoreSettings{Weights: pick(set.Weights, rows), Offsets: pick(set.Offsets, rows), Threshold: set.Threshold})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestTally checks that a tally to which rows are added in pieces has the metrics of all rows, without
// weights and with weights of which some are 0.
func TestTally(t *testing.T) {
	for name, loss := range map[string]solver.Loss{"logistic": solver.Logistic{}, "squared hinge": solver.SquaredHinge{}, "squared": solver.Squared{}, "poisson": solver.Poisson{}} {
		const n, p = 1000, 6
		x, y := randomFor(t, n, p, 3, loss)
		m := mustFit(t, &Spec{Loss: loss, Lambda: 1e-2}, x, y)
		for j := range m.Columns[0].Coefficients { // so that scores tie
			m.Columns[0].Coefficients[j] = math.Round(m.Columns[0].Coefficients[j])
		}
		m.Columns[0].Intercept = 0
		offsets, weights := make([]float64, n), make([]float64, n)
		for i := range offsets {
			offsets[i], weights[i] = float64(i%3), float64(i%7)/3
		}
		threshold := 0.3
		for kind, weights := range map[string][]float64{"": nil, ", weighted": weights} {
			set := &ScoreSettings{Weights: weights, Offsets: offsets}
			if m.Classifies() {
				set.Threshold = &threshold
			}
			want, err := m.Score(x, y, set)
			if err != nil {
				t.Fatal(err)
			}
			tally := m.NewTally(map[bool][]int{true: {n, n}}[m.Classifies()])
			if _, err := tally.Metrics(); err == nil {
				t.Error("no rows have a score")
			}
			pieces(t, x, y, set, tally.Add)
			got, err := tally.Metrics()
			if err != nil {
				t.Fatal(err)
			}
			name := name + kind
			near(t, name+": loss", got.Loss, want.Loss)
			if g, w := got.Classes, want.Classes; w != nil {
				if weights == nil && (*g.AUC != *w.AUC || !reflect.DeepEqual(g.Confusion, w.Confusion) || g.F1 != w.F1) || *g.Threshold != *w.Threshold {
					t.Errorf("%s: %+v, want %+v; AUC %v, %v", name, g, w, *g.AUC, *w.AUC)
				}
				near(t, name+": AUC", *g.AUC, *w.AUC)
				near(t, name+": F1", g.F1, w.F1)
				near(t, name+": accuracy", g.Accuracy, w.Accuracy)
				if w.LogLoss != nil {
					near(t, name+": log loss", *g.LogLoss, *w.LogLoss)
					near(t, name+": Brier score", *g.Brier, *w.Brier)
				}
				continue
			}
			near(t, name+": MSE", got.Numbers.MSE, want.Numbers.MSE)
			near(t, name+": MAE", got.Numbers.MAE, want.Numbers.MAE)
			near(t, name+": R2", got.Numbers.R2, want.Numbers.R2)
			if w := want.Numbers; w.Deviance != nil {
				near(t, name+": deviance", *got.Numbers.Deviance, *w.Deviance)
				near(t, name+": D2", *got.Numbers.D2, *w.D2)
			}
		}
	}
}

// TestClassTally checks that a tally of several classes to which rows are added in pieces has the metrics
// of all rows.
func TestClassTally(t *testing.T) {
	const n = 1000
	for name, loss := range map[string]solver.Loss{"logistic": solver.Logistic{}, "squared hinge": solver.SquaredHinge{}} {
		rows, y, weights, offsets := make([][]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range rows {
			y[i], weights[i], offsets[i] = float64(i%3*10), float64(i%7)/3, float64(i%5)/4
			rows[i] = []float64{float64(i * i % 11), float64(i % 13), float64(i * i % 17)} // some scores are equal
		}
		m, x := byMargins(t, loss, rows)
		for _, weights := range [][]float64{nil, weights} {
			set := &ScoreSettings{Weights: weights, Offsets: offsets}
			want, err := m.Score(x, y, set)
			if err != nil {
				t.Fatal(err)
			}
			tally := m.NewTally([]int{n, n, n})
			if _, err := tally.Metrics(); err == nil {
				t.Error("no rows have a score")
			}
			pieces(t, x, y, set, tally.Add)
			got, err := tally.Metrics()
			if err != nil {
				t.Fatal(err)
			}
			near(t, name+": loss", got.Loss, want.Loss)
			near(t, name+": AUC", *got.Classes.AUC, *want.Classes.AUC)
			near(t, name+": F1", got.Classes.F1, want.Classes.F1)
			near(t, name+": accuracy", got.Classes.Accuracy, want.Classes.Accuracy)
			if got.Rows != n || len(got.Classes.Classes) != 3 || (got.Classes.LogLoss == nil) != (want.Classes.LogLoss == nil) || weights == nil && !reflect.DeepEqual(got.Classes.Confusion, want.Classes.Confusion) {
				t.Errorf("%s: %+v, want %+v", name, got, want)
			}
		}
		tally := m.NewTally([]int{n, n, n})
		if err := tally.Add(x, make([]float64, 5), nil); err == nil {
			t.Error("labels are missing")
		}
		y[3] = 7
		if err := tally.Add(x, y, nil); err == nil || !strings.Contains(err.Error(), "label 7 of row 3") {
			t.Error(err)
		}
	}
}
