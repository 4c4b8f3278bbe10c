package newton

import (
	"errors"
	"math"
	"testing"

	"github.com/scas-admm/scas/solver/internal/ending"
	"github.com/scas-admm/scas/solver/internal/term"
)

// separable has a first feature that tells the classes apart, and is penalised if held.
func separable(t *testing.T, held bool) *Problem {
	t.Helper()
	const rows, features = 40, 5
	x, labels := make([][]float64, rows), make([]float64, rows)
	for i := range x {
		labels[i] = math.Copysign(1, math.Sin(float64(3*i*i)))
		x[i] = make([]float64, features)
		for j := range x[i] {
			x[i][j] = math.Sin(float64(7*i + 11*j*j + i*j))
		}
		x[i][0] = labels[i] * (2 + x[i][0])
	}
	p := newProblem(fromRows(t, x), labels, term.Logistic{}, nil, 0.05, 0)
	if !held {
		p.Limit[0] = 0
	}
	return p
}

// TestEndings: results say why there are no better ones, whatever the method.
func TestEndings(t *testing.T) {
	stop := errors.New("stop")
	interrupt := func() error { return stop }
	usual, open := separable(t, true), separable(t, false)
	boxed, balled := *open, *open
	boxed.Domain, balled.Domain = term.NewBox(5, 0, math.Inf(1)), term.Ball{Radius: 3}
	huber := *usual
	huber.Loss = term.Huber{Delta: 1.35}
	for _, c := range []struct {
		name string
		p    *Problem
		set  Settings
		want ending.Why
	}{
		{"a goal", usual, Settings{Tol: 1e-9}, ending.Reached},
		{"no goal", usual, Settings{}, ending.Rounding},
		{"few steps", usual, Settings{Tol: 1e-9, MaxIterations: 2}, ending.Iterations},
		{"an interrupt", usual, Settings{Tol: 1e-9, Interrupt: interrupt}, ending.Interrupted},
		{"free, a goal", open, Settings{Tol: 1e-6}, ending.Reached},
		{"free, few steps", open, Settings{Tol: 1e-6, MaxIterations: 3}, ending.Separable},
		{"free, no goal", open, Settings{}, ending.Separable},
		{"free, an interrupt", open, Settings{Interrupt: interrupt}, ending.Interrupted},
		{"free upwards", &boxed, Settings{Tol: 1e-6, MaxIterations: 3}, ending.Separable},
		{"held by a ball", &balled, Settings{Tol: 1e-6, MaxIterations: 3}, ending.Iterations},
		{"numbers", &huber, Settings{}, ending.Rounding},
	} {
		f := mustNew(t, c.p)
		for name, finish := range map[string]func([]float64, *Settings) *Result{"Finish": f.Finish, "follow": f.follow} {
			set := c.set
			r := finish(make([]float64, 5), &set)
			if r.Why != c.want || (r.Why == ending.Reached) != (r.Gap <= set.Tol) {
				t.Errorf("%s, %s: %v, want %v: gap %g after %d steps", c.name, name, r.Why, c.want, r.Gap, r.Iterations)
			}
		}
	}
}

// TestEndingsOfWide: the same of working sets.
func TestEndingsOfWide(t *testing.T) {
	k := kind{term.Logistic{}, "identity", 0, false, 1e-4}
	stop := errors.New("stop")
	for _, c := range []struct {
		most int
		set  Settings
		want ending.Why
	}{
		{40, Settings{Tol: 1e-9}, ending.Reached},
		{40, Settings{}, ending.Rounding},
		{40, Settings{Tol: 1e-9, Interrupt: func() error { return stop }}, ending.Interrupted},
		{6, Settings{Tol: 1e-9}, ending.Room},
	} {
		p := k.random(t, 60, 40, 1)
		p.MaxFeatures = c.most
		w, err := NewWide(p)
		if err != nil {
			t.Fatal(err)
		}
		if r := w.Finish(make([]float64, 40), nil, nil, &c.set); r.Why != c.want {
			t.Errorf("sets of %d, to %g: %v, want %v: gap %g", c.most, c.set.Tol, r.Why, c.want, r.Gap)
		}
	}
}

// TestGapOfRoundedSums: no gap is smaller than what rounding makes of the objective that
// it is of, even where the dual point is exact.
func TestGapOfRoundedSums(t *testing.T) {
	least := func(name string, gap, objective float64) {
		t.Helper()
		if !(gap >= 2*0x1p-52*math.Abs(objective)) || gap > 1e-12*math.Abs(objective) {
			t.Errorf("%s: gap %g of the objective %g", name, gap, objective)
		}
	}
	for _, loss := range []term.Loss{term.Logistic{}, term.Squared{}, term.Huber{Delta: 0.7}, term.SquaredHinge{}} {
		for _, a := range []string{"identity", "graph"} {
			for _, mu := range []float64{0, 0.1} {
				p := kind{loss, a, mu, false, 100}.random(t, 60, 8, 2) // x = 0 is the solution
				f := mustNew(t, p)
				x, set := make([]float64, 8), &Settings{Tol: 1e-13}
				r := f.Finish(nil, set)
				least("Finish", r.Gap, r.Objective)
				r = f.follow(nil, set)
				least("follow", r.Gap, r.Objective)
				b := f.Certify(x, nil)
				least("Certify", b.Gap, b.Objective)
				w, err := NewWide(p)
				if err != nil {
					t.Fatal(err)
				}
				r = w.Finish(x, nil, nil, set)
				least("Wide", r.Gap, r.Objective)
				least("Wide.Certify", w.Certify(x, r.Z), r.Objective)
				q := *p
				q.Domain = term.NewBox(8, -1, 1)
				b = mustNew(t, &q).Certify(x, nil)
				least("Certify of a box", b.Gap, b.Objective)
			}
		}
	}
}
