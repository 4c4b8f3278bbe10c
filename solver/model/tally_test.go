package model

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
)

// TestTally checks that a Tally has the metrics of all rows if several processes add the rows in several
// calls.
func TestTally(t *testing.T) {
	const n = 1000
	offsets, weights := make([]float64, n), make([]float64, n)
	for i := range offsets {
		offsets[i], weights[i] = float64(i%3), float64(i%7)/3
	}
	for _, c := range []struct {
		loss        solver.Loss
		manyClasses bool // more than two classes
	}{
		{solver.Logistic{}, false}, {solver.SquaredHinge{}, false}, {solver.Squared{}, false}, {solver.Poisson{}, false},
		{solver.Logistic{}, true}, {solver.SquaredHinge{}, true},
	} {
		x, y := randomDataFor(t, n, 6, 3, c.loss)
		if c.manyClasses {
			for i := range y {
				y[i] = math.Mod(y[i]+float64(i%2), 9) // the labels become 3, 4, 7 and 8
			}
		}
		m := mustFit(t, &Spec{Loss: c.loss, Lambda: 1e-2}, x, y)
		for k := range m.Columns {
			m.Columns[k].Intercept = 0
			for j, v := range m.Columns[k].Coefficients {
				m.Columns[k].Coefficients[j] = math.Round(8*v) / 8
			}
		}
		for _, weights := range [][]float64{nil, weights} {
			set := ScoreSettings{Weights: weights, Offsets: offsets}
			if threshold := 0.3; m.hasPositive() {
				set.Threshold = &threshold
			}
			want, err := m.Score(x, y, &set)
			if err != nil {
				t.Fatal(err)
			}
			for _, brief := range []bool{false, true} {
				for _, ranks := range []int{1, 3} {
					spec := &Spec{SampleWeights: weights, Offsets: offsets}
					score := func(_ context.Context, rankSpec *Spec, x *sparse.CSR, y []float64) (*Metrics, error) {
						set := ScoreSettings{Weights: rankSpec.SampleWeights, Offsets: rankSpec.Offsets, Threshold: set.Threshold}
						tally := m.NewTally(make([]int, len(m.Classes.Values)))
						if brief {
							tally = m.NewBriefTally()
						}
						if _, err := tally.Metrics(); err == nil {
							t.Error("no rows have a score")
						}
						if err := addInParts(x, y, &set, tally.Add); err != nil {
							return nil, err
						}
						if err := tally.Join(rankSpec.Comm); err != nil {
							return nil, err
						}
						return tally.Metrics()
					}
					results, errs := onRanks(t, ranks, spec, x, y, score)
					for r, got := range results {
						name := fmt.Sprintf("%v, several classes %v, weights %v, brief %v, rank %d of %d",
							c.loss, c.manyClasses, weights != nil, brief, r, ranks)
						if errs[r] != nil {
							t.Fatalf("%s: %v", name, errs[r])
						}
						sameMetrics(t, name, got, want, brief, weights == nil)
					}
				}
			}
		}
	}
}

// TestTallyThreshold checks that a process without rows has the threshold of the other processes.
func TestTallyThreshold(t *testing.T) {
	x, y := randomData(t, 20, 3, 1, true)
	m, threshold := mustFit(t, &Spec{Lambda: 1e-2}, x, y), 0.3
	score := func(_ context.Context, spec *Spec, x *sparse.CSR, y []float64) (*Metrics, error) {
		tally := m.NewTally(nil)
		if spec.Comm.Rank() > 0 {
			if err := tally.Add(x, y, &ScoreSettings{Threshold: &threshold}); err != nil {
				return nil, err
			}
		}
		if err := tally.Join(spec.Comm); err != nil {
			return nil, err
		}
		return tally.Metrics()
	}
	results, errs := onRanks(t, 2, &Spec{}, x, y, score)
	for r, got := range results {
		if errs[r] != nil || *got.Classes.Threshold != threshold {
			t.Errorf("rank %d: %+v, %v", r, got, errs[r])
		}
	}
}

// addInParts calls the function add for 150 rows of x at a time, with their labels and settings.
func addInParts(
	x *sparse.CSR, y []float64, set *ScoreSettings,
	add func(x *sparse.CSR, y []float64, set *ScoreSettings) error,
) error {
	for lo := 0; lo < len(y); lo += 150 {
		rows := make([]int, min(150, len(y)-lo))
		for k := range rows {
			rows[k] = lo + k
		}
		rowsX, err := x.SelectRows(rows)
		if err == nil {
			err = add(rowsX, pick(y, rows),
				&ScoreSettings{Weights: pick(set.Weights, rows), Offsets: pick(set.Offsets, rows), Threshold: set.Threshold})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// sameMetrics compares metrics up to rounding. exact is true if the AUC and the confusion table must be equal
// without rounding. brief is true if got comes from a brief tally.
func sameMetrics(t *testing.T, name string, got, want *Metrics, brief, exact bool) {
	t.Helper()
	if brief && want.Classes != nil {
		classes := *want.Classes
		classes.AUC, classes.Confusion = nil, nil
		want = &Metrics{Rows: want.Rows, Loss: want.Loss, Classes: &classes}
	}
	nearlyEqual := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= 1e-12*(1+math.Abs(b)) })
	if diff := cmp.Diff(want, got, nearlyEqual); diff != "" {
		t.Errorf("%s: %s", name, diff)
	}
	if g, w := got.Classes, want.Classes; exact && w != nil &&
		(!cmp.Equal(g.AUC, w.AUC) || !cmp.Equal(g.Confusion, w.Confusion)) {
		t.Errorf("%s: AUC %v, want %v; %v, want %v", name, g.AUC, w.AUC, g.Confusion, w.Confusion)
	}
}
