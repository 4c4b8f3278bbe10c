package curves

import (
	"bytes"
	"encoding/csv"
	"math"
	"strings"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/baseline"
	"github.com/scas-admm/scas/sparse"
)

func problem(t *testing.T) *solver.Problem {
	t.Helper()
	d, err := sparse.NewSynthetic(sparse.SyntheticOptions{Rows: 200, Features: 20, Seed: 1, Noise: 1})
	if err != nil {
		t.Fatal(err)
	}
	return &solver.Problem{Data: d.X, Labels: d.Labels, Penalty: solver.L1{Lambda: 1e-2}}
}

func TestRun(t *testing.T) {
	for _, m := range baseline.Methods() {
		p := problem(t)
		if m.Info().NeedsL2 {
			p.L2 = 1e-2
		}
		c, err := Run(t.Context(), p, m, solver.Settings{Passes: 20})
		if err != nil {
			t.Fatal(err)
		}
		first, last := c.Points[0], c.Points[len(c.Points)-1]
		if c.Method != m.Info().Name || first.Passes != 0 || last.Passes > 20 || last.Objective >= first.Objective {
			t.Errorf("%T: from %+v to %+v", m, first, last)
		}
	}
}

// A run that diverges is a result, not the end of the benchmark.
func TestRunKeepsDivergence(t *testing.T) {
	c, err := Run(t.Context(), problem(t), solver.SCAS{}, solver.Settings{Passes: 20, Eta: 1e6})
	if err != nil {
		t.Fatal(err)
	}
	if c.Err == nil || len(c.Points) == 0 {
		t.Errorf("error %v, %d points", c.Err, len(c.Points))
	}
	if text := Table([]Curve{c}, 0, 5); !strings.Contains(text, c.Err.Error()) {
		t.Errorf("the table hides it:\n%s", text)
	}
	if _, err := Run(t.Context(), problem(t), solver.SCAS{}, solver.Settings{Passes: -1}); err == nil {
		t.Error("a bad setting is not an error")
	}
}

func TestBest(t *testing.T) {
	all := []Curve{
		{Points: []Point{{Objective: math.NaN(), Average: 5}, {Objective: 3, Average: 4}}},
		{Points: []Point{{Objective: 7, Average: math.NaN()}}},
	}
	if got := Best(all); got != 3 {
		t.Errorf("best is %g, want 3", got)
	}
}

func TestCSV(t *testing.T) {
	all := []Curve{{Method: "scas", Points: []Point{{Passes: 2, Seconds: 0.125, Objective: 0.75, Average: 1, PrimalResidual: 0.5}}}}
	var b bytes.Buffer
	if err := WriteCSV(&b, all, 0.5); err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(records[0], ","); got != "method,passes,seconds,objective,gap,average_objective,primal_residual" {
		t.Errorf("columns %s", got)
	}
	if got := strings.Join(records[1], ","); got != "scas,2,0.125,0.75,0.25,1,0.5" {
		t.Errorf("line %s", got)
	}
}

func TestThin(t *testing.T) {
	points := make([]Point, 101)
	for i := range points {
		points[i].Passes = float64(2 * i)
	}
	for _, n := range []int{2, 10, 14, 100, 101, 200} {
		got := thin(points, n)
		if len(got) > n && n <= len(points) || got[0].Passes != 0 || got[len(got)-1].Passes != 200 {
			t.Errorf("thinned to %d: %d points from %g to %g", n, len(got), got[0].Passes, got[len(got)-1].Passes)
		}
		for i := 1; i < len(got); i++ {
			if got[i].Passes <= got[i-1].Passes {
				t.Errorf("thinned to %d: out of order at %d", n, i)
			}
		}
	}
}
