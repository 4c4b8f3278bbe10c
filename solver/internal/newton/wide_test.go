package newton

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/scas-admm/scas/solver/internal/quad"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
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

// TestWideFree: features that no row holds at zero are in every working set, and what
// closes their equalities counts; columns of them that depend on each other leave no
// bound, and too many of them no Wide.
func TestWideFree(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	const n, p = 400, 120
	build := func(twice bool) *Problem {
		data := make([]float64, n*p)
		for i := range n {
			for j := range p {
				if v := rng.NormFloat64(); rng.IntN(5) == 0 {
					data[i*p+j] = v
				}
			}
			data[i*p+p-1], data[i*p+p-2] = 1, float64(i%7)
			if twice {
				data[i*p+p-2] = 2
			}
		}
		x, err := sparse.FromDense(n, p, data)
		if err != nil {
			t.Fatal(err)
		}
		q := &Problem{Data: x, Rows: x.Compact(nil), Labels: make([]float64, n), Loss: term.Logistic{}, A: quad.New(graph.Chain(p).FusedLasso(), p)}
		q.Limit = slices.Repeat([]float64{0.02}, 2*p-1)
		for _, row := range []int{p - 3, p - 2, 2*p - 3, 2*p - 2} { // of the last two features
			q.Limit[row] = 0
		}
		for i := range n {
			idx, val := x.Row(i)
			sum := 0.7
			for k, j := range idx {
				if j < 6 {
					sum += val[k]
				}
			}
			if q.Labels[i] = 1; sum+rng.NormFloat64() < 0 {
				q.Labels[i] = -1
			}
		}
		return q
	}
	q := build(false)
	f := mustNew(t, q)
	best := f.Finish(nil, &Settings{Tol: 1e-13})
	q.MaxFeatures = 40
	w, err := NewWide(q)
	if err != nil {
		t.Fatal(err)
	}
	checkWide(t, f, w, best)
	if best.X[p-1] == 0 || best.X[p-2] == 0 {
		t.Errorf("free coefficients %v", best.X[p-2:])
	}
	if w, err = NewWide(build(true)); err != nil {
		t.Fatal(err)
	} else if gap := w.Certify(best.X, nil); !math.IsInf(gap, 1) {
		t.Errorf("columns that depend on each other: gap %v", gap)
	}
	clear(q.Limit)
	if _, err := NewWide(q); !errors.Is(err, ErrNotApplicable) {
		t.Errorf("%d free features: %v", p, err)
	}
}
