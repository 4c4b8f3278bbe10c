package solver_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/solvertest"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// withEmptyColumns returns p with A = I, and with the given number of empty columns after each column of its
// data.
func withEmptyColumns(t *testing.T, p *solver.Problem, emptyColumns int) *solver.Problem {
	t.Helper()
	n, features := p.Data.Dims()
	rows := p.Data.Rows(0, n)
	idx := slices.Clone(rows.Idx)
	for k := range idx {
		idx[k] *= int32(1 + emptyColumns)
	}
	x, err := sparse.New(n, features*(1+emptyColumns), rows.Ptr, idx, rows.Val)
	if err != nil {
		t.Fatal(err)
	}
	w := *p
	w.Data, w.Constraint = x, nil
	return &w
}

// TestColumnsWithoutData checks that empty columns change neither the optimum nor the coefficients of the
// columns with data. If the bounds of an empty column exclude 0, its coefficient must be the bound nearest
// to 0.
func TestColumnsWithoutData(t *testing.T) {
	const emptyColumns = 30
	p := solvertest.ChainProblem(t, 0)
	p.Constraint = nil
	p.SampleWeights = nil
	narrow, wide := *p, withEmptyColumns(t, p, emptyColumns)
	_, features := wide.Data.Dims()
	column := func(j int) int { return j * (1 + emptyColumns) }
	box := solver.NewBox(features, -0.3, 0.3)
	box.Lower[column(2)+1], box.Upper[column(2)+1] = 0.1, 0.2
	for _, c := range []struct {
		name             string
		change           func(narrow, wide *solver.Problem)
		emptyCoefficient float64 // optimal coefficient of the first empty column after feature 2
	}{
		{"lasso", func(narrow, wide *solver.Problem) {}, 0},
		{"elastic net", func(narrow, wide *solver.Problem) { narrow.L2, wide.L2 = 0.1, 0.1 }, 0},
		{"groups", func(narrow, wide *solver.Problem) {
			narrow.Penalty = solver.GroupL2{Lambda: 1e-2, Groups: [][]int{{0, 3}}, Weights: []float64{2}}
			wide.Penalty = solver.GroupL2{Lambda: 1e-2, Groups: [][]int{{column(0), column(0) + 1, column(3), column(3) + 1}}}
		}, 0},
		{"graph without data", func(_, wide *solver.Problem) {
			var edges []graph.Edge
			for j := 1; j < emptyColumns; j++ {
				edges = append(edges, graph.Edge{I: int32(column(4) + j), J: int32(column(4) + j + 1), Weight: 1})
			}
			g, err := graph.New(features, edges)
			if err != nil {
				t.Fatal(err)
			}
			wide.Constraint = g.FusedLasso()
		}, 0},
		{"bounds above 0", func(narrow, wide *solver.Problem) {
			narrow.Domain, wide.Domain = solver.NewBox(15, -0.3, 0.3), box
		}, 0.1},
	} {
		a, b := narrow, *wide
		c.change(&a, &b)
		want := solvertest.Minimize(t, &a, &solver.Settings{RelTol: 1e-10})
		got := solvertest.Minimize(t, &b, &solver.Settings{RelTol: 1e-10})
		// In the last case, an empty column has a coefficient other than 0, which adds to the penalty.
		extraPenalty := b.Evaluate(got.X).Penalty - a.Evaluate(want.X).Penalty
		if c.emptyCoefficient == 0 {
			extraPenalty = 0
		}
		if math.Abs(got.At.Objective-want.At.Objective-extraPenalty) > 1e-9 {
			t.Errorf("%s: objective %v, %v without the columns", c.name, got.At.Objective, want.At.Objective)
		}
		for j, v := range got.X {
			switch {
			case j == column(2)+1:
				if v != c.emptyCoefficient {
					t.Errorf("%s: coefficient %v, want %v", c.name, v, c.emptyCoefficient)
				}
			case j%(1+emptyColumns) > 0 && v != 0:
				t.Fatalf("%s: a column without data has coefficient %v", c.name, v)
			case j%(1+emptyColumns) == 0 && math.Abs(v-want.X[j/(1+emptyColumns)]) > 1e-4:
				t.Errorf("%s: coefficient %v, %v without the columns", c.name, v, want.X[j/(1+emptyColumns)])
			}
		}
	}
}

// TestNoDataAtAll checks that the solution is zero if all data are zero: without any entry, or with one stored entry
// whose value is 0.
func TestNoDataAtAll(t *testing.T) {
	zero, err := sparse.New(3, 8, []int64{0, 0, 0, 1}, []int32{5}, []float64{0})
	if err != nil {
		t.Fatal(err)
	}
	empty, err := sparse.FromTriplets(3, 8, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, data := range []*sparse.CSR{zero, empty} {
		for _, a := range []solver.Operator{nil, sparse.Identity(8), solver.NewConstraint(sparse.Identity(8))} {
			res, err := solver.Minimize(t.Context(),
				&solver.Problem{Data: data, Labels: []float64{1, -1, 1}, Constraint: a, Penalty: solver.L1{Lambda: 0.1}},
				nil)
			if err != nil || fmt.Sprint(res.X) != fmt.Sprint(make([]float64, 8)) || len(res.Dual) != 8 {
				t.Errorf("%+v, %v", res, err)
			}
		}
	}
}
