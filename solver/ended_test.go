package solver_test

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
)

// TestEndedBefore checks a run whose context has ended before the run begins. It must return the objective
// at the start, and must not copy the data.
func TestEndedBefore(t *testing.T) {
	d, err := sparse.NewSynthetic(sparse.SyntheticOptions{Rows: 5000, Features: 100, NonzerosPerRow: 100, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	p := &solver.Problem{Data: d.X, Labels: d.Labels, Penalty: solver.L1{Lambda: 1e-3}}
	start := make([]float64, 100)
	start[3] = 0.5
	for _, m := range []solver.Method{nil, solver.SCASK{}, solver.SCAS{}} {
		allocated := func(ctx context.Context) (*solver.Result, int64, error) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			res, err := solver.Minimize(ctx, p, &solver.Settings{Method: m, Passes: 2, Start: solver.Iterate{X: start}})
			runtime.ReadMemStats(&after)
			return res, int64(after.TotalAlloc - before.TotalAlloc), err
		}
		res, bytes, err := allocated(ended)
		if res == nil || !errors.Is(err, context.Canceled) || res.Status != solver.Stopped || res.X[3] != 0.5 || res.At != p.Evaluate(start) {
			t.Fatalf("%v: %+v, %v", m, res, err)
		}
		if bytes > 2*d.X.NNZ() {
			t.Errorf("%v: %d bytes for %d entries", m, bytes, d.X.NNZ())
		}
		if _, bytes, _ := allocated(t.Context()); bytes < 4*d.X.NNZ() {
			t.Errorf("%v: a run takes %d bytes for %d entries: the test shows nothing", m, bytes, d.X.NNZ())
		}
	}
}
