package solver_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/baseline"
	"github.com/scas-admm/scas/solver/internal/solvertest"
	"github.com/scas-admm/scas/sparse"
)

// A widened problem has columns without data between those of another.
type widened struct {
	solver.Problem
	p, l       int
	cols, rows []int // places of the columns and of the rows of A of the other problem
}

// widen puts so many columns without data between those of p, and if p has a graph rows
// for each and edges between neighbours among them.
func widen(t testing.TB, p *solver.Problem, empty int) *widened {
	t.Helper()
	_, features := p.Data.Dims()
	w := &widened{Problem: *p, p: features + empty, cols: make([]int, features)}
	data := make([]bool, w.p)
	for j := range w.cols {
		w.cols[j] = j + (j+1)*empty/(features+1)
		data[w.cols[j]] = true
	}
	w.Data = w.renumber(t, p.Data, nil)
	if a, ok := p.Constraint.(*sparse.CSR); ok {
		w.Constraint = w.renumber(t, a, data)
	} else {
		w.rows, w.l = w.cols, w.p
	}
	switch g := p.Penalty.(type) {
	case solver.L1:
		if g.Weights != nil {
			g.Weights = w.spread(g.Weights, w.rows, w.l, 0.7)
		}
		w.Penalty = g
	case solver.GroupL2:
		g.Groups = slices.Clone(g.Groups)
		for k, group := range g.Groups {
			g.Groups[k] = nil
			for _, j := range group {
				g.Groups[k] = append(g.Groups[k], w.rows[j])
			}
		}
		w.Penalty = g
	}
	if b, ok := p.Domain.(solver.Box); ok {
		w.Domain = solver.Box{Lower: w.spread(b.Lower, w.cols, w.p, -3), Upper: w.spread(b.Upper, w.cols, w.p, 2)}
	}
	return w
}

