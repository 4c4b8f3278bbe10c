package shards

import (
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
	c := Costs{Gradient: 1e-9, Step: 3e-9, Product: 1e-10, Bytes: 1e9, Latency: 1e-5}
	j := Job{Rows: 1e9, Features: 1e7, PerRow: 100, InSet: 10, Working: 3000, Outer: 2, Newton: 10}
	one, eight, many := c.Predict(j, 1), c.Predict(j, 8), c.Predict(j, 1<<16)
	if one.Communicating != 0 || eight.Computing != one.Computing/8 || !(many.Communicating > many.Computing) || !(eight.Communicating < eight.Computing) {
		t.Errorf("%+v, %+v, %+v", one, eight, many)
	}
}
