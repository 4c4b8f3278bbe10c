package newton

import (
	"testing"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/gap"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

// exactProblem is made of whole numbers, so that it is the same on every machine:
// rows of sparse ones, or dense small integers.
func exactProblem(t *testing.T, loss term.Loss, n, p int, ones bool, a *sparse.CSR) *Problem {
	t.Helper()
	var entries []sparse.Triplet
	labels := make([]float64, n)
	next := sparsetest.Integers()
	for i := range n {
		sum := 0
		for j := range p {
			v := next(7) - 3
			if ones {
				v = max(0, v-1)
			}
			if v = min(v, 3); v == 0 {
				continue
			}
			if ones {
				v = 1
			}
			sum += v * (j%5 - 2)
			entries = append(entries, sparse.Triplet{Row: i, Col: j, Value: float64(v)})
		}
		labels[i] = 1
		if sum+next(9)-4 < 0 {
			labels[i] = -1
		}
	}
	x, err := sparse.FromTriplets(n, p, entries)
	if err != nil {
		t.Fatal(err)
	}
	return newProblem(x, labels, loss, a, 0.01, 0)
}

// fingerprint hashes the bits of a result.
func fingerprint(r *Result, b gap.Bound) uint64 {
	return sparsetest.Fingerprint(r.X, r.Z, []float64{r.Gap, r.Objective, b.Gap, b.Objective, float64(r.Iterations)})
}

// TestBits: the same bits at all levels of the kernels and for any number of threads.
// The fingerprints in the log are to be the same on every machine, too.
func TestBits(t *testing.T) {
	old := kernels.Active()
	defer kernels.Use(old)
	cases := []struct {
		loss term.Loss
		ones bool
		a    *sparse.CSR
	}{
		{term.Logistic{}, true, nil},
		{term.Logistic{}, false, graph.Chain(30).FusedLasso()},
		{term.Squared{}, false, nil},
		{term.Huber{Delta: 1}, true, graph.Chain(30).FusedLasso()},
		{term.SquaredHinge{}, false, graph.Chain(30).FusedLasso()},
	}
	for k, c := range cases {
		var want uint64
		for _, level := range kernels.Available() {
			if err := kernels.Use(level); err != nil {
				t.Fatal(err)
			}
			for _, threads := range []int{1, 3} {
				p := exactProblem(t, c.loss, 6000, 30, c.ones, c.a)
				p.Threads = threads
				f := mustNew(t, p)
				r := f.Finish(nil, &Settings{Tol: 1e-11})
				x := append([]float64(nil), r.X...)
				x[0] += 1.0 / 1024
				got := fingerprint(r, f.Certify(x, nil))
				if want == 0 {
					t.Logf("case %d: fingerprint %#x, gap %.1e", k, got, r.Gap)
					want = got
				}
				if got != want {
					t.Errorf("case %d, level %v, %d threads: %#x, want %#x", k, level, threads, got, want)
				}
			}
		}
	}
}
