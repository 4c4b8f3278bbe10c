package exact

import (
	"slices"
	"testing"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse/graph"
)

func TestCoupledBits(t *testing.T) {
	oldLevel := kernels.Active()
	defer func() { _ = kernels.Use(oldLevel) }()
	const n, p = 6000, 30
	for _, c := range []struct {
		loss    term.Loss
		allOnes bool
	}{{term.Logistic{}, false}, {term.Huber{Delta: 1}, true}, {term.SquaredHinge{}, false}} {
		q := integerProblem(t, c.loss, n, p, c.allOnes)
		q.A, q.Limit = linalg.New(graph.Chain(p).FusedLasso(), p), slices.Repeat([]float64{0.01}, 2*p-1)
		var want uint64
		for _, level := range kernels.Available() {
			if err := kernels.Use(level); err != nil {
				t.Fatal(err)
			}
			for _, threads := range []int{1, 3} {
				q.Threads = threads
				s := mustNew(t, q)
				r := s.Finish(nil, &Settings{Tol: 1e-11})
				x := slices.Clone(r.X)
				x[0] += 1.0 / 1024
				got := fingerprint(r.X, r.Z,
					[]float64{r.Gap, r.Objective, float64(r.Iterations), s.Certify(x, &Settings{})})
				if want == 0 {
					t.Logf("%T: fingerprint %#x, gap %.1e", c.loss, got, r.Gap)
					want = got
				}
				if got != want {
					t.Errorf("%T, level %v, %d threads: %#x, want %#x", c.loss, level, threads, got, want)
				}
			}
		}
	}
}
