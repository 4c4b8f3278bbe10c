package newton

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// TestWide holds proofs and results of working sets to those of the whole: on problems
// small enough for both, with sets that have to change, bounds are never below the
// truth and the optimum is the same.
func TestWide(t *testing.T) {
	for _, k := range kinds() {
		if k.a != "identity" && (k.weighted || k.mu == 1e-12) {
			continue // as with the identity
		}
		t.Run(fmt.Sprintf("%T/%s/mu=%g/%v/%g", k.loss, k.a, k.mu, k.weighted, k.lambda), func(t *testing.T) {
			for seed := range uint64(3) {
				f := mustNew(t, k.random(t, 60, 40, seed))
				p := *f.Problem
				p.MaxFeatures = 30
				w, err := NewWide(&p)
				if !f.rows.all && k.mu == 0 {
					if !errors.Is(err, ErrNotApplicable) {
						t.Errorf("no row of its own for some feature: error %v", err)
					}
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				checkWide(t, f, w, f.Finish(nil, &Settings{Tol: 1e-13}))
			}
		})
	}
}

func checkWide(t *testing.T, f *Finisher, w *Wide, best *Result) {
	t.Helper()
	rng := rand.New(rand.NewPCG(6, 7))
	for _, distance := range []float64{0, 1e-12, 1e-9, 1e-6, 1e-3, 1e-1, 1, 100} {
		x := make([]float64, f.p)
		for j := range x {
			if x[j] = best.X[j]; x[j] != 0 || rng.IntN(4) == 0 {
				x[j] += distance * rng.NormFloat64()
			}
		}
		want := trueExcess(f, x, best.X) - best.Gap
		for _, z := range [][]float64{nil, best.Z} {
			if got := w.Certify(x, z); !(got >= want) {
				t.Errorf("distance %g: gap %.3e proved, truth %.3e", distance, got, want)
			}
		}
	}
	support := 0
	for _, v := range best.X {
		if v != 0 {
			support++
		}
	}
	res := w.Finish(make([]float64, f.p), nil, nil, &Settings{Tol: 1e-9})
	if want := trueExcess(f, res.X, best.X) - best.Gap; res.Gap < want {
		t.Errorf("support %d: gap %.3e proved, truth %.3e", support, res.Gap, want)
	}
	if support > 20 { // the set has no room for it: any proof will do
		return
	}
	if !(res.Gap <= 1e-9) || math.Abs(res.Objective-best.Objective) > 1e-9 {
		t.Errorf("support %d: gap %.1e, objective %.15g, of the whole %.15g", support, res.Gap, res.Objective, best.Objective)
	}
	if res.Polished {
		checkStructure(t, f, res)
	}
}
