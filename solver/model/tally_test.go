package model

import (
	"math"
	"reflect"
	"testing"

	"github.com/scas-admm/scas/solver"
)

// TestTally: a score in pieces is that of all rows.
func TestTally(t *testing.T) {
	for name, loss := range map[string]solver.Loss{"logistic": solver.Logistic{}, "squared hinge": solver.SquaredHinge{}, "squared": solver.Squared{}} {
		const n, p = 1000, 6
		x, y := random(t, n, p, 3, classifies(loss))
		m := mustFit(t, &Spec{Loss: loss, Lambda: 1e-2}, x, y)
		for j := range m.Coefficients { // so that scores tie
			m.Coefficients[j] = math.Round(m.Coefficients[j])
		}
		m.Intercept = 0
		offsets := make([]float64, n)
		for i := range offsets {
			offsets[i] = float64(i % 3)
		}
		threshold := 0.3
		set := &ScoreSettings{Offsets: offsets, Threshold: &threshold}
		want, err := m.Score(x, y, set)
		if err != nil {
			t.Fatal(err)
		}
		tally := m.NewTally(set.Threshold, [2]int{n, n})
		if _, err := tally.Metrics(); err == nil {
			t.Error("no rows have a score")
		}
		for lo := 0; lo < n; lo += 300 {
			hi := min(lo+300, n)
			rows := make([]int, hi-lo)
			for k := range rows {
				rows[k] = lo + k
			}
			part, err := x.SelectRows(rows)
			if err == nil {
				err = tally.Add(part, y[lo:hi], offsets[lo:hi])
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		got, err := tally.Metrics()
		if err != nil {
			t.Fatal(err)
		}
		near := func(what string, a, b float64) {
			if math.Abs(a-b) > 1e-12*(1+math.Abs(b)) {
				t.Errorf("%s: %s is %v, want %v", name, what, a, b)
			}
		}
		near("loss", got.Loss, want.Loss)
		if g, w := got.Classes, want.Classes; w != nil {
			if *g.AUC != *w.AUC || !reflect.DeepEqual(g.Confusion, w.Confusion) || g.F1 != w.F1 || g.Threshold != w.Threshold {
				t.Errorf("%s: %+v, want %+v; AUC %v, %v", name, g, w, *g.AUC, *w.AUC)
			}
			if w.LogLoss != nil {
				near("log loss", *g.LogLoss, *w.LogLoss)
				near("Brier score", *g.Brier, *w.Brier)
			}
			continue
		}
		near("MSE", got.Numbers.MSE, want.Numbers.MSE)
		near("MAE", got.Numbers.MAE, want.Numbers.MAE)
		near("R2", got.Numbers.R2, want.Numbers.R2)
	}
}
