package report

import (
	"math"
	"slices"
	"testing"

	"github.com/scas-admm/scas/bench/internal/paper"
)

func TestCurve(t *testing.T) {
	c := curve{}
	for k := range 30 {
		x := float64(k + 1)
		y := 3 * math.Pow(x, -1.5)
		c.add(x, y, y, y)
	}
	if r := rate(c.x, c.mean); math.Abs(r-1.5) > 1e-9 {
		t.Errorf("exponent %g of x^-1.5", r)
	}
	if v, ok := c.valueAt(4.5); !ok || v > c.mean[3] || v < c.mean[4] {
		t.Errorf("%g between %g and %g", v, c.mean[3], c.mean[4])
	}
	if _, ok := c.valueAt(31); ok {
		t.Error("a value beyond the curve")
	}
	if v := c.truncateAt(10).lastMean(); v != c.mean[9] {
		t.Errorf("cut at 10: %g", v)
	}
	if s, ok := interpolateLinear([]float64{0, 2}, []float64{1, 5}, 1); !ok || s != 3 {
		t.Errorf("half way from 1 to 5: %g", s)
	}
}

// TestByBudget checks byBudget on a run whose last iteration ends at 45 passes, after the budget of 30.
func TestByBudget(t *testing.T) {
	u := &paper.TunedRun{Points: []paper.Point{{Objective: 5}, {Passes: 20, Objective: 3}, {Passes: 45, Objective: 1}}}
	for _, test := range []struct {
		within *paper.Point
		x      []float64
	}{{nil, []float64{0, 20, 45}}, {&paper.Point{Passes: 29, Objective: 2}, []float64{0, 20, 30}}, {&paper.Point{Objective: 5}, []float64{0, 30}}} {
		u.BudgetEnd = test.within
		points, x := byBudget(u, 30)
		if !slices.Equal(x, test.x) || len(points) != len(x) || test.within != nil && points[len(x)-1] != *test.within {
			t.Errorf("within %+v: %+v at %v, want %v", test.within, points, x, test.x)
		}
	}
	if len(u.Points) != 3 || u.Points[1].Passes != 20 {
		t.Errorf("the points are now %+v", u.Points)
	}
}
