package solver_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
)

// separatedRows are the rows in which the function separatedData sets feature 1 or 2.
var separatedRows = []int{0, 1, 2, 3, 4}

// separatedData returns data with five features, in which features 1 and 2 separate the few rows in which
// they occur. If clearRows is true, these rows have no entries.
func separatedData(t *testing.T, clearRows bool) (*sparse.CSR, []float64) {
	t.Helper()
	const n, p = 24, 5
	rng := rand.New(rand.NewPCG(3, 1))
	x, labels := make([]float64, n*p), make([]float64, n)
	for i := range n {
		row := x[i*p : (i+1)*p]
		row[0], row[3], row[4] = rng.NormFloat64(), 1, rng.NormFloat64()
		labels[i] = math.Copysign(1, row[0]+2*rng.NormFloat64())
	}
	labels[0], labels[1] = 1, -1
	for k, v := range []float64{1.4, 1, 0.7} {
		x[k*p+1] = labels[k] * v
	}
	x[2*p+2] = -0.5 * labels[2]
	x[3*p+2], x[4*p+2] = labels[3], 3*labels[4]
	if clearRows {
		for _, i := range separatedRows {
			clear(x[i*p : (i+1)*p])
		}
	}
	m, err := sparse.FromDense(n, p, x)
	if err != nil {
		t.Fatal(err)
	}
	return m, labels
}

// TestSeparatedByFree checks problems with free features that separate the few rows in which they occur. The
// gap must be proved, and the optimum must be the optimum without the losses of these rows.
func TestSeparatedByFree(t *testing.T) {
	a, err := sparse.FromDense(2, 5, []float64{1, 0, 0, 0, -1, 1, 0, 0, 0, 0})
	if err != nil {
		t.Fatal(err)
	}
	box := solver.NewBox(5, math.Inf(-1), math.Inf(1))
	box.Lower[0], box.Upper[4] = -0.01, 0.01
	weights := []float64{1, 0, 0, 0, 1}
	for _, loss := range []solver.Loss{solver.SquaredHinge{}, solver.Logistic{}} {
		for k, p := range []*solver.Problem{
			{Penalty: solver.L1{Lambda: 0.05, Weights: weights}},
			{Penalty: solver.L1{Lambda: 0.05}, Constraint: a},
			{Penalty: solver.ElasticNet{L1: 0.05, L2: 0.1}, Constraint: a},
			{Penalty: solver.GroupL2{Lambda: 0.05, Groups: [][]int{{0, 4}}}},
			{Penalty: solver.L1{Lambda: 0.05, Weights: weights}, Domain: box},
		} {
			for _, tol := range []float64{1e-3, 1e-6, 1e-9} {
				name := fmt.Sprintf("%v, problem %d, tolerance %g", loss, k, tol)
				p.Loss = loss
				p.Data, p.Labels = separatedData(t, true)
				otherRowsResult, err := solver.Minimize(t.Context(), p, &solver.Settings{RelTol: 1e-12})
				if err != nil {
					t.Fatalf("%s: the other rows: %v", name, err)
				}
				optimum := otherRowsResult.At.Objective
				for _, i := range separatedRows {
					optimum -= loss.Value(0, p.Labels[i]) / float64(len(p.Labels))
				}
				p.Data, p.Labels = separatedData(t, false)
				res, err := solver.Minimize(t.Context(), p, &solver.Settings{RelTol: tol})
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				if excess := res.At.Objective - optimum; excess > res.DualityGap+1e-14 || excess < -2e-12 {
					t.Errorf("%s: objective %.15g, gap %g, want %.15g", name, res.At.Objective, res.DualityGap, optimum)
				}
			}
		}
	}
}

// normalProblem returns a problem with 30 rows of p normal random numbers. It calls change for every row and
// its label; change may change the row.
func normalProblem(t *testing.T, p int, loss solver.Loss, change func(row []float64, label float64)) *solver.Problem {
	t.Helper()
	const n = 30
	rng := rand.New(rand.NewPCG(8, 2))
	dense, labels := make([]float64, n*p), make([]float64, n)
	for i := range labels {
		row := dense[i*p : (i+1)*p]
		for j := range row {
			row[j] = rng.NormFloat64()
		}
		labels[i] = math.Copysign(1, row[0]+rng.NormFloat64())
		change(row, labels[i])
	}
	x, err := sparse.FromDense(n, p, dense)
	if err != nil {
		t.Fatal(err)
	}
	return &solver.Problem{Data: x, Labels: labels, Loss: loss}
}

// TestFreeColumnsThatDepend checks that the error says what to do for two problems that do not converge. In
// the first, one free column is the negative of another, and x ≥ 0. In the second, a constant and another
// free column together separate samples.
func TestFreeColumnsThatDepend(t *testing.T) {
	oppositeProblem := normalProblem(t, 4, solver.Logistic{}, func(row []float64, _ float64) { row[1] = -row[0] })
	oppositeProblem.Domain, oppositeProblem.Penalty = solver.Nonnegative{},
		solver.L1{Lambda: 1e-2, Weights: []float64{0, 0, 1, 1}}
	separatingProblem := normalProblem(t, 3, solver.Logistic{}, func(row []float64, label float64) {
		row[1], row[2] = 1, 1
		if row[0] > 0.3 && label > 0 {
			row[2] = 0
		}
	})
	separatingProblem.Penalty = solver.L1{Lambda: 1e-2, Weights: []float64{1, 0, 0}}
	for _, p := range []*solver.Problem{oppositeProblem, separatingProblem} {
		res, err := solver.Minimize(t.Context(), p, nil)
		if !errors.Is(err, solver.ErrNotConverged) || !strings.Contains(err.Error(), "leave some of them out") {
			t.Errorf("%+v: %v", res.At, err)
		}
	}
}
