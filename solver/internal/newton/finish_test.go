package newton

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// TestRandom finishes small problems of every kind, and holds the optimum to that of
// the slow method and the proof to the truth.
func TestRandom(t *testing.T) {
	for _, k := range kinds() {
		name := fmt.Sprintf("%T/%s/mu=%g/%v/%g", k.loss, k.a, k.mu, k.weighted, k.lambda)
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(2) {
				f := mustNew(t, k.random(t, 40, 8, seed))
				checkFinish(t, f)
			}
		})
	}
}

func checkFinish(t *testing.T, f *Finisher) {
	t.Helper()
	const tol = 1e-12
	r := f.Finish(nil, &Settings{Tol: tol})
	_, slow := slowOptimum(f)
	if !(r.Gap <= tol) {
		t.Errorf("gap %.1e after %d iterations (%d damped)", r.Gap, r.Iterations, r.Damped)
	}
	if off := r.Objective - slow; !(math.Abs(off) < 2e-11) {
		t.Errorf("objective %.15g is %.1e off", r.Objective, off)
	}
	if r.Iterations > 40 {
		t.Errorf("%d iterations, %d of them damped", r.Iterations, r.Damped)
	}
	if !r.Polished {
		t.Logf("not polished; %d iterations", r.Iterations)
	}
	rng := rand.New(rand.NewPCG(5, 5))
	for _, distance := range []float64{0, 1e-12, 1e-9, 1e-7, 1e-5, 1e-3, 1e-1, 1, 100} {
		x := make([]float64, f.p)
		for j := range x {
			x[j] = r.X[j] + distance*rng.NormFloat64()
		}
		want := trueExcess(f, x, r.X)
		for _, z := range [][]float64{nil, r.Z} {
			b := f.Certify(x, z)
			if !(b.Gap >= want-1e-16*b.Objective*distance) || math.IsNaN(b.Gap) {
				t.Errorf("distance %g: gap %.3e proved, truth %.3e", distance, b.Gap, want)
			}
			if distance > 0 && distance <= 1e-7 && b.Gap > 3*want+1e-13*b.Objective {
				t.Logf("distance %g: gap %.3e proved, truth %.3e", distance, b.Gap, want)
			}
		}
	}
}
