package exact

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// TestWarm checks that runs from points near the optimum and far from it reach the optimum. They may take at
// most 18 iterations more than a run from 0.
func TestWarm(t *testing.T) {
	for _, a := range []string{"identity", "graph", "sparse"} {
		for _, loss := range losses {
			s := mustNew(t, pattern{loss, a, 0, 0.02}.draw(t, 60, 10, 3))
			cold := s.Finish(nil, &Settings{Tol: 1e-12})
			rng := rand.New(rand.NewPCG(1, 2))
			for _, distance := range []float64{0, 1e-6, 1e-2, 0.3, 10, 1e5} {
				x := make([]float64, s.p)
				for j := range x {
					x[j] = cold.X[j] + distance*rng.NormFloat64()
				}
				r := s.Finish(x, &Settings{Tol: 1e-12})
				if !(r.Gap <= 1e-12) || math.Abs(r.Objective-cold.Objective) > 2e-12 || r.Iterations > cold.Iterations+18 {
					t.Errorf("%s, %T, distance %g: gap %.1e, objective %+.1e, %d iterations, cold %d",
						a, loss, distance, r.Gap, r.Objective-cold.Objective, r.Iterations, cold.Iterations)
				}
			}
		}
	}
}

// TestNotWorse checks that the result is not worse than the start, even for a large tolerance, and that
// the proved gap is not below the true one.
func TestNotWorse(t *testing.T) {
	for _, k := range patterns() {
		for _, rows := range []int{40, 300} {
			s := mustNew(t, k.draw(t, rows, 8, 5))
			best := s.Finish(nil, &Settings{Tol: 1e-13}).X
			rng := rand.New(rand.NewPCG(3, 4))
			for _, distance := range []float64{0, 1e-3, 0.1} {
				x := make([]float64, s.p)
				for j := range x {
					x[j] = best[j] + distance*rng.NormFloat64()
				}
				for _, tol := range []float64{0.9, 0.3, 1e-2} {
					r := s.Finish(x, &Settings{Tol: tol * s.Scale()})
					if rise := trueExcess(s, r.X, x); rise > 1e-12*r.Objective || !(r.Gap <= tol*s.Scale()) ||
						!(r.Gap >= trueExcess(s, r.X, best)-1e-16) {
						t.Errorf("%+v, %d rows, %g away, to %g: objective %v, %.1e above that of the start, gap %v", k, rows, distance, tol, r.Objective, rise, r.Gap)
					}
				}
			}
		}
	}
}

// TestIterates checks that the gaps of Finish and Certify are at least the true excess, the objective minus
// the optimum, after few steps and at random points. A run without a tolerance must prove a gap of 1e-13. If
// lambda is small, correlations have rounding errors of about 1e-16, and the gap may be this part of lambda. At
// random points, the gap of Certify may be at most three times the true excess, up to rounding.
func TestIterates(t *testing.T) {
	for _, k := range patterns() {
		s := mustNew(t, k.draw(t, 40, 8, 7))
		best := s.Finish(nil, &Settings{})
		if !(best.Gap <= math.Max(1e-13, 1e-16/k.lambda)) || best.Iterations > 60 {
			t.Errorf("%+v: gap %.1e after %d iterations", k, best.Gap, best.Iterations)
		}
		for steps := 1; steps < 6; steps++ {
			r := s.Finish(nil, &Settings{Tol: 1e-12, MaxIterations: steps})
			trueGap := trueExcess(s, r.X, best.X)
			if b := s.Certify(r.X, &Settings{}); !(r.Gap >= trueGap-1e-16) || !(b >= trueGap-1e-16) {
				t.Errorf("%+v: after %d steps: gap %.3e of %.3e, Certify %.3e", k, steps, r.Gap, trueGap, b)
			}
		}
		rng := rand.New(rand.NewPCG(5, 5))
		for _, distance := range []float64{1e-12, 1e-9, 1e-7, 1e-5, 1e-3, 1e-1, 1, 100} {
			x := make([]float64, s.p)
			for j := range x {
				x[j] = best.X[j] + distance*rng.NormFloat64()
			}
			trueGap := trueExcess(s, x, best.X)
			if b := s.Certify(x, &Settings{}); !(b >= trueGap-1e-16*best.Objective*distance) ||
				!(b <= 3*trueGap+2e-12*s.Scale()) {
				t.Errorf("%+v: distance %g: gap %.3e proved, truth %.3e", k, distance, b, trueGap)
			}
		}
	}
}

func TestBudget(t *testing.T) {
	s := mustNew(t, pattern{term.Logistic{}, "graph", 0, 0.02}.draw(t, 60, 10, 3))
	stop := errors.New("stop")
	calls := 0
	r := s.Finish(nil, &Settings{Tol: 1e-12, Interrupt: func() error {
		calls++
		if calls > 2 {
			return stop
		}
		return nil
	}})
	if !errors.Is(r.Err, stop) || r.Iterations != 2 || math.IsNaN(r.Gap) {
		t.Errorf("error %v after %d iterations, gap %v", r.Err, r.Iterations, r.Gap)
	}
	r = s.Finish(nil, &Settings{Tol: 1e-12, MaxIterations: 3})
	if r.Iterations != 3 {
		t.Errorf("%d iterations", r.Iterations)
	}
}

// TestAfterInfinity solves a problem for lambda 0. The optimum is at infinity, so the coefficients become huge. The test
// checks that the solution for the next lambda, which is positive, is accurate nevertheless.
func TestAfterInfinity(t *testing.T) {
	const n, p = 30, 276
	for seed := range uint64(2) {
		q := (kind{loss: term.Poisson{}}).random(n, p, seed)
		rng, entries := rand.New(rand.NewPCG(seed, 9)), []sparse.Triplet(nil)
		for i := range n {
			q.Labels[i] = float64(rng.IntN(2))
			for j := range p {
				if rng.IntN(7) == 0 {
					entries = append(entries, sparse.Triplet{Row: i, Col: j, Value: rng.NormFloat64()})
				}
			}
		}
		q.setData(fromTriplets(t, n, p, entries))
		q.A, q.Limit = linalg.New(graph.Chain(p).FusedLasso(), p), slices.Repeat([]float64{0.1}, 2*p-1)
		q.Ridge, q.Set = make([]float64, p), term.Nonnegative{}.Region(p)
		s := mustNew(t, q)
		set := &Settings{Tol: 1e-6 * s.Scale()}
		s.Solve(1, set)
		s.Solve(0, set)
		far := linalg.Norm(s.x)
		if r := s.Solve(0.1, set); !(r.Gap <= set.Tol) || !(far > 1e20) {
			t.Errorf("seed %d: from a point of norm %g: gap %g after %d steps", seed, far, r.Gap, r.Iterations)
		}
	}
}
