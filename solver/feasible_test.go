package solver_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
)

// TestMeansAreFeasible checks that X and XAverage of a result are in the domain. In half of the problems one
// column has values as large as timestamps.
func TestMeansAreFeasible(t *testing.T) {
	const rows, features = 60, 4
	seeds := uint64(4)
	if testing.Short() {
		seeds = 2
	}
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 9))
		values, labels := make([]float64, rows*features), make([]float64, rows)
		for i := range rows {
			for j := range features {
				values[i*features+j] = rng.NormFloat64()
			}
			if seed%2 > 0 {
				values[i*features] = 1.7e9 + 1e3*float64(i)
			}
			labels[i] = values[i*features+1] + 0.1*rng.NormFloat64()
		}
		x, err := sparse.FromDense(rows, features, values)
		if err != nil {
			t.Fatal(err)
		}
		for _, set := range []solver.Settings{
			{Method: solver.SCAS{}, Schedule: solver.Theorem, Passes: 2e4},
			{Method: solver.SCAS{}, Passes: 2000}, {Method: solver.SCASK{}, Passes: 200},
			{Method: solver.SCASL{}, Passes: 200}, {},
		} {
			if seed%2 > 0 && set.Schedule == solver.Theorem {
				continue // a single iteration would take 1e14 passes
			}
			p := &solver.Problem{
				Data: x, Labels: labels, Loss: solver.Huber{}, Penalty: solver.L1{Lambda: 1e-5},
				Domain: solver.Simplex{},
			}
			res, err := solver.Minimize(t.Context(), p, &set)
			if res == nil {
				t.Fatal(err)
			}
			for _, at := range [][]float64{res.X, res.XAverage} {
				if far := domainDistance(p.Domain, at); far > 1e-15 {
					t.Errorf("seed %d, %T, %s: %g from the simplex", seed, set.Method, set.Schedule, far)
				}
			}
			p.Domain = solver.NewBox(features, 0.1, 0.7)
			res, err = solver.Minimize(t.Context(), p, &set)
			if res == nil {
				t.Fatal(err)
			}
			if domainDistance(p.Domain, res.X)+domainDistance(p.Domain, res.XAverage) > 0 {
				t.Errorf("seed %d, %T, %s: %g and %g in a box", seed, set.Method, set.Schedule, res.X, res.XAverage)
			}
		}
	}
}

// TestBoundsByPenalty checks that a run with the penalty Within ends at a feasible x, or proves nothing.
func TestBoundsByPenalty(t *testing.T) {
	const rows, features = 80, 6
	proved := 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 1))
		values, labels := make([]float64, rows*features), make([]float64, rows)
		for i := range rows {
			for j := range features {
				values[i*features+j] = rng.NormFloat64()
			}
			labels[i] = 1
			if values[i*features]+0.5*rng.NormFloat64() > 0 {
				labels[i] = -1
			}
		}
		x, err := sparse.FromDense(rows, features, values)
		if err != nil {
			t.Fatal(err)
		}
		p := &solver.Problem{Data: x, Labels: labels, Penalty: solver.Within{Lower: -0.5, Upper: 0.5}}
		for _, set := range []solver.Settings{
			{Passes: 8}, {Passes: 20}, {Passes: 30}, {Method: solver.SCASK{}, Passes: 8}, {Method: solver.SCASK{}, Passes: 20},
		} {
			set.RelTol = 1e-3
			res, err := solver.Minimize(t.Context(), p, &set)
			if res == nil {
				t.Fatal(err)
			}
			if math.IsInf(res.DualityGap, 1) {
				continue
			}
			proved++
			if math.IsInf(p.Evaluate(res.X).Penalty, 1) {
				t.Errorf("seed %d, method %v, %g passes: gap %.3g at the infeasible point %v",
					seed, set.Method, set.Passes, res.DualityGap, res.X)
			}
		}
	}
	if proved < 30 {
		t.Errorf("%d gaps are proved: the test shows nothing", proved)
	}
}
