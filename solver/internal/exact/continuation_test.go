package exact

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/scas-admm/scas/solver/internal/ending"
	"github.com/scas-admm/scas/solver/internal/term"
)

// TestContinuation solves a problem with more features than samples and a very small lambda. Without the method
// continuation, 500 Newton steps are not enough. The test also stops the run at several steps. Then the objective must
// belong to the point, and the gap must be valid there.
func TestContinuation(t *testing.T) {
	const n, p = 200, 800
	rng := rand.New(rand.NewPCG(1, 1))
	x, labels := make([]float64, n*p), make([]float64, n)
	for i := range labels {
		for range 20 {
			u := rng.Float64()
			x[i*p+int(u*u*u*p)] = rng.NormFloat64()
		}
		labels[i] = math.Copysign(1, rng.NormFloat64())
	}
	q := penalisedProblem(fromDense(t, n, p, x), labels, term.Huber{Delta: 1}, nil, 1e-6, 0)
	s, steps, stop := mustNew(t, q), 0, errors.New("stop")
	set := &Settings{Tol: 1e-6, Interrupt: func() error { steps++; return nil }}
	solved := s.Solve(1, set)
	if solved.Why != ending.Reached || solved.Iterations > steps {
		t.Fatalf("%v, gap %.1e, %d iterations, %d steps", solved.Why, solved.Gap, solved.Iterations, steps)
	}
	for stopStep := steps / 4; stopStep < steps; stopStep += steps / 4 {
		s, k := mustNew(t, q), 0
		r := s.Solve(1, &Settings{Tol: 1e-6, Interrupt: func() error {
			k++
			if k > stopStep {
				return stop
			}
			return nil
		}})
		if r.Err != stop || r.Why != ending.Interrupted || !(r.Objective-r.Gap <= solved.Objective) ||
			math.Abs(s.current.value-r.Objective) > 1e-12*r.Objective {
			t.Errorf("stopped at step %d: %v, %v, objective %v, gap %v, value at the point %v", stopStep, r.Err,
				r.Why, r.Objective, r.Gap, s.current.value)
		}
	}
}
