package admm

import (
	"slices"
	"testing"

	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

func newLoop(t *testing.T) *InnerLoop {
	t.Helper()
	s, err := sparse.NewSynthetic(sparse.SyntheticOptions{Rows: 80, Features: 15, Seed: 4})
	if err != nil {
		t.Fatal(err)
	}
	l := &InnerLoop{
		Data: s.X, Rows: s.X.Compact(false), Labels: s.Labels, Slope0: make([]float64, 80),
		Loss: term.Logistic{},
		A:    linalg.New(nil, 15), Rho: 0.3, Ridge: 0.1, Samples: 80, RoundSamples: 80,
	}
	for i, b := range s.Labels {
		l.Slope0[i] = -b / 2
	}
	return l
}

// TestGuard checks that the dense plan runs a round if the fast plan does not fit the step size, and that the
// fast plan runs a later round whose step size it fits.
func TestGuard(t *testing.T) {
	l := newLoop(t)
	l.Ridge = 30 // for η = 0.03, 1 − η k is below minFactor
	k := slices.Repeat([]float64{30.3}, 15)
	lazy := newLazy(newDiagonalBase(l, k))
	plan := guardPlan(l, lazy, lazy.fits).(*guardedPlan)
	x, sum := make([]float64, 15), make([]float64, 15)
	for _, c := range []struct {
		eta  float64
		fast bool
	}{{0.01, true}, {0.03, false}, {0.01, true}, {1e-9, false}} {
		plan.Begin(x, x, c.eta)
		if fast := plan.Plan == plan.fast; fast != c.fast {
			t.Errorf("eta = %v: fast plan %v, want %v", c.eta, fast, c.fast)
		}
		plan.End(sum, nil)
	}
}
