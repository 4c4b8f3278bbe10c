package exact

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/scas-admm/scas/solver/internal/ending"
	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

func TestCoupledEndings(t *testing.T) {
	stop := errors.New("stop")
	interrupt := func() error { return stop }
	separated := separatedByFirst(t) // the first feature is free and separates the classes
	g, err := graph.FromPairs(5, [][2]int32{{1, 2}, {2, 3}})
	if err != nil {
		t.Fatal(err)
	}
	separated.A, separated.Limit = linalg.New(g.FusedLasso(), 5), slices.Repeat([]float64{0.05}, 7)
	usual := *separated
	separated.Limit = slices.Clone(separated.Limit)
	separated.Limit[2] = 0
	boxed, balled, huber := *separated, *separated, usual
	boxed.Set, balled.Set, huber.Loss = term.NewBox(5, 0, math.Inf(1)), term.Ball{Radius: 3}, term.Huber{Delta: 1.35}
	for _, c := range []struct {
		name string
		p    *Problem
		set  Settings
		want ending.Why
	}{
		{"a goal", &usual, Settings{Tol: 1e-9}, ending.Reached},
		{"no goal", &usual, Settings{}, ending.Rounding},
		{"few steps", &usual, Settings{Tol: 1e-9, MaxIterations: 2}, ending.Iterations},
		{"an interrupt", &usual, Settings{Tol: 1e-9, Interrupt: interrupt}, ending.Interrupted},
		{"free, a goal", separated, Settings{Tol: 1e-6}, ending.Reached},
		{"free, few steps", separated, Settings{Tol: 1e-6, MaxIterations: 3}, ending.Separated},
		{"free, no goal", separated, Settings{}, ending.Separated},
		{"free, an interrupt", separated, Settings{Interrupt: interrupt}, ending.Interrupted},
		{"free upwards", &boxed, Settings{Tol: 1e-6, MaxIterations: 3}, ending.Separated},
		{"held by a ball", &balled, Settings{Tol: 1e-6, MaxIterations: 3}, ending.Iterations},
		{"numbers", &huber, Settings{}, ending.Rounding},
	} {
		r := mustNew(t, c.p).Finish(nil, &c.set)
		if r.Why != c.want || (r.Why == ending.Reached) != (r.Gap <= c.set.Tol) {
			t.Errorf("%s: %v, want %v: gap %g after %d steps", c.name, r.Why, c.want, r.Gap, r.Iterations)
		}
	}
}

// separatedProblem returns a problem with two free features, 4 and 5. Feature 4 occurs in rows 0, 1 and 2 and
// separates them. Feature 5 occurs in rows 0, 7 and 8; it separates rows 7 and 8, but has the wrong sign in
// row 0.
func separatedProblem(t *testing.T, loss term.Loss, a *sparse.CSR) *Problem {
	t.Helper()
	p := pattern{loss, "identity", 0, 0.05}.draw(t, 40, 4, 1)
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
	q := penalisedProblem(fromRows(t, x), p.Labels, loss, a, 0.05, 0)
	q.Limit[len(q.Limit)-2], q.Limit[len(q.Limit)-1] = 0, 0
	return q
}

// TestSeparated checks that αᵢ is 0 for separated samples, that Solver and setSolver reach the tolerance, and
// that Certify proves a small gap.
func TestSeparated(t *testing.T) {
	g, err := graph.FromPairs(6, [][2]int32{{0, 1}, {1, 2}})
	if err != nil {
		t.Fatal(err)
	}
	for _, loss := range []term.Loss{term.SquaredHinge{}, term.Logistic{}} {
		for _, a := range []*sparse.CSR{nil, g.FusedLasso()} {
			p := separatedProblem(t, loss, a)
			s, set := mustNew(t, p), &Settings{Tol: 1e-8}
			r := s.Finish(nil, set)
			if r.Why != ending.Reached {
				t.Errorf("%T, graph %v: %v, gap %g", loss, a != nil, r.Why, r.Gap)
			}
			for _, i := range []int{0, 1, 2, 7, 8} {
				if r.Alpha[i] != 0 {
					t.Errorf("%T, graph %v: alpha %g at sample %d", loss, a != nil, r.Alpha[i], i)
				}
			}
			if b := s.Certify(r.X, set); !(b <= 1e-7) {
				t.Errorf("%T, graph %v: Certify: gap %g", loss, a != nil, b)
			}
			if a == nil { // newSetSolver must not get the identity as A
				continue
			}
			if r := mustSetSolver(t, p).finish(make([]float64, 6), nil, nil, set); r.Why != ending.Reached {
				t.Errorf("%T: setSolver: %v, gap %g", loss, r.Why, r.Gap)
			}
		}
	}
}

// TestNotSeparated checks that no sample counts as separated if the loss grows without bound in both
// directions of the margin, or if the penalty or the domain bounds all coefficients.
func TestNotSeparated(t *testing.T) {
	for name, change := range map[string]func(q *Problem){
		"squared":   func(q *Problem) { q.Loss = term.Squared{} },
		"penalised": func(q *Problem) { q.Limit = append(q.Limit[:4:4], 0.01, 0.01) },
		"a ridge":   func(q *Problem) { q.Ridge = slices.Repeat([]float64{0.1}, 6) },
		"a box":     func(q *Problem) { q.Set = term.NewBox(6, -1, 1) },
		"a ball":    func(q *Problem) { q.Set = term.Ball{Radius: 1} },
		"nothing":   func(*Problem) {},
	} {
		q := separatedProblem(t, term.Logistic{}, nil)
		change(q)
		s := mustNew(t, q)
		s.setLambda(1)
		m, found := inMemory(s), false
		for i, lo := range m.lo {
			found = found || lo == 0 && m.hi[i] == 0
		}
		if found != (name == "nothing") {
			t.Errorf("%s: alpha within %v and %v", name, m.lo, m.hi)
		}
	}
}
