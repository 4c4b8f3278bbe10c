package newton

import (
	"testing"

	"github.com/scas-admm/scas/solver/internal/ending"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// separatedProblem has a free feature, 4, that separates the three rows it occurs in, and
// one, 5, that separates those it occurs in but for the first of these three.
func separatedProblem(t *testing.T, loss term.Loss, a *sparse.CSR) *Problem {
	t.Helper()
	p := kind{loss, "identity", 0, false, 0.05}.random(t, 40, 4, 1)
	x := make([][]float64, 40)
	for i := range x {
		x[i] = make([]float64, 6)
		idx, val := p.Data.Row(i)
		for k, j := range idx {
			x[i][j] = val[k]
		}
	}
	for k, v := range []float64{0.5, 1, 2} {
		x[k][4] = v * p.Labels[k]
	}
	x[0][5], x[7][5], x[8][5] = -p.Labels[0], p.Labels[7], 3*p.Labels[8]
	q := newProblem(fromRows(t, x), p.Labels, loss, a, 0.05, 0)
	q.Limit[len(q.Limit)-2], q.Limit[len(q.Limit)-1] = 0, 0
	return q
}

// TestSeparated: α is zero at separated samples, and the gap is closed, by each of the methods.
func TestSeparated(t *testing.T) {
	g, err := graph.FromPairs(6, [][2]int32{{0, 1}, {1, 2}})
	if err != nil {
		t.Fatal(err)
	}
	for _, loss := range []term.Loss{term.SquaredHinge{}, term.Logistic{}} {
		for _, a := range []*sparse.CSR{nil, g.FusedLasso()} {
			p := separatedProblem(t, loss, a)
			f := mustNew(t, p)
			set := &Settings{Tol: 1e-8}
			for name, r := range map[string]*Result{"Finish": f.Finish(nil, set), "follow": f.follow(nil, set)} {
				if r.Why != ending.Reached {
					t.Errorf("%T, %s: %v, gap %g", loss, name, r.Why, r.Gap)
				}
				for _, i := range []int{0, 1, 2, 7, 8} {
					if r.Alpha[i] != 0 {
						t.Errorf("%T, %s: alpha %g at sample %d", loss, name, r.Alpha[i], i)
					}
				}
				if b := f.Certify(r.X, r.Z); !(b.Gap <= 1e-7) {
					t.Errorf("%T, Certify: gap %g", loss, b.Gap)
				}
			}
			w, err := NewWide(p)
			if err != nil {
				t.Fatal(err)
			}
			if r := w.Finish(make([]float64, 6), nil, nil, set); r.Why != ending.Reached {
				t.Errorf("%T, Wide: %v, gap %g", loss, r.Why, r.Gap)
			}
		}
	}
}

// TestNotSeparated: neither losses with two sides nor features that something holds have
// separated samples.
func TestNotSeparated(t *testing.T) {
	p := separatedProblem(t, term.Squared{}, nil)
	if s := mustNew(t, p).apart; s != nil {
		t.Errorf("squared loss: %+v", s)
	}
	p.Loss = term.Logistic{}
	for name, change := range map[string]func(q *Problem){
		"penalised": func(q *Problem) { q.Limit = append(q.Limit[:4:4], 0.01, 0.01) },
		"a ridge":   func(q *Problem) { q.Ridge = 0.1 },
		"a box":     func(q *Problem) { q.Domain = term.NewBox(6, -1, 1) },
		"a ball":    func(q *Problem) { q.Domain = term.Ball{Radius: 1} },
	} {
		q := *p
		change(&q)
		if s := mustNew(t, &q).apart; s != nil {
			t.Errorf("%s: %+v", name, s)
		}
	}
}
