package exact

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

// ridgeProblem returns a problem with ridges, without limits, and with an intercept. It has too many
// columns for a Hessian.
func ridgeProblem(t *testing.T, loss term.Loss) *Problem {
	const n, p = 150, defaultWorking + 50
	rng := rand.New(rand.NewPCG(7, 7))
	var entries []sparse.Triplet
	q := &Problem{Loss: loss, Limit: make([]float64, p), Ridge: make([]float64, p), FixedRidge: make([]float64, p), Threads: 1}
	for i := range n {
		for k := range 8 {
			entries = append(entries, sparse.Triplet{Row: i, Col: k*(p/8) + rng.IntN(p/8), Value: 0.5 + rng.Float64()})
		}
		entries = append(entries, sparse.Triplet{Row: i, Col: p - 1, Value: 1})
		q.Labels = append(q.Labels, math.Copysign(1, rng.NormFloat64()+0.5))
		q.Weights = append(q.Weights, float64(i%4))
		q.Offset = append(q.Offset, 0.3*rng.NormFloat64())
	}
	for j := range p - 1 {
		q.FixedRidge[j] = (1 + float64(j%3)) / n
	}
	q.setData(fromTriplets(t, n, p, entries))
	return q
}

// TestAscent checks that dual coordinate ascent alone reaches the optimum of Newton steps, also if the
// tolerance is 0.
func TestAscent(t *testing.T) {
	for _, loss := range losses {
		q := ridgeProblem(t, loss)
		s, newton := mustNew(t, q), mustNew(t, q)
		tol := 1e-9 * s.Scale()
		r := s.Solve(0, &Settings{Tol: tol})
		if !(r.Gap <= tol) || s.set.cols != nil {
			t.Errorf("%v: gap %.1e after %d passes, %d columns in the set", loss, r.Gap, r.Iterations, len(s.set.cols))
		}
		s = mustNew(t, q)
		if r := s.Solve(0, &Settings{}); !(r.Gap <= tol) {
			t.Errorf("%v: gap %.1e without a tolerance", loss, r.Gap)
		}
		newton.Start(make([]float64, newton.p))
		best := newton.Solve(0, &Settings{Tol: 1e-4 * tol})
		if excess := r.Objective - best.Objective; excess > tol || excess < -1e-3*tol || newton.set.cols == nil {
			t.Errorf("%v: %.1e above the optimum of Newton steps", loss, excess)
		}
	}
}

// TestAscentOverflow checks that ridges whose reciprocals overflow do not make the point NaN.
func TestAscentOverflow(t *testing.T) {
	q := ridgeProblem(t, term.SquaredHinge{})
	for j, r := range q.FixedRidge {
		q.FixedRidge[j] = 1e-309 * r
	}
	s := mustNew(t, q)
	if r := s.Solve(0, &Settings{Tol: 1e-6 * s.Scale()}); !(r.Objective <= s.Scale()) {
		t.Errorf("%+v", r)
	}
}
