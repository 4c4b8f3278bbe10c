package report

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/scas-admm/scas/bench/internal/paper"
)

func TestRate(t *testing.T) {
	var x, y []float64
	for k := range 30 {
		x, y = append(x, float64(k+1)), append(y, 3*math.Pow(float64(k+1), -1.5))
	}
	if r := rate(x, y); math.Abs(r-1.5) > 1e-9 {
		t.Errorf("exponent %g of x^-1.5", r)
	}
	if v, ok := interpolate(x, y, 4.5); !ok || v != (y[3]+y[4])/2 {
		t.Errorf("%g half way from %g to %g", v, y[3], y[4])
	}
	if _, ok := interpolate(x, y, 31); ok {
		t.Error("a value beyond the last position")
	}
}

// TestCurve checks curves over two splits: the mean over the splits, interpolated by its logarithm, and the
// end of the budget. The last iteration of the runs ends at 45 passes, after the budget of 30.
func TestCurve(t *testing.T) {
	l := line{method: scas, rule: paper.Sampled, output: paper.Last}
	r := &paper.Records{
		Protocol: paper.Protocol{Passes: 30}, Runs: map[paper.Key]*paper.TunedRun{}, Optima: map[paper.Key]*paper.Optimum{},
		Summaries: map[string]*paper.DataSummary{"x": {Name: "x"}},
	}
	for split, middle := range []paper.Point{
		{Passes: 20, PaperPasses: 1, Objective: 1e-2}, {Passes: 40, PaperPasses: 1, Objective: 1e-2},
	} {
		r.Optima[paper.Key{Data: "x", Split: split}] = &paper.Optimum{}
		r.Runs[paper.Key{Data: "x", Method: scas, Split: split, Rule: paper.Sampled, Output: paper.Last}] = &paper.TunedRun{
			Points:    []paper.Point{{Objective: 1}, middle, {Passes: 45, PaperPasses: 2, Objective: 1e-3}},
			BudgetEnd: &paper.Point{Passes: 29, Objective: 0.5},
		}
	}
	p := problems(r)[0]
	for _, test := range []struct {
		axis axis
		x, y []float64
	}{
		{byPasses, []float64{0, 20}, []float64{1, (0.01 + 0.1) / 2}}, // the second run is half way from 1 to 0.01
		{byPaper, []float64{0, 1, 2}, []float64{1, 1e-2, 1e-3}},
		{byBudget, []float64{30}, []float64{0.5}},
	} {
		l.axis = test.axis
		c := p.upToBudget(l, p.commonSplits(l), gap)
		if !slices.Equal(c.X, test.x) || !floats.EqualApprox(c.Y, test.y, 1e-12) {
			t.Errorf("axis %d: %v at %v, want %v at %v", test.axis, c.Y, c.X, test.y, test.x)
		}
	}
	if c := p.curve(line{method: sa}, []int{0, 1}, gap); c.X != nil {
		t.Errorf("a method without runs has the curve %+v", c)
	}
}

// TestCommonSplits checks that commonSplits ignores lines without runs, and splits without an optimum.
func TestCommonSplits(t *testing.T) {
	p := &problem{
		Records:     &paper.Records{Runs: map[paper.Key]*paper.TunedRun{}, Optima: map[paper.Key]*paper.Optimum{}},
		DataSummary: &paper.DataSummary{}, splitCount: 5,
	}
	for m, splits := range map[paper.Method][]int{scas: {0, 1, 2, 4}, sa: {1, 2, 3, 4}, stoc: nil} {
		for _, split := range splits {
			p.Runs[paper.Key{Method: m, Split: split}] = &paper.TunedRun{}
		}
	}
	for split := range 4 {
		p.Optima[paper.Key{Split: split}] = &paper.Optimum{}
	}
	for _, test := range []struct {
		methods []paper.Method
		want    []int
	}{
		{nil, nil}, {[]paper.Method{stoc}, nil}, {[]paper.Method{scas}, []int{0, 1, 2}},
		{[]paper.Method{scas, stoc, sa}, []int{1, 2}},
	} {
		var lines []line
		for _, m := range test.methods {
			lines = append(lines, line{method: m})
		}
		if got := p.commonSplits(lines...); !slices.Equal(got, test.want) {
			t.Errorf("common splits of %v are %v, want %v", test.methods, got, test.want)
		}
	}
}
