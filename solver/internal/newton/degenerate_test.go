package newton

import (
	"errors"
	"math"
	"testing"

	"github.com/scas-admm/scas/solver/internal/quad"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// fromRows builds a matrix of dense rows.
func fromRows(t *testing.T, rows [][]float64) *sparse.CSR {
	t.Helper()
	var flat []float64
	for _, r := range rows {
		flat = append(flat, r...)
	}
	m, err := sparse.FromDense(len(rows), len(rows[0]), flat)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// awkward returns data sets that break assumptions.
func awkward(t *testing.T) map[string]func(loss term.Loss) *Problem {
	noise := func(i, j int) float64 { return math.Sin(float64(3*i+7*j*j) + float64(i*j)/5) }
	table := func(n, p int, change func(i int, row []float64)) ([][]float64, []float64) {
		rows, labels := make([][]float64, n), make([]float64, n)
		for i := range rows {
			rows[i] = make([]float64, p)
			for j := range rows[i] {
				rows[i][j] = noise(i, j)
			}
			labels[i] = math.Copysign(1, rows[i][0]+noise(i, 50))
			change(i, rows[i])
		}
		return rows, labels
	}
	with := func(n, p int, a *sparse.CSR, lambda float64, change func(i int, row []float64)) func(term.Loss) *Problem {
		return func(loss term.Loss) *Problem {
			rows, labels := table(n, p, change)
			return newProblem(fromRows(t, rows), labels, loss, a, lambda, 0)
		}
	}
	same := func(int, []float64) {}
	chain := graph.Chain(6).FusedLasso()
	return map[string]func(term.Loss) *Problem{
		"constant column":   with(30, 6, nil, 1e-3, func(_ int, row []float64) { row[2] = 4 }),
		"empty column":      with(30, 6, nil, 1e-3, func(_ int, row []float64) { row[2] = 0 }),
		"empty column tied": with(30, 6, chain, 1e-3, func(_ int, row []float64) { row[2] = 0 }),
		"equal columns":     with(30, 6, nil, 1e-3, func(_ int, row []float64) { row[3] = row[1] }),
		"opposite columns":  with(30, 6, chain, 1e-4, func(_ int, row []float64) { row[3] = -row[1] }),
		"n < p":             with(4, 6, nil, 1e-3, same),
		"n < p chain":       with(4, 6, chain, 1e-3, same),
		"one sample":        with(1, 6, chain, 1e-3, same),
		"huge columns":      with(30, 6, chain, 1e-3, func(_ int, row []float64) { row[0] *= 1e6; row[1] *= 1e-3 }),
		"huge lambda":       with(30, 6, chain, 1e3, same),
		"separable":         with(30, 6, nil, 1e-7, func(i int, row []float64) { row[0] = math.Copysign(1, row[0]+noise(i, 50)) }),
		"no penalty": func(loss term.Loss) *Problem {
			return with(60, 3, nil, 0, same)(loss)
		},
		"one unpenalised": func(loss term.Loss) *Problem {
			p := with(30, 6, nil, 0.01, func(_ int, row []float64) { row[5] = 1 })(loss)
			p.Limit[5] = 0
			return p
		},
		"constant labels": func(loss term.Loss) *Problem {
			p := with(30, 6, nil, 1e-3, same)(loss)
			for i := range p.Labels {
				p.Labels[i] = 1
			}
			return p
		},
		"zero rows and repeated rows of A": func(loss term.Loss) *Problem {
			a := fromRows(t, [][]float64{{0, 0, 0, 0, 0, 0}, {1, -1, 0, 0, 0, 0}, {1, -1, 0, 0, 0, 0}, {0, 0, 1, 1, 0, 0}, {0, 0, 0, 1, -2, 0.5}, {0, 0, 0, 0, 0, 1}})
			return with(30, 6, a, 0.01, same)(loss)
		},
		"weights zero for most": func(loss term.Loss) *Problem {
			p := with(30, 6, nil, 0.01, same)(loss)
			p.Weights = make([]float64, 30)
			for i := range 10 {
				p.Weights[3*i] = float64(i)
			}
			return p
		},
	}
}

// TestAwkward: a proof to 1e-10, whatever the data.
func TestAwkward(t *testing.T) {
	for name, make := range awkward(t) {
		for _, loss := range []term.Loss{term.Logistic{}, term.Squared{}, term.Huber{Delta: 0.7}, term.SquaredHinge{}} {
			p := make(loss)
			f := mustNew(t, p)
			r := f.Finish(nil, &Settings{Tol: 1e-10})
			if !(r.Gap <= 1e-10) {
				t.Errorf("%s, %T: gap %.2e, objective %v, %d iterations, %d damped", name, loss, r.Gap, r.Objective, r.Iterations, r.Damped)
			}
			checkStructure(t, f, r)
			if b := f.Certify(r.X, r.Z); math.IsNaN(b.Gap) || !(b.Gap <= 1e-8) {
				t.Errorf("%s, %T: Certify gives %.2e", name, loss, b.Gap)
			}
		}
	}
}

// TestNaN: a point that is none proves nothing.
func TestNaN(t *testing.T) {
	f := mustNew(t, kind{term.Logistic{}, "graph", 0, false, 0.01}.random(t, 20, 5, 1))
	for _, v := range []float64{math.NaN(), math.Inf(1), 1e300} {
		x := []float64{0, v, 0, 0, 0}
		if b := f.Certify(x, nil); math.IsNaN(b.Gap) || b.Gap < 1e200 {
			t.Errorf("gap %v at %v", b.Gap, v)
		}
		if r := f.Finish(x, &Settings{Tol: 1e-10}); !(r.Gap <= 1e-10) {
			t.Errorf("gap %v from %v", r.Gap, v)
		}
	}
}

func TestNotApplicable(t *testing.T) {
	p := kind{term.Logistic{}, "graph", 0, false, 0.01}.random(t, 20, 5, 1)
	p.MaxFeatures = 4
	if _, err := New(p); !errors.Is(err, ErrNotApplicable) {
		t.Errorf("error %v", err)
	}
	p.MaxFeatures, p.A = 0, quad.New(hidden{p.A.Matrix()}, 5)
	if _, err := New(p); !errors.Is(err, ErrNotApplicable) {
		t.Errorf("error %v", err)
	}
}

// hidden hides that a map is a matrix.
type hidden struct{ quad.Map }
