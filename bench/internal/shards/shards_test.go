package shards

import (
	"math"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
)

// TestPerIteration holds the messages of an outer iteration against the count of the model:
// p + 1 numbers of the gradient with the loss, 2p + 1 of the mean state with its weight,
// and some more.
func TestPerIteration(t *testing.T) {
	const features = 50
	s, err := sparse.NewSynthetic(sparse.SyntheticOptions{Rows: 2000, Features: features, NonzerosPerRow: 10, Noise: 1, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	p := &solver.Problem{Data: s.X, Labels: s.Labels, Penalty: solver.L1{Lambda: 1e-3}}
	for _, shards := range []int{2, 5} {
		parts, err := Split(p, shards, Random)
		if err != nil {
			t.Fatal(err)
		}
		rows := 0
		for _, part := range parts {
			rows += len(part.Labels)
		}
		c, err := PerIteration(t.Context(), parts)
		if err != nil {
			t.Fatal(err)
		}
		if more := c.Numbers - (3*features + 2); rows != 2000 || c.Calls > 6 || more < 0 || more > 16 {
			t.Errorf("%d shards of %d rows: %+v", shards, rows, c)
		}
	}
}

// TestPredict: ranks share what is computed, and communication overtakes it at last.
func TestPredict(t *testing.T) {
	c := Costs{Setup: 1e-9, Gradient: 1e-9, Wide: 4e-9, Step: 3e-9, Product: 1e-10, Bytes: 1e9, Latency: 1e-5}
	j := Job{Rows: 1e9, Features: 1e7, PerRow: 100, InSet: 10, Working: 3000, Outer: 2, Newton: 10}
	one, eight, many := c.Predict(j, 1), c.Predict(j, 8), c.Predict(j, 1<<16)
	if one.Communicating != 0 || eight.Computing != one.Computing/8 || !(many.Communicating > many.Computing) || !(eight.Communicating < eight.Computing) {
		t.Errorf("%+v, %+v, %+v", one, eight, many)
	}
}

// TestOf: counts of a run, and of what one did beyond another, times constants.
func TestOf(t *testing.T) {
	c := Costs{Setup: 5, Gradient: 1, Step: 3, Bytes: 8, Latency: 1}
	if got, want := c.Of(Work{Nonzeros: 8, Setups: 1, Gradients: 2, Steps: 1}, 2), (Time{Computing: 40}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got, want := c.Of(Work{Messages: 3, Numbers: 12}, 4), (Time{Communicating: 3 * (2 + 16)}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	a := Ran{Passes: 9, Outer: 4, Seconds: 7, Messages: 5, Numbers: 6, Told: 2, CPU: 3}
	b := Ran{Passes: 9, Outer: 4, Seconds: 6, Messages: 5, Numbers: 6, Told: 1, CPU: 4}
	best := Ran{Passes: 9, Outer: 4, Seconds: 6, Messages: 5, Numbers: 6, Told: 1, CPU: 3}
	if a.Fastest(b) != best || b.Fastest(a) != best || best.Less(best) != (Ran{}) {
		t.Errorf("%+v, %+v", a.Fastest(b), b.Fastest(a))
	}
}

// TestFitSums: the constants make the model give back what was measured.
func TestFitSums(t *testing.T) {
	printed := "x: 4 ranks: the sum of 1 numbers takes 0.02 ms\nx: the sum of 1000 numbers takes 0.1 ms\nx: the sum of 1000000 numbers takes 6.06 ms\nPASS\n"
	var c Costs
	if !c.fit([]byte(printed), 4) {
		t.Fatal("not fitted")
	}
	if one, long := c.AllReduce(1, 4), c.AllReduce(1e6, 4); math.Abs(one-2e-5) > 1e-7 || math.Abs(long-6.06e-3) > 1e-9 {
		t.Errorf("%+v: %g and %g seconds", c, one, long)
	}
	for _, bad := range []string{"", "the sum of 1 numbers takes 0.02 ms", "the sum of 2 numbers takes 1 ms the sum of 3 numbers takes 2 ms", "the sum of 1 numbers takes 3 ms the sum of 9 numbers takes 2 ms"} {
		if c.fit([]byte(bad), 4) {
			t.Errorf("fitted to %q", bad)
		}
	}
}
