package race

import (
	"math"
	"strings"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
)

// TestDivergence checks that the divergence of a run is not an error of follow, and that the table shows it.
// A bad setting must be an error of follow.
func TestDivergence(t *testing.T) {
	d, err := sparse.NewSynthetic(sparse.SyntheticOptions{Rows: 200, Features: 20, Seed: 1, Noise: 1})
	if err != nil {
		t.Fatal(err)
	}
	p := &solver.Problem{Data: d.X, Labels: d.Labels, Penalty: solver.L1{Lambda: 1e-2}}
	c := &Converge{Passes: 20, Eta: 1e6}
	one, err := c.follow(t.Context(), p, solver.SCAS{})
	if err != nil || one.err == nil || len(one.points) == 0 {
		t.Fatalf("%+v, %v", one, err)
	}
	if text := table([]*curve{one}, 0); !strings.Contains(text, one.err.Error()) {
		t.Errorf("the table hides it:\n%s", text)
	}
	c.Passes = -1
	_, err = c.follow(t.Context(), p, solver.SCAS{})
	if err == nil {
		t.Error("a bad setting is not an error")
	}
}

func TestBest(t *testing.T) {
	at := func(last, average float64) solver.Point {
		return solver.Point{Last: solver.Evaluation{Objective: last}, Average: solver.Evaluation{Objective: average}}
	}
	all := []*curve{{points: []solver.Point{at(math.NaN(), 5), at(3, 4)}}, {points: []solver.Point{at(7, math.NaN())}}}
	if got := best(all); got != 3 {
		t.Errorf("best is %g, want 3", got)
	}
}
