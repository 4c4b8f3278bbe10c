package exact

import (
	"context"
	"math"
	"testing"

	"github.com/scas-admm/scas/solver/internal/newton"
	"github.com/scas-admm/scas/solver/internal/quad"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

// sparseProblem has a few entries a row, and a column of ones, the last, if there is a
// free feature.
func sparseProblem(t *testing.T, k kind, n, p int) *newton.Problem {
	t.Helper()
	_, class := k.loss.(term.Logistic)
	if _, hinge := k.loss.(term.SquaredHinge); hinge {
		class = true
	}
	syn, err := sparse.NewSynthetic(sparse.SyntheticOptions{Rows: n, Features: p, NonzerosPerRow: 8, Noise: 1, Regression: !class, Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	q := &newton.Problem{Data: syn.X, Labels: syn.Labels, Loss: k.loss, Ridge: 1e-3 * k.ridge, A: quad.New(nil, p), Limit: make([]float64, p), Threads: 1, MaxFeatures: p}
	for j := range p {
		q.Limit[j] = 1e-3 * (1 + float64(j%3)/2)
	}
	if k.free > 0 {
		var entries []sparse.Triplet
		for i := range n {
			idx, val := q.Data.Row(i)
			for m, j := range idx {
				if int(j) < p-1 {
					entries = append(entries, sparse.Triplet{Row: i, Col: int(j), Value: val[m]})
				}
			}
			entries = append(entries, sparse.Triplet{Row: i, Col: p - 1, Value: 1})
		}
		if q.Data, err = sparse.FromTriplets(n, p, entries); err != nil {
			t.Fatal(err)
		}
		q.Limit[p-1] = 0
	}
	if k.positive {
		q.Domain = term.NewBox(p, 0, math.Inf(1))
	}
	if k.weighted {
		for i := range n {
			q.Weights = append(q.Weights, float64(1+i%3))
		}
	}
	q.Rows = q.Data.Compact(nil)
	return q
}

// TestFinisher: the answers are those of the dense interior point method, on sparse problems.
func TestFinisher(t *testing.T) {
	for i, k := range kinds() {
		if k.offset || k.free > 1 || k.weighted == (k.ridge > 0) || testing.Short() && i%2 > 0 {
			continue
		}
		q := sparseProblem(t, k, 500, 600)
		f, dense := NewFinisher(q, q.Rows, 1), mustFinisher(t, q)
		if f == nil {
			t.Fatalf("%v: no finisher", k)
		}
		f.s.set.most = 600
		tol, rounding := 1e-9*f.s.Scale(), 1e-14*f.s.Scale() // of sums in other orders
		set := &newton.Settings{Tol: tol}
		got, want := f.Finish(make([]float64, 600), set), dense.Finish(make([]float64, 600), set)
		if !(got.Gap <= tol) || !(want.Gap <= tol) || got.Objective > want.Objective+got.Gap+rounding || want.Objective > got.Objective+want.Gap+rounding {
			t.Errorf("%v: %.15g, gap %.1e; the dense method %.15g, gap %.1e", k, got.Objective, got.Gap, want.Objective, want.Gap)
		}
		// The other certificate, of this point and these multipliers.
		if other := dense.Certify(got.X, got.Z); !(other.Gap <= 1e-5*f.s.Scale()) {
			t.Errorf("%v: the dense method proves %.1e of the point", k, other.Gap)
		}
		for j, z := range got.Z {
			if math.Abs(z) > q.Limit[j] {
				t.Errorf("%v: multiplier %d is %v, its limit %v", k, j, z, q.Limit[j])
			}
		}
	}
}

func mustFinisher(t *testing.T, q *newton.Problem) *newton.Finisher {
	t.Helper()
	f, err := newton.New(q)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestFinisherStart: from another point, and from one that is no help.
func TestFinisherStart(t *testing.T) {
	q := sparseProblem(t, kind{loss: term.Logistic{}, free: 1}, 500, 600)
	tol := 1e-9 * math.Ln2
	first := NewFinisher(q, q.Rows, 1).Finish(make([]float64, 600), &newton.Settings{Tol: tol})
	for _, size := range []float64{1e-3, 1, 1e3} {
		x := make([]float64, 600)
		for j := range x {
			x[j] = size * float64(j%7-3)
		}
		f := NewFinisher(q, q.Rows, 1)
		f.s.set.most = 600
		res := f.Finish(x, &newton.Settings{Tol: tol})
		if !(res.Gap <= tol) || math.Abs(res.Objective-first.Objective) > tol {
			t.Errorf("from %g: %.15g with gap %.1e, not %.15g", size, res.Objective, res.Gap, first.Objective)
		}
	}
}

// TestFinisherInterrupt: what is reached has a bound, wherever the path was.
func TestFinisherInterrupt(t *testing.T) {
	q := sparseProblem(t, kind{loss: term.Logistic{}}, 500, 600)
	for j := range q.Limit {
		q.Limit[j] *= 0.01
	}
	best := NewFinisher(q, q.Rows, 1)
	best.s.set.most = 600
	optimum := best.Finish(make([]float64, 600), &newton.Settings{Tol: 1e-10})
	for after := range optimum.Iterations {
		asked, f := 0, NewFinisher(q, q.Rows, 1)
		f.s.set.most = 600
		res := f.Finish(make([]float64, 600), &newton.Settings{Tol: 1e-10, Interrupt: func() error {
			if asked++; asked > after {
				return context.Canceled
			}
			return nil
		}})
		if res.Err == nil || math.IsNaN(res.Gap) || res.Objective-optimum.Objective > res.Gap+1e-13 {
			t.Errorf("after %d: error %v, objective %v, gap %v, optimum %v", after, res.Err, res.Objective, res.Gap, optimum.Objective)
		}
	}
}
