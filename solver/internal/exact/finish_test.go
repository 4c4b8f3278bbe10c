package exact

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// sparseProblem returns a problem with few entries in each row. If there are free features, the last
// column is all ones.
func sparseProblem(t *testing.T, k kind, n, p int) *Problem {
	t.Helper()
	syn, err := sparse.NewSynthetic(sparse.SyntheticOptions{
		Rows: n, Features: p, NonzerosPerRow: 8, Noise: 1, Regression: k.loss.Traits().Labels != term.Classes,
		Seed: 5,
	})
	if err != nil {
		t.Fatal(err)
	}
	q := &Problem{
		Data: syn.X, Labels: syn.Labels, Loss: k.loss, Ridge: slices.Repeat([]float64{1e-3 * k.ridge}, p),
		Limit: make([]float64, p), Threads: 1,
	}
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
		q.Data = fromTriplets(t, n, p, entries)
		q.Limit[p-1] = 0
	}
	if k.positive {
		q.Set = term.NewBox(p, 0, math.Inf(1))
	}
	if k.weighted {
		for i := range n {
			q.Weights = append(q.Weights, float64(1+i%3))
		}
	}
	q.Rows = q.Data.Compact(false)
	return q
}

// TestStart checks that runs from points other than 0 reach the same optimum as a run from 0.
func TestStart(t *testing.T) {
	q := sparseProblem(t, kind{loss: term.Logistic{}, free: 1}, 500, 600)
	tol := 1e-9 * math.Ln2
	want := mustNew(t, q).Finish(make([]float64, 600), &Settings{Tol: tol})
	for _, size := range []float64{1e-3, 1, 1e3} {
		x := make([]float64, 600)
		for j := range x {
			x[j] = size * float64(j%7-3)
		}
		f := mustNew(t, q)
		res := f.Finish(x, &Settings{Tol: tol})
		if !(res.Gap <= tol) || math.Abs(res.Objective-want.Objective) > tol {
			t.Errorf("from %g: %.15g with gap %.1e, not %.15g", size, res.Objective, res.Gap, want.Objective)
		}
	}
}

// TestStartAgain checks that a run that starts from a solution returns no worse point, although rounding
// errors are larger than the tolerance of the run.
func TestStartAgain(t *testing.T) {
	const p = 20
	for seed := range uint64(8) {
		q := kind{loss: term.Huber{Delta: 0.05}, free: 1, offset: true}.random(60, p, seed)
		q.A, q.Limit = linalg.New(graph.Chain(p).Incidence(), p), slices.Repeat([]float64{1e-3}, p-1)
		q.Ridge, q.Set = make([]float64, p), term.NewBox(p, 0, math.Inf(1))
		for i := range q.Offset {
			q.Offset[i] *= 30
		}
		s := mustNew(t, q)
		start := s.Finish(nil, &Settings{Tol: 1e-7 * s.Scale()})
		end := s.Finish(start.X, &Settings{Tol: 1e-16 * s.Scale()})
		if !(end.Gap <= start.Gap+1e-12*s.Scale()) {
			t.Errorf("seed %d: gap %g at the start, %g at the end, objectives %g and %g",
				seed, start.Gap, end.Gap, start.Objective, end.Objective)
		}
	}
}

// TestFinishInterrupt checks that a run that Settings.Interrupt ends returns a point with a valid bound.
func TestFinishInterrupt(t *testing.T) {
	q := sparseProblem(t, kind{loss: term.Logistic{}}, 500, 600)
	for j := range q.Limit {
		q.Limit[j] *= 0.01
	}
	solver := mustNew(t, q)
	optimum := solver.Finish(make([]float64, 600), &Settings{Tol: 1e-10})
	for steps := range optimum.Iterations {
		calls, f := 0, mustNew(t, q)
		res := f.Finish(make([]float64, 600), &Settings{Tol: 1e-10, Interrupt: func() error {
			calls++
			if calls > steps {
				return context.Canceled
			}
			return nil
		}})
		if res.Err == nil || math.IsNaN(res.Gap) || res.Objective-optimum.Objective > res.Gap+1e-13 {
			t.Errorf("after %d: error %v, objective %v, gap %v, optimum %v",
				steps, res.Err, res.Objective, res.Gap, optimum.Objective)
		}
	}
}

// TestCertifyForgets checks that the bound of Certify does not depend on earlier calls of Finish, Solve or
// Certify.
func TestCertifyForgets(t *testing.T) {
	for _, joint := range []bool{false, true} {
		p := kind{loss: term.Logistic{}, free: 1}.random(200, 12, 4)
		for j := range p.Limit {
			p.Limit[j] *= 0.01
		}
		p.joint = joint
		s := mustNew(t, p)
		x := s.Finish(nil, &Settings{Tol: 1e-12}).X
		for j := range x {
			x[j] += 1e-4 * float64(j%3-1)
		}
		want := mustNew(t, p).Certify(x, &Settings{})
		for _, lambda := range []float64{20, 10} {
			s.Solve(lambda, &Settings{Tol: 0.01 * s.Scale(), Unproved: true})
		}
		for range 2 {
			if got := s.Certify(x, &Settings{}); got != want {
				t.Errorf("coupled %v: %v, alone %v", joint, got, want)
			}
		}
	}
}

// TestFinishAgain checks that Finish does not depend on earlier calls of Certify. It also checks that
// a start far from the solution does not give a larger gap than a start at 0.
func TestFinishAgain(t *testing.T) {
	p := kind{loss: term.Huber{Delta: 0.1}, free: 1}.random(60, 12, 7)
	p.joint = true
	zero, far := make([]float64, 12), make([]float64, 12)
	for j := range far {
		far[j] = 30 * float64(j%3-1)
	}
	set := &Settings{Tol: 1e-9, MaxIterations: 3}
	want := mustNew(t, p).Finish(zero, set)
	s := mustNew(t, p)
	for _, x := range [][]float64{zero, nil} {
		s.Certify(far, set)
		if got := s.Finish(x, set); got.Objective != want.Objective || got.Gap != want.Gap {
			t.Errorf("from %v: objective %v, gap %v; of a new Solver %v, %v", x, got.Objective, got.Gap, want.Objective, want.Gap)
		}
	}
	if got := s.Finish(far, set); !(got.Gap <= want.Gap) {
		t.Errorf("from %v: gap %v, from 0 %v", far, got.Gap, want.Gap)
	}
}

// TestCertifyAgain checks that the bits of a bound do not depend on earlier calls of Certify.
func TestCertifyAgain(t *testing.T) {
	const n, p = 30, 12
	for seed := range uint64(10) {
		q := kind{loss: term.Squared{}, ridge: 1e-3}.random(n, p, seed)
		bound := func(s *Solver, size float64) float64 {
			x := make([]float64, p)
			for j := range x {
				x[j] = size * float64(j%5-2)
			}
			return s.Certify(x, &Settings{Tol: 1e-3})
		}
		s := mustNew(t, q)
		bound(s, 1)
		if again, first := bound(s, 0.1), bound(mustNew(t, q), 0.1); again != first {
			t.Errorf("seed %d: %v, but %v after another bound", seed, first, again)
		}
	}
}
