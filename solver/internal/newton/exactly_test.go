package newton

import (
	"errors"
	"fmt"
	"testing"

	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// forTables calls f with problems of raw tables and of rescaled ones.
func forTables(t *testing.T, f func(t *testing.T, p *Problem)) {
	for _, set := range smallSets {
		raw, y := load(t, "small/"+set.name, set.p)
		for _, x := range []*sparse.CSR{raw, rescaled(t, raw)} {
			for _, loss := range []term.Loss{term.Logistic{}, term.Squared{}} {
				top := lambdaMax(t, x, y, loss)
				for _, part := range []float64{0.5, 0.1, 1e-2, 1e-3, 1e-4, 1e-5} {
					for _, a := range []*sparse.CSR{nil, graph.Chain(set.p).FusedLasso()} {
						t.Run(fmt.Sprintf("%s/%v/%T/%g/%v", set.name, x == raw, loss, part, a != nil), func(t *testing.T) {
							f(t, newProblem(x, y, loss, a, part*top, 0))
						})
					}
				}
			}
		}
	}
}

// TestExactEnd: a run that asks for a proof of 1e-6 ends with the zeros and ties of the
// solution, and what it proves is at most three times what the point is above the
// optimum, or rounding.
func TestExactEnd(t *testing.T) {
	forTables(t, func(t *testing.T, p *Problem) {
		f := mustNew(t, p)
		best := f.Finish(nil, &Settings{Tol: 1e-15})
		scale := f.lossAt(make([]float64, f.n))
		r := mustNew(t, p).Finish(nil, &Settings{Tol: 1e-6 * scale, Brief: true})
		if above := trueExcess(f, r.X, best.X); !(r.Gap <= 3*above) && !(r.Gap <= exactGap*scale) {
			t.Errorf("proved %.1e, %.1e above the optimum (%.1e), polished %v", r.Gap/scale, above/scale, best.Gap/scale, r.Polished)
		}
		if !r.Polished {
			t.Errorf("not polished after %d iterations; gap %.1e", r.Iterations, r.Gap/scale)
		}
		for j, v := range r.X {
			if (v == 0) != (best.X[j] == 0) {
				t.Errorf("x[%d] = %v, at the optimum %v", j, v, best.X[j])
			}
		}
	})
}

// TestStoppedBeyond: what stops a run that has reached its goal, and looks for zeros and
// ties, is no error.
func TestStoppedBeyond(t *testing.T) {
	stopped := 0
	forTables(t, func(t *testing.T, p *Problem) {
		f := mustNew(t, p)
		scale := f.lossAt(make([]float64, f.n))
		var gap float64
		set := &Settings{Tol: 1e-6 * scale, Brief: true}
		set.Record = func(p Progress) { gap = p.Gap }
		set.Interrupt = func() error {
			if gap > 0 && gap <= set.Tol {
				stopped++
				return errors.New("stop")
			}
			return nil
		}
		if r := f.Finish(nil, set); r.Err != nil || !(r.Gap <= set.Tol) {
			t.Errorf("gap %.1e, %v", r.Gap/scale, r.Err)
		}
	})
	if stopped == 0 {
		t.Error("no run was stopped")
	}
}

// TestFreeColumn: a column that is free, and on which those of one-hot features depend,
// costs neither iterations nor digits of the proof.
func TestFreeColumn(t *testing.T) {
	const p = 123
	x, y := load(t, "small/a1a", p)
	n, _ := x.Dims()
	var entries []sparse.Triplet
	for i := range n {
		idx, val := x.Row(i)
		for k, j := range idx {
			entries = append(entries, sparse.Triplet{Row: i, Col: int(j), Value: val[k]})
		}
		entries = append(entries, sparse.Triplet{Row: i, Col: p, Value: 1})
	}
	wide, err := sparse.FromTriplets(n, p+1, entries)
	if err != nil {
		t.Fatal(err)
	}
	for _, loss := range []term.Loss{term.Logistic{}, term.Squared{}} {
		top := lambdaMax(t, x, y, loss)
		for _, part := range []float64{0.1, 1e-2, 1e-3, 1e-4} {
			problem := newProblem(wide, y, loss, nil, part*top, 0)
			problem.Limit[p] = 0
			f := mustNew(t, problem)
			scale := f.lossAt(make([]float64, n))
			r := f.Finish(nil, &Settings{Tol: 1e-12 * scale, Brief: true})
			if !(r.Gap <= 1e-12*scale) || !r.Polished || r.Iterations > 15 {
				t.Errorf("%T, %g: gap %.1e, polished %v, %d iterations", loss, part, r.Gap/scale, r.Polished, r.Iterations)
			}
		}
	}
}
