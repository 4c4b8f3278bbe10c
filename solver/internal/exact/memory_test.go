package exact_test

import (
	"runtime"
	"slices"
	"testing"

	"github.com/scas-admm/scas/solver/internal/exact"
	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/solver/internal/solvertest"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

// TestMemory compares the estimate with the measured memory, for a problem whose working sets grow
// to nearly the largest number of columns for which a Hessian is formed.
func TestMemory(t *testing.T) {
	const features, lambda = 10000, 1e-4
	d, err := sparse.NewSynthetic(sparse.SyntheticOptions{Rows: 5000, Features: features, NonzerosPerRow: 400, Noise: 1, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	q := &exact.Problem{Data: d.X, Rows: d.X.Compact(nil), Labels: d.Labels, Loss: term.Logistic{}, A: linalg.New(nil, features), Ridge: make([]float64, features), Threads: 1}
	q.Limit = slices.Repeat([]float64{lambda}, features)
	before := solvertest.Heap()
	res, most := solvertest.Peak(func() *exact.Solution {
		s, err := exact.New(q)
		if err != nil {
			t.Fatal(err)
		}
		return s.Finish(make([]float64, features), &exact.Settings{Tol: 1e-7})
	})
	if !(res.Gap <= 1e-7) {
		t.Errorf("gap %g", res.Gap)
	}
	solvertest.CheckEstimate(t, q.Memory(rows.NewChunks(q.Data, 1).Count()), most-before)
	runtime.KeepAlive(q)
	runtime.KeepAlive(res)
}
