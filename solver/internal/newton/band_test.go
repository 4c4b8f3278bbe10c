package newton

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/scas-admm/scas/solver/internal/quad"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

// TestNoBand: where X'X + A'A has a band, a ball and groups of features far apart give
// Hessians that have none.
func TestNoBand(t *testing.T) {
	const p = 24
	rng := rand.New(rand.NewPCG(5, 6))
	labels, limit := make([]float64, p), make([]float64, p)
	for j := range labels {
		labels[j], limit[j] = rng.NormFloat64(), 0.01
	}
	groups := make([][]int, 4)
	for j := range p {
		groups[j%4] = append(groups[j%4], j)
	}
	signal := sparse.Identity(p)
	for name, q := range map[string]*Problem{"ball": {Domain: term.Ball{Radius: 1}}, "groups": {Groups: groups, Limit: limit[:]}} {
		q.Data, q.Rows, q.Labels, q.Loss, q.A = signal, signal.Rows(0, p), labels, term.Squared{}, quad.New(nil, p)
		if q.Limit == nil {
			q.Limit = limit
		}
		f, err := New(q)
		if err != nil {
			t.Fatal(err)
		}
		res := f.Finish(make([]float64, p), &Settings{Tol: 1e-9})
		if f.Banded() || res.Err != nil || !(res.Gap <= 1e-9) || math.IsNaN(res.Objective) {
			t.Errorf("%s: banded %v, gap %v after %d iterations, %v", name, f.Banded(), res.Gap, res.Iterations, res.Err)
		}
	}
}
