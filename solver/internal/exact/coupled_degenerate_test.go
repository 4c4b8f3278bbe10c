package exact

import (
	"errors"
	"math"
	"testing"

	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// awkwardProblems returns functions that make degenerate problems, by name.
func awkwardProblems(t *testing.T) map[string]func(loss term.Loss) *Problem {
	noise := func(i, j int) float64 { return math.Sin(float64(3*i+7*j*j) + float64(i*j)/5) }
	build := func(n, p int, a *sparse.CSR, lambda float64, change func(i int, row []float64)) func(term.Loss) *Problem {
		return func(loss term.Loss) *Problem {
			rows, labels := make([][]float64, n), make([]float64, n)
			for i := range rows {
				rows[i] = make([]float64, p)
				for j := range rows[i] {
					rows[i][j] = noise(i, j)
				}
				labels[i] = math.Copysign(1, rows[i][0]+noise(i, 50))
				change(i, rows[i])
			}
			return penalisedProblem(fromRows(t, rows), labels, loss, a, lambda, 0)
		}
	}
	noChange := func(int, []float64) {}
	chain := graph.Chain(6).FusedLasso()
	return map[string]func(term.Loss) *Problem{
		"constant column":  build(30, 6, chain, 1e-3, func(_ int, row []float64) { row[2] = 4 }),
		"empty column":     build(30, 6, chain, 1e-3, func(_ int, row []float64) { row[2] = 0 }),
		"equal columns":    build(30, 6, chain, 1e-3, func(_ int, row []float64) { row[3] = row[1] }),
		"opposite columns": build(30, 6, chain, 1e-4, func(_ int, row []float64) { row[3] = -row[1] }),
		"n < p":            build(4, 6, chain, 1e-3, noChange),
		"huge columns":     build(30, 6, chain, 1e-3, func(_ int, row []float64) { row[0] *= 1e6; row[1] *= 1e-3 }),
		"huge lambda":      build(30, 6, chain, 1e3, noChange),
		"separable": build(30, 6, chain, 1e-7,
			func(i int, row []float64) { row[0] = math.Copysign(1, row[0]+noise(i, 50)) }),
		"no penalty": build(60, 3, graph.Chain(3).FusedLasso(), 0, noChange),
		"one unpenalised": func(loss term.Loss) *Problem {
			p := build(30, 6, chain, 0.01, func(_ int, row []float64) { row[5] = 1 })(loss)
			p.Limit[4], p.Limit[10] = 0, 0 // the last edge and the last feature have no penalty
			return p
		},
		"constant labels": func(loss term.Loss) *Problem {
			p := build(30, 6, chain, 1e-3, noChange)(loss)
			for i := range p.Labels {
				p.Labels[i] = 1
			}
			return p
		},
		"zero rows and repeated rows of A": func(loss term.Loss) *Problem {
			a := fromRows(t,
				[][]float64{
					{0, 0, 0, 0, 0, 0}, {1, -1, 0, 0, 0, 0}, {1, -1, 0, 0, 0, 0}, {0, 0, 1, 1, 0, 0},
					{0, 0, 0, 1, -2, 0.5}, {0, 0, 0, 0, 0, 1},
				})
			return build(30, 6, a, 0.01, noChange)(loss)
		},
		"weights zero for most": func(loss term.Loss) *Problem {
			p := build(30, 6, chain, 0.01, noChange)(loss)
			p.Weights = make([]float64, 30)
			for i := range 10 {
				p.Weights[3*i] = float64(i)
			}
			return p
		},
	}
}

func TestAwkward(t *testing.T) {
	for name, problem := range awkwardProblems(t) {
		for _, loss := range losses {
			s := mustNew(t, problem(loss))
			r := s.Finish(nil, &Settings{Tol: 1e-10})
			if !(r.Gap <= 1e-10) {
				t.Errorf("%s, %T: gap %.2e, objective %v, %d iterations", name, loss, r.Gap, r.Objective, r.Iterations)
			}
			checkStructure(t, r)
			if b := s.Certify(r.X, &Settings{Tol: 1e-10}); !(b <= 1e-8) {
				t.Errorf("%s, %T: Certify gives %.2e", name, loss, b)
			}
		}
	}
}

// TestBadPoints checks points with a NaN, an infinite or a huge entry: Certify must return a huge gap at
// such a point, and Finish must reach its tolerance from it.
func TestBadPoints(t *testing.T) {
	s := mustNew(t, pattern{term.Logistic{}, "graph", 0, 0.01}.draw(t, 20, 5, 1))
	for _, v := range []float64{math.NaN(), math.Inf(1), 1e300} {
		x := []float64{0, v, 0, 0, 0}
		if b := s.Certify(x, &Settings{Tol: 1e-10}); math.IsNaN(b) || b < 1e200 {
			t.Errorf("gap %v at %v", b, v)
		}
		if r := s.Finish(x, &Settings{Tol: 1e-10}); !(r.Gap <= 1e-10) {
			t.Errorf("gap %v from %v", r.Gap, v)
		}
	}
}

func TestNotApplicable(t *testing.T) {
	p := pattern{term.Logistic{}, "graph", 0, 0.01}.draw(t, 20, 5, 1)
	p.MaxWorking = 4
	if _, err := New(p); !errors.Is(err, ErrNotApplicable) {
		t.Errorf("error %v", err)
	}
	q := *p
	q.Loss = term.LossOf(struct{ term.OwnLoss }{term.Logistic{}}) // without a conjugate
	if _, err := newSetSolver(&q); !errors.Is(err, ErrNotApplicable) {
		t.Errorf("no conjugate: error %v", err)
	}
	p.MaxWorking, p.A = 0, linalg.New(hiddenMap{p.A.Matrix()}, 5)
	if _, err := New(p); !errors.Is(err, ErrNotApplicable) {
		t.Errorf("error %v", err)
	}
}

// hiddenMap is a Map whose type hides that it is a matrix.
type hiddenMap struct{ linalg.Map }
