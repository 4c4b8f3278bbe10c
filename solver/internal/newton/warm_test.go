package newton

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/scas-admm/scas/solver/internal/term"
)

// TestWarm: starts near the solution, far away, and beyond use.
func TestWarm(t *testing.T) {
	for _, a := range []string{"identity", "graph", "sparse"} {
		for _, loss := range []term.Loss{term.Logistic{}, term.Squared{}, term.Huber{Delta: 0.7}, term.SquaredHinge{}} {
			f := mustNew(t, kind{loss, a, 0, false, 0.02}.random(t, 60, 10, 3))
			cold := f.Finish(nil, &Settings{Tol: 1e-12})
			rng := rand.New(rand.NewPCG(1, 2))
			for _, distance := range []float64{0, 1e-6, 1e-2, 0.3, 10, 1e5} {
				x := make([]float64, f.p)
				for j := range x {
					x[j] = cold.X[j] + distance*rng.NormFloat64()
				}
				r := f.Finish(x, &Settings{Tol: 1e-12})
				if !(r.Gap <= 1e-12) || math.Abs(r.Objective-cold.Objective) > 2e-12 || r.Iterations > cold.Iterations+12 {
					t.Errorf("%s, %T, distance %g: gap %.1e, objective %+.1e, %d iterations, cold %d", a, loss, distance, r.Gap, r.Objective-cold.Objective, r.Iterations, cold.Iterations)
				}
			}
		}
	}
}

// TestNotWorse: however much the gap allows, the result is no worse than the start, and
// what is proved of it no less than the truth.
func TestNotWorse(t *testing.T) {
	for _, k := range kinds() {
		for _, rows := range []int{40, 300} { // of the second a part is enough to start on
			f := mustNew(t, k.random(t, rows, 8, 5))
			best := f.Finish(nil, &Settings{Tol: 1e-13}).X
			zero := f.lossAt(make([]float64, f.n))
			rng := rand.New(rand.NewPCG(3, 4))
			for _, distance := range []float64{0, 1e-3, 0.1} {
				x, pt := make([]float64, f.p), f.newPoint()
				for j := range x {
					x[j] = best[j] + distance*rng.NormFloat64()
				}
				copy(pt.x, x)
				f.visit(pt)
				for _, tol := range []float64{0.9, 0.3, 1e-2} {
					for _, finish := range []func([]float64, *Settings) *Result{f.Finish, f.follow} {
						r := finish(x, &Settings{Tol: tol * zero, Brief: true})
						if r.Objective > pt.value*(1+1e-12) || !(r.Gap <= tol*zero) || !(r.Gap >= trueExcess(f, r.X, best)-1e-16) {
							t.Errorf("%+v, %d rows, %g away, to %g: objective %v after %v, gap %v", k, rows, distance, tol, r.Objective, pt.value, r.Gap)
						}
					}
				}
			}
		}
	}
}

// TestIterates: along a run, the gap proved is not below the truth, nor that of a
// certificate of the same point.
func TestIterates(t *testing.T) {
	for _, k := range kinds() {
		if k.weighted || k.mu == 1e-6 {
			continue
		}
		f, judge := mustNew(t, k.random(t, 40, 8, 7)), mustNew(t, k.random(t, 40, 8, 7))
		best := f.Finish(nil, &Settings{Tol: 1e-13}).X
		f.Finish(nil, &Settings{Tol: 1e-12, Record: func(p Progress) {
			truth := trueExcess(f, p.X, best)
			b := judge.Certify(p.X, nil)
			if !(p.Gap >= truth-1e-16) || !(b.Gap >= truth-1e-16) {
				t.Errorf("%+v: iteration %d: gap %.3e of %.3e, Certify %.3e of %.3e", k, p.Iteration, p.Gap, truth, b.Gap, truth)
			}
		}})
	}
}

// TestFloor: what cannot be reached is approached, and the gap proved is no more than
// rounding warrants.
func TestFloor(t *testing.T) {
	for _, k := range kinds() {
		f := mustNew(t, k.random(t, 40, 8, 11))
		r := f.Finish(nil, &Settings{})
		if !(r.Gap <= 1e-13) || r.Iterations > 60 {
			t.Errorf("%+v: gap %.1e after %d iterations", k, r.Gap, r.Iterations)
		}
	}
}

func TestInterrupt(t *testing.T) {
	f := mustNew(t, kind{term.Logistic{}, "graph", 0, false, 0.02}.random(t, 60, 10, 3))
	stop := errors.New("stop")
	calls := 0
	r := f.Finish(nil, &Settings{Tol: 1e-12, Interrupt: func() error {
		if calls++; calls > 2 {
			return stop
		}
		return nil
	}})
	if !errors.Is(r.Err, stop) || r.Iterations != 2 || math.IsNaN(r.Gap) {
		t.Errorf("error %v after %d iterations, gap %v", r.Err, r.Iterations, r.Gap)
	}
	if r = f.Finish(nil, &Settings{Tol: 1e-12, MaxIterations: 3}); r.Iterations != 3 {
		t.Errorf("%d iterations", r.Iterations)
	}
}
