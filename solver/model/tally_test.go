package model

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
)

// pieces calls add for the rows of x, 300 at a time, with their labels and settings.
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

// TestTally checks that a tally to which rows are added in several calls has the metrics of all rows,
// without weights and with weights of which some are 0.
func TestTally(t *testing.T) {
	for name, loss := range map[string]solver.Loss{"logistic": solver.Logistic{}, "squared hinge": solver.SquaredHinge{}, "squared": solver.Squared{}, "poisson": solver.Poisson{}} {
		const n, p = 1000, 6
		x, y := randomFor(t, n, p, 3, loss)
		m := mustFit(t, &Spec{Loss: loss, Lambda: 1e-2}, x, y)
		for j := range m.Columns[0].Coefficients { // so that some scores are equal
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

// TestClassTally checks that a tally of several classes, to which rows are added in several calls, has
// the metrics of all rows.
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

// TestTallyOnRanks checks that a tally which several processes join has the metrics of all rows, in every
// process: the AUC exactly without weights. A brief tally has the same metrics without AUC and confusion
// table.
func TestTallyOnRanks(t *testing.T) {
	const n, ranks = 1000, 3
	for name, loss := range map[string]solver.Loss{
		"logistic": solver.Logistic{}, "squared": solver.Squared{}, "poisson": solver.Poisson{},
		"several classes": solver.Logistic{},
	} {
		x, y := randomFor(t, n, 6, 3, loss)
		if name == "several classes" {
			for i := range y {
				y[i] = float64(i * i % 5 % 3)
			}
		}
		m := mustFit(t, &Spec{Loss: loss, Lambda: 1e-2}, x, y)
		offsets, weights := make([]float64, n), make([]float64, n)
		for i := range offsets {
			offsets[i], weights[i] = float64(i%3), float64(i%7)/3
		}
		for kind, weights := range map[string][]float64{"": nil, ", weighted": weights} {
			want, err := m.Score(x, y, &ScoreSettings{Weights: weights, Offsets: offsets})
			if err != nil {
				t.Fatal(err)
			}
			for _, brief := range []bool{false, true} {
				spec := &Spec{SampleWeights: weights, Offsets: offsets}
				score := func(_ context.Context, own *Spec, x *sparse.CSR, y []float64) (*Metrics, error) {
					tally := m.NewTally(nil)
					if brief {
						tally = m.NewBriefTally()
					}
					half, _ := x.Dims()
					half /= 2 // two calls of Add, with pieces of different sizes
					for _, part := range [][2]int{{0, half}, {half, len(y)}} {
						of := make([]int, part[1]-part[0])
						for i := range of {
							of[i] = part[0] + i
						}
						piece, err := x.SelectRows(of)
						if err == nil {
							set := &ScoreSettings{Weights: pick(own.SampleWeights, of), Offsets: pick(own.Offsets, of)}
							err = tally.Add(piece, pick(y, of), set)
						}
						if err != nil {
							return nil, err
						}
					}
					if err := tally.Join(own.Comm); err != nil {
						return nil, err
					}
					return tally.Metrics()
				}
				found, errs := onRanks(t, ranks, spec, x, y, score)
				for r, got := range found {
					name := fmt.Sprintf("%s%s, brief %v, rank %d", name, kind, brief, r)
					if errs[r] != nil {
						t.Fatalf("%s: %v", name, errs[r])
					}
					sameMetrics(t, name, got, want, brief, weights == nil)
				}
			}
		}
	}
}

// sameMetrics compares metrics. exact says that the AUC must be the same number, brief that got is from a
// brief tally.
func sameMetrics(t *testing.T, name string, got, want *Metrics, brief, exact bool) {
	t.Helper()
	if got.Rows != want.Rows {
		t.Errorf("%s: %d rows, want %d", name, got.Rows, want.Rows)
	}
	near(t, name+": loss", got.Loss, want.Loss)
	if w, g := want.Numbers, got.Numbers; w != nil {
		near(t, name+": MSE", g.MSE, w.MSE)
		near(t, name+": MAE", g.MAE, w.MAE)
		near(t, name+": R2", g.R2, w.R2)
		if w.D2 != nil {
			near(t, name+": D2", *g.D2, *w.D2)
		}
		return
	}
	g, w := got.Classes, want.Classes
	near(t, name+": accuracy", g.Accuracy, w.Accuracy)
	near(t, name+": F1", g.F1, w.F1)
	near(t, name+": log loss", *g.LogLoss, *w.LogLoss)
	for k, of := range w.Classes {
		near(t, name+": precision", g.Classes[k].Precision, of.Precision)
		near(t, name+": recall", g.Classes[k].Recall, of.Recall)
		near(t, name+": rows", g.Classes[k].Rows, of.Rows)
	}
	if brief {
		if g.AUC != nil || g.Confusion != nil {
			t.Errorf("%s: AUC %v, table %v", name, g.AUC, g.Confusion)
		}
		return
	}
	if exact && (*g.AUC != *w.AUC || !reflect.DeepEqual(g.Confusion, w.Confusion)) {
		t.Errorf("%s: AUC %v, want %v; %v, want %v", name, *g.AUC, *w.AUC, g.Confusion, w.Confusion)
	}
	near(t, name+": AUC", *g.AUC, *w.AUC)
	for k, row := range w.Confusion {
		for j, v := range row {
			near(t, name+": confusion", g.Confusion[k][j], v)
		}
	}
}