// renumber returns m over the columns of w. If data is not nil m is A: rows of other
// columns come between its own.
func (w *widened) renumber(t testing.TB, m *sparse.CSR, data []bool) *sparse.CSR {
	t.Helper()
	n, _ := m.Dims()
	ptr, idx, val := []int64{0}, []int32(nil), []float64(nil)
	row := func(v []float64, cols ...int) {
		for k, j := range cols {
			idx, val = append(idx, int32(j)), append(val, v[k])
		}
		ptr = append(ptr, int64(len(idx)))
	}
	next := 0
	for i := range n {
		for ; data != nil && next < (i+1)*w.p/n; next++ {
			if data[next] {
				continue
			}
			row([]float64{1}, next)
			if next+1 < w.p && !data[next+1] {
				row([]float64{1, -1}, next, next+1)
			}
		}
		cols, v := m.Row(i)
		var places []int
		for _, j := range cols {
			places = append(places, w.cols[j])
		}
		if data != nil {
			w.rows = append(w.rows, len(ptr)-1)
		}
		row(v, places...)
	}
	if data != nil {
		w.l = len(ptr) - 1
	}
	out, err := sparse.New(len(ptr)-1, w.p, ptr, idx, val)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// spread puts v at the places of a vector of that length, and fill elsewhere.
func (w *widened) spread(v []float64, places []int, length int, fill float64) []float64 {
	if v == nil {
		return nil
	}
	out := slices.Repeat([]float64{fill}, length)
	for k, x := range v {
		out[places[k]] = x
	}
	return out
}

// runRecorded solves the problem and returns the iterates that the recorder saw, too.
func runRecorded(t testing.TB, p *solver.Problem, s solver.Settings) (*solver.Result, [][]float64) {
	t.Helper()
	var seen [][]float64
	s.Recorder = solver.RecorderFunc(func(pt *solver.Point) error {
		seen = append(seen, slices.Clone(pt.X))
		return nil
	})
	res, err := solver.Minimize(context.Background(), p, &s)
	if err != nil && !errors.Is(err, solver.ErrNotConverged) {
		t.Fatal(err)
	}
	res.Stats.Seconds, res.Stats.SetupSeconds = 0, 0
	return res, seen
}

// checkSame holds runs on p and on p with columns without data to the same bits.
func checkSame(t *testing.T, p *solver.Problem, s solver.Settings, empty int) {
	t.Helper()
	w := widen(t, p, empty)
	want, points := runRecorded(t, p, s)
	if start := s.Start; start.X != nil || start.Y != nil {
		s.Start = solver.Iterate{X: w.spread(start.X, w.cols, w.p, 0), Y: w.spread(start.Y, w.rows, w.l, 0), Dual: w.spread(start.Dual, w.rows, w.l, 0)}
	}
	got, seen := runRecorded(t, &w.Problem, s)
	x := func(v []float64) []float64 { return w.spread(v, w.cols, w.p, 0) }
	y := func(v []float64) []float64 { return w.spread(v, w.rows, w.l, 0) }
	for k := range points {
		points[k] = x(points[k])
	}
	want.X, want.XAverage = x(want.X), x(want.XAverage)
	want.Y, want.YAverage, want.Dual = y(want.Y), y(want.YAverage), y(want.Dual)
	for _, group := range want.Groups {
		for k, j := range group {
			group[k] = w.cols[j]
		}
	}
	sameBits := cmp.Comparer(func(a, b []float64) bool {
		return slices.EqualFunc(a, b, func(u, v float64) bool { return math.Float64bits(u) == math.Float64bits(v) })
	})
	if diff := cmp.Diff(want, got, sameBits); diff != "" {
		t.Errorf("%d columns without data change the result:\n%.2000s", empty, diff)
	}
	if diff := cmp.Diff(points, seen, sameBits); diff != "" {
		t.Errorf("%d columns without data change the records:\n%.2000s", empty, diff)
	}
}

// Columns without data change no bit of any method, with a graph and without.
func TestColumnsWithoutDataAndMethods(t *testing.T) {
	for _, m := range baseline.Methods() {
		p := solvertest.Chain(t, 0.05)
		for _, constraint := range []solver.Operator{nil, p.Constraint} {
			p.Constraint = constraint
			for _, empty := range []int{0, 10, 3000} {
				checkSame(t, p, solver.Settings{Method: m, Passes: 12, Seed: 5}, empty)
			}
		}
	}
}

// The same for every kind of problem in which they may leave.
func TestColumnsWithoutDataAndProblems(t *testing.T) {
	weights := func(n int) []float64 {
		w := make([]float64, n)
		for j := range w {
			w[j] = float64(j % 4)
		}
		return w
	}
	groups := [][]int{{0, 3, 4}, {5}, {6, 7, 8, 9}, {}, {14, 1}}
	for name, change := range map[string]func(*solver.Problem){
		"graph":           func(*solver.Problem) {},
		"identity":        func(p *solver.Problem) { p.Constraint = nil },
		"no penalty":      func(p *solver.Problem) { p.Penalty, p.Constraint = nil, nil },
		"mu":              func(p *solver.Problem) { p.L2 = 0.1 },
		"weights":         func(p *solver.Problem) { p.Penalty, p.Constraint = solver.L1{Lambda: 1e-2, Weights: weights(15)}, nil },
		"elastic net":     func(p *solver.Problem) { p.Penalty = solver.ElasticNet{L1: 1e-2, L2: 1e-3} },
		"squared norm":    func(p *solver.Problem) { p.Penalty = solver.SquaredL2{Lambda: 1e-2} },
		"groups":          func(p *solver.Problem) { p.Penalty, p.Constraint = solver.GroupL2{Lambda: 1e-2, Groups: groups}, nil },
		"groups of A":     func(p *solver.Problem) { p.Penalty = solver.GroupL2{Lambda: 1e-2, Groups: groups, Weights: weights(5)} },
		"nonnegative y":   func(p *solver.Problem) { p.Penalty, p.Constraint = solver.NonnegativeY(), nil },
		"box":             func(p *solver.Problem) { p.Domain = solver.NewBox(15, -0.1, 0.2) },
		"ball":            func(p *solver.Problem) { p.Domain, p.Constraint = solver.Ball{Radius: 0.3}, nil },
		"nonnegative":     func(p *solver.Problem) { p.Domain = solver.Nonnegative{} },
		"loss of its own": func(p *solver.Problem) { p.Loss = plainLoss{} },
		"row weights of A": func(p *solver.Problem) {
			l, _ := p.Constraint.Dims()
			p.Penalty = solver.L1{Lambda: 1e-2, Weights: weights(l)}
		},
		"sample weights":  func(p *solver.Problem) { p.SampleWeights = weights(200) },
		"everything zero": func(p *solver.Problem) { p.Penalty = solver.L1{Lambda: 1} },
	} {
		t.Run(name, func(t *testing.T) {
			p := solvertest.Chain(t, 0)
			change(p)
			checkSame(t, p, solver.Settings{Passes: 10, Seed: 5}, 40)
			checkSame(t, p, solver.Settings{Passes: 10, Seed: 5, RelTol: -1}, 41)
			l := 15
			if p.Constraint != nil {
				l, _ = p.Constraint.Dims()
			}
			start := solver.Iterate{X: weights(15), Y: weights(l), Dual: make([]float64, l)}
			checkSame(t, p, solver.Settings{Passes: 10, Start: start}, 40)
		})
	}
}

// plainLoss hides which loss it is.
type plainLoss struct{ solver.Logistic }

func TestAMillionColumnsWithoutData(t *testing.T) {
	p := solvertest.Chain(t, 0)
	checkSame(t, p, solver.Settings{}, 1000000)
	p.Constraint = nil
	checkSame(t, p, solver.Settings{}, 1000000)
}

// Groups that columns without data share with others keep their weight.
func TestGroupsWithColumnsWithoutData(t *testing.T) {
	p := solvertest.Chain(t, 0)
	p.Constraint = nil
	p.Penalty = solver.GroupL2{Lambda: 1e-2, Groups: [][]int{{0, 3}, {4, 5}}, Weights: []float64{2, math.Sqrt(5)}}
	w := widen(t, p, 20)
	c := w.cols
	w.Penalty = solver.GroupL2{Lambda: 1e-2, Groups: [][]int{{c[0] - 1, c[3], c[0], c[3] + 1}, {c[14] + 1}, {c[4], c[5], c[5] + 1, c[7] + 1, c[8] + 1}}}
	s := solver.Settings{Passes: 12, Seed: 3}
	want, _ := runRecorded(t, p, s)
	got, _ := runRecorded(t, &w.Problem, s)
	if diff := cmp.Diff(w.spread(want.X, c, w.p, 0), got.X); diff != "" {
		t.Error(diff)
	}
	if e := w.Evaluate(got.X); e.Objective != got.At.Objective {
		t.Errorf("objective %v, at the result %v", got.At.Objective, e.Objective)
	}
}

// kept lists how many columns a method sees.
type kept struct {
	solver.Method
	columns *int
}

func (k kept) Begin(r *solver.Run) (solver.Iteration, error) {
	_, *k.columns = r.Problem.Data.Dims()
	return k.Method.Begin(r)
}

// Columns stay where 0 is not known to be best for them, or is not where they start.
func TestColumnsWithoutDataThatStay(t *testing.T) {
	at := func(w *widened, j int, v float64) []float64 {
		x := make([]float64, w.p)
		x[j] = v
		return x
	}
	box := func(w *widened, lower, upper float64) solver.Box {
		b := solver.NewBox(w.p, -1, 1)
		b.Lower[w.cols[2]+1], b.Upper[w.cols[2]+1] = lower, upper
		return b
	}
	for _, c := range []struct {
		name   string
		stay   int // of the 30 without data
		change func(*widened, *solver.Settings)
	}{
		{"none", 0, func(*widened, *solver.Settings) {}},
		{"simplex", 30, func(w *widened, _ *solver.Settings) { w.Domain = solver.Simplex{} }},
		{"domain of the caller", 30, func(w *widened, _ *solver.Settings) { w.Domain = positive{} }},
		{"penalty of the caller", 30, func(w *widened, _ *solver.Settings) { w.Penalty = ownPenalty{} }},
		{"interval without 0", 30, func(w *widened, _ *solver.Settings) { w.Penalty = solver.Within{Lower: 1, Upper: 2} }},
		{"operator", 30, func(w *widened, _ *solver.Settings) {
			w.Constraint = solvertest.JustAnOperator{Operator: sparse.Identity(w.p)}
		}},
		{"coupling", 30, func(w *widened, _ *solver.Settings) { w.Coupling = &solver.Coupling{C: at(w, 3, 1)} }},
		{"a bound above 0", 1, func(w *widened, _ *solver.Settings) { w.Domain = box(w, 0.5, 1) }},
		{"a bound below 0", 1, func(w *widened, _ *solver.Settings) { w.Domain = box(w, -1, -0.5) }},
		{"bounds of 0", 0, func(w *widened, _ *solver.Settings) { w.Domain = box(w, 0, 0) }},
		{"start of x", 1, func(w *widened, s *solver.Settings) { s.Start.X = at(w, w.cols[1]+1, 1) }},
		{"start of y and beta", 2, func(w *widened, s *solver.Settings) {
			s.Start.Y, s.Start.Dual = at(w, w.cols[4]-1, 1), at(w, w.cols[7]-1, -1e-3)
		}},
		{"an edge to data", 1, func(w *widened, _ *solver.Settings) {
			j := int32(w.cols[5])
			g, err := sparse.New(1, w.p, []int64{0, 2}, []int32{j, j + 1}, []float64{1, -1})
			if err == nil {
				w.Constraint, err = sparse.Stack(g, sparse.Identity(w.p))
			}
			if err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := solvertest.Chain(t, 0)
			p.Constraint = nil
			w := widen(t, p, 30)
			columns := 0
			s := solver.Settings{Method: kept{solver.SCASK{}, &columns}, Passes: 4}
			c.change(w, &s)
			if _, err := solver.Minimize(t.Context(), &w.Problem, &s); err != nil {
				t.Fatal(err)
			}
			if columns != 15+c.stay {
				t.Errorf("%d columns without data stayed, want %d", columns-15, c.stay)
			}
		})
	}
}

// ownPenalty hides which penalty it is.
type ownPenalty struct{ solver.L1 }

// Zero is what it would have been: an independent method finds the same objective
// without leaving anything out.
func TestColumnsWithoutDataAreZeroAtTheOptimum(t *testing.T) {
	p := solvertest.Chain(t, 0)
	w := widen(t, p, 25)
	res := solvertest.Minimize(t, &w.Problem, &solver.Settings{RelTol: 1e-10})
	_, _, optimum := solvertest.BarrierNewton(t, &w.Problem)
	if gap := res.At.Objective - optimum; math.Abs(gap) > 1e-9 {
		t.Errorf("%.3g above the optimum", gap)
	}
}

// Data without any entry keep a column.
func TestNoDataAtAll(t *testing.T) {
	data, err := sparse.New(3, 8, []int64{0, 0, 0, 1}, []int32{5}, []float64{0})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range []solver.Operator{nil, sparse.Identity(8), solver.NewConstraint(sparse.Identity(8))} {
		res, err := solver.Minimize(t.Context(), &solver.Problem{Data: data, Labels: []float64{1, -1, 1}, Constraint: a, Penalty: solver.L1{Lambda: 0.1}}, nil)
		if err != nil || fmt.Sprint(res.X) != fmt.Sprint(make([]float64, 8)) || len(res.Dual) != 8 {
			t.Errorf("%+v, %v", res, err)
		}
	}
}

// A prepared constraint prepares what is left of it once.
func TestPreparedConstraintWithoutColumns(t *testing.T) {
	w := widen(t, solvertest.Chain(t, 0), 25)
	plain, _ := runRecorded(t, &w.Problem, solver.Settings{})
	w.Constraint = solver.NewConstraint(w.Constraint)
	for range 2 {
		got, _ := runRecorded(t, &w.Problem, solver.Settings{})
		if diff := cmp.Diff(plain, got); diff != "" {
			t.Error(diff)
		}
	}
}
