package exact

import (
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/scas-admm/scas/solver/dist"
	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

// TestRankWithConstantColumn checks that two processes prove the same small gap as one process, on data with
// a special last column. Its coefficient has no penalty. The column is 1 in all rows of the first process,
// which have the label +1, and 0 in all rows of the second process. So it separates the samples of the first
// process.
func TestRankWithConstantColumn(t *testing.T) {
	const n, p = 80, 4
	rng := rand.New(rand.NewPCG(1, 1))
	values, labels := make([]float64, n*p), make([]float64, n)
	for i := range n {
		for j := range p - 1 {
			values[i*p+j] = rng.NormFloat64()
		}
		labels[i] = math.Copysign(1, values[i*p]+rng.NormFloat64())
		if i < n/2 {
			values[i*p+p-1], labels[i] = 1, 1
		}
	}
	x, err := sparse.FromDense(n, p, values)
	if err != nil {
		t.Fatal(err)
	}
	check := func(lo, hi int, team *rows.Team) {
		var chosen []int
		for i := lo; i < hi; i++ {
			chosen = append(chosen, i)
		}
		q := &Problem{
			Loss: term.Logistic{}, Labels: labels[lo:hi], Limit: []float64{1, 1, 1, 0},
			Ridge: make([]float64, p), Threads: 1, Team: team,
		}
		q.setData(must(x.SelectRows(chosen)))
		s, err := New(q)
		if err != nil {
			t.Error(err)
			return
		}
		if r := s.Solve(0.05, &Settings{Tol: 1e-6}); !(r.Gap <= 1e-6) {
			t.Errorf("rows %d to %d: gap %g after %d steps", lo, hi-1, r.Gap, r.Iterations)
		}
	}
	check(0, n, nil)
	var wait sync.WaitGroup
	for k, comm := range dist.Local(2, 0) {
		wait.Go(func() { check(k*n/2, (k+1)*n/2, rows.NewTeam(comm)) })
	}
	wait.Wait()
}
