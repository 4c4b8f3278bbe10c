package paper

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/baseline"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// TestTrim checks that trim changes neither the objective that methods reach nor the optimum, and keeps a
// feature that occurs only in an edge.
func TestTrim(t *testing.T) {
	const width = 80 // columns 3, 6, ..., 45 hold the data; column 70 occurs only in an edge
	small, err := sparse.NewSynthetic(sparse.SyntheticOptions{Rows: 60, Features: 15, Noise: 2, Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	rows, _ := small.X.Dims()
	ptr, idx, val := []int64{0}, []int32(nil), []float64(nil)
	for i := range rows {
		js, vs := small.X.Row(i)
		for k, j := range js {
			idx, val = append(idx, 3*(j+1)), append(val, vs[k])
		}
		ptr = append(ptr, int64(len(idx)))
	}
	x, err := sparse.New(rows, width, ptr, idx, val)
	if err != nil {
		t.Fatal(err)
	}
	g, err := graph.FromPairs(width, [][2]int32{{3, 6}, {9, 70}})
	if err != nil {
		t.Fatal(err)
	}
	original := &solver.Problem{Data: x, Labels: small.Labels, Penalty: solver.L1{Lambda: 1e-2}, Constraint: g.FusedLasso()}
	h := &Halves{Train: original, Tune: original, Test: &solver.Problem{Data: x, Labels: small.Labels}}
	h.trim()
	if _, p := h.Train.Data.Dims(); p != 16 {
		t.Fatalf("%d features are kept; 15 have data and one has an edge", p)
	}
	for _, m := range []solver.Method{solver.SCAS{}, baseline.STOC{}, baseline.SAIU{}} {
		s := solver.Settings{Method: m, Passes: 10, Threads: 1, Eta: 0.1, Rho: 1e-2}
		a, err := solver.Minimize(t.Context(), original, &s)
		if err != nil {
			t.Fatal(err)
		}
		b, err := solver.Minimize(t.Context(), h.Train, &s)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(a.At.Objective-b.At.Objective) > 1e-12 || math.Abs(h.Test.Evaluate(b.X).Loss-a.At.Loss) > 1e-12 {
			t.Errorf("%s reaches %v instead of %v", m, b.At.Objective, a.At.Objective)
		}
	}
	var values []float64
	for _, p := range []*solver.Problem{original, h.Train} {
		o, _, err := provenOptimum(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		values = append(values, o.Objective)
	}
	if math.Abs(values[0]-values[1]) > 1e-11 {
		t.Errorf("optima %v", values)
	}
}

// TestHalve checks that the two halves together contain every sample once, that two splits have different
// halves, and that the test half has no penalty.
func TestHalve(t *testing.T) {
	_, d := tinySetup(t)
	h, err := d.Halve(t.Context(), 0, 60)
	if err != nil {
		t.Fatal(err)
	}
	secondHalves, err := d.Halve(t.Context(), 1, 60)
	if err != nil {
		t.Fatal(err)
	}
	sum := func(p *solver.Problem) (n int, total float64) {
		n, _ = p.Data.Dims()
		for i := range n {
			_, val := p.Data.Row(i)
			total += val[0]
		}
		return n, total
	}
	train, a := sum(h.Train)
	test, b := sum(h.Test)
	tune, _ := sum(h.Tune)
	if train != 120 || test != 120 || tune != 60 {
		t.Errorf("halves of %d and %d, %d for tuning", train, test, tune)
	}
	count, total := sum(&solver.Problem{Data: d.X})
	if diff := a + b - total; count != 240 || diff > 1e-9 || diff < -1e-9 {
		t.Errorf("the halves are not the whole: %g and %g of %g", a, b, total)
	}
	if _, c := sum(secondHalves.Train); c == a {
		t.Error("the second split is the first")
	}
	if h.Test.Penalty != nil || h.Test.L2 != 0 {
		t.Error("the test loss is regularised")
	}
}

// TestHalveInterrupted checks that Halve returns an error if it cannot compute the constants of its halves.
func TestHalveInterrupted(t *testing.T) {
	pr, d := tinySetup(t)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := d.Halve(ctx, 0, pr.TuneSamples); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
