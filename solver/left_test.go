package solver_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
)

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

// TestScaledColumnsOnSimplexAndBall checks that runs on a simplex and on a ball converge if columns are
// multiplied by factors from 1e-8 to 1e8.
func TestScaledColumnsOnSimplexAndBall(t *testing.T) {
	for _, d := range []solver.Domain{solver.Simplex{Total: 2}, solver.Ball{Radius: 2}} {
		for seed := range uint64(20) {
			rng, scale := rand.New(rand.NewPCG(seed, 1)), make([]float64, 6)
			for j := range scale {
				scale[j] = math.Pow(10, 16*rng.Float64()-8)
			}
			p := normalProblem(t, 6, solver.Logistic{}, func(row []float64, _ float64) {
				for j, s := range scale {
					row[j] *= s
				}
			})
			p.Domain, p.Penalty = d, solver.L1{Lambda: 1e-3}
			if _, err := solver.Minimize(t.Context(), p, nil); err != nil {
				t.Errorf("%T, seed %d: %v", d, seed, err)
			}
		}
	}
}

// TestFreeColumnsThatDepend checks two problems for which no gap can be proved. The error must say what to
// do. In the first, one free column is the negative of another, and x ≥ 0. In the second, a constant and
// another free column together separate samples.
func TestFreeColumnsThatDepend(t *testing.T) {
	opposite := normalProblem(t, 4, solver.Logistic{}, func(row []float64, _ float64) { row[1] = -row[0] })
	opposite.Domain, opposite.Penalty = solver.Nonnegative{}, solver.L1{Lambda: 1e-2, Weights: []float64{0, 0, 1, 1}}
	together := normalProblem(t, 3, solver.Logistic{}, func(row []float64, label float64) {
		if row[1], row[2] = 1, 1; row[0] > 0.3 && label > 0 {
			row[2] = 0
		}
	})
	together.Penalty = solver.L1{Lambda: 1e-2, Weights: []float64{1, 0, 0}}
	for _, p := range []*solver.Problem{opposite, together} {
		res, err := solver.Minimize(t.Context(), p, nil)
		if !errors.Is(err, solver.ErrNotConverged) || !strings.Contains(err.Error(), "leave some of them out") {
			t.Errorf("%+v: %v", res.At, err)
		}
	}
}
