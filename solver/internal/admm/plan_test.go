package admm

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

// newLoop returns the inner loop of a small random problem with A = I and the snapshot x_t = 0.
func newLoop(t *testing.T) *InnerLoop {
	t.Helper()
	s, err := sparse.NewSynthetic(sparse.SyntheticOptions{Rows: 80, Features: 15, Seed: 4})
	if err != nil {
		t.Fatal(err)
	}
	l := &InnerLoop{
		Data: s.X, Rows: s.X.Compact(false), Labels: s.Labels, Slope0: make([]float64, 80),
		Loss: term.Logistic{},
		A:    linalg.New(nil, 15), Rho: 0.3, Ridge: 0.1, Steps: 80, Round: 80,
	}
	for i, b := range s.Labels {
		l.Slope0[i] = -b / 2
	}
	return l
}

// TestRunningSum checks the sum of the iterates of M steps by the formula
//
//	w_0 + … + w_{M−1} = K⁻¹[(w_0 − w_M)/η − h − M d]
//
// where h is the sum over the steps of (φ'(aᵢ'w) − φ'(aᵢ'x_t)) aᵢ, K is 0.4 I, and d is the constant part of
// the gradient.
func TestRunningSum(t *testing.T) {
	const eta = 0.05
	l := newLoop(t)
	plan := newDense(l, "")
	rng := rand.New(rand.NewPCG(1, 2))
	w0, d := make([]float64, 15), make([]float64, 15)
	for j := range d {
		w0[j], d[j] = rng.NormFloat64(), rng.NormFloat64()
	}
	plan.Begin(w0, d, eta)
	var h [15]float64
	sum, w := make([]float64, 15), make([]float64, 15)
	for range 80 {
		i := rng.IntN(80)
		plan.End(sum, w)
		idx, val := l.Data.Row(i)
		var margin float64
		for k, j := range idx {
			margin += val[k] * w[j]
		}
		delta := -l.Labels[i]/(1+math.Exp(l.Labels[i]*margin)) - l.Slope0[i]
		for k, j := range idx {
			h[j] += delta * val[k]
		}
		plan.Advance([]int32{int32(i)})
	}
	plan.End(sum, w)
	for j := range sum {
		// sum is w_1 + … + w_M. The formula gives w_0 + … + w_{M−1}.
		want := ((w0[j]-w[j])/eta-h[j]-80*d[j])/(0.3+0.1) - w0[j] + w[j]
		if math.Abs(sum[j]-want) > 1e-11*math.Abs(want) {
			t.Errorf("coordinate %d: running sum %v, telescoped %v", j, sum[j], want)
		}
	}
}

// TestGuard checks that the dense plan runs a round if the fast plan does not fit the step size, and that the
// fast plan runs a later round whose step size it fits.
func TestGuard(t *testing.T) {
	l := newLoop(t)
	l.Ridge = 30 // for η = 0.03, 1 − η k is below minFactor
	k := slices.Repeat([]float64{30.3}, 15)
	plan, ok := guard(l, newLazy(newBase(l, k))).(*guarded)
	if !ok {
		t.Fatal("no guard")
	}
	x, sum := make([]float64, 15), make([]float64, 15)
	for _, c := range []struct {
		eta  float64
		fast bool
	}{{0.01, true}, {0.03, false}, {0.01, true}, {1e-9, false}} {
		plan.Begin(x, x, c.eta)
		if fast := plan.active == Plan(plan.partial); fast != c.fast {
			t.Errorf("eta = %v: fast plan %v, want %v", c.eta, fast, c.fast)
		}
		plan.End(sum, nil)
	}
}
