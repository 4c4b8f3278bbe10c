package solver_test

import (
	"math"
	"slices"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/solvertest"
	"github.com/scas-admm/scas/sparse"
)

// TestSampleWeights checks that a row with a weight in proportion to k has the same effect as k copies of the
// row.
func TestSampleWeights(t *testing.T) {
	p, _ := solvertest.PlantedProblem(t, sparse.SyntheticOptions{Rows: 60, Features: 15, Noise: 1, Seed: 14}, 1e-2)
	p.L2 = 0.05
	for _, loss := range solvertest.Losses(0, -1, 1) {
		p.Loss = loss
		p.SampleWeights = make([]float64, 60)
		var rows []int
		copiedProblem := *p
		copiedProblem.SampleWeights, copiedProblem.Labels = nil, nil
		for i := range 60 {
			p.SampleWeights[i] = float64(i%4) / 8
			for range i % 4 {
				rows = append(rows, i)
				copiedProblem.Labels = append(copiedProblem.Labels, p.Labels[i])
			}
		}
		var err error
		copiedProblem.Data, err = p.Data.SelectRows(rows)
		if err != nil {
			t.Fatal(err)
		}
		got, want := solvertest.Minimize(t, p, &solver.Settings{Passes: 2000}),
			solvertest.Minimize(t, &copiedProblem, &solver.Settings{Passes: 2000})
		if d := solvertest.Distance(got.X, want.X); d > 1e-9 {
			t.Errorf("%v: weighted and copied rows give solutions %.1e apart", loss, d)
		}
		if d := math.Abs(got.At.Objective - want.At.Objective); d > 1e-13 {
			t.Errorf("%v: objectives differ by %.1e", loss, d)
		}
	}
}

// TestBatchesOfWeightedSamples checks that the automatic step size of steps with many samples depends on the
// sample weights. Here, rows with large values have nearly all the weight. A step size that ignored the
// weights would be too long, and would have to be halved.
func TestBatchesOfWeightedSamples(t *testing.T) {
	const n, features = 1000, 20
	p, s := solvertest.PlantedProblem(t,
		sparse.SyntheticOptions{Rows: n, Features: features, Noise: 1, Seed: 14, Regression: true}, 1e-2)
	dense := make([]float64, 0, n*features)
	p.SampleWeights = slices.Repeat([]float64{1}, n)
	for i := range n {
		row, factor := make([]float64, features), 1.0
		if i%100 == 0 {
			p.SampleWeights[i], factor = 1000, 30
		}
		idx, val := s.X.Row(i)
		for k, j := range idx {
			row[j] = factor * val[k]
		}
		dense = append(dense, row...)
	}
	var err error
	p.Data, err = sparse.FromDense(n, features, dense)
	if err != nil {
		t.Fatal(err)
	}
	optimum := solvertest.Minimize(t, p, &solver.Settings{RelTol: 1e-10}).At.Objective
	res := solvertest.Minimize(t, p, &solver.Settings{Method: solver.SCASK{}, BatchSize: 64, Passes: 30})
	if res.Stats.StepHalvings > 0 || res.At.Objective > 2*optimum {
		t.Errorf("objective %v after %d halvings, optimum %v; %s",
			res.At.Objective, res.Stats.StepHalvings, optimum, res.Stats.PlanReason)
	}
}

// TestProjections checks that projecting the projection Px of x does not move it, and that (x − Px)'(z − Px)
// ≤ 0 for points z of the set.
func TestProjections(t *testing.T) {
	s, err := sparse.NewSynthetic(sparse.SyntheticOptions{Rows: 100, Features: 15, Seed: 15})
	if err != nil {
		t.Fatal(err)
	}
	point := func(i int) []float64 { _, v := s.X.Row(i); return slices.Clone(v) }
	for _, d := range []solver.Domain{
		solver.NewBox(15, -0.4, 0.7), solver.Ball{Radius: 1.5}, (solver.Nonnegative{}), (solver.Simplex{}),
		solver.Simplex{Total: 3},
	} {
		for i := range 50 {
			x, z := point(i), point(i+50)
			px := slices.Clone(x)
			d.Project(px)
			d.Project(z)
			secondProjection := slices.Clone(px)
			d.Project(secondProjection)
			if solvertest.Distance(px, secondProjection) > 1e-14 {
				t.Errorf("%T: projecting twice moves by %.1e", d, solvertest.Distance(px, secondProjection))
			}
			var inner float64
			for j := range x {
				inner += (x[j] - px[j]) * (z[j] - px[j])
			}
			if inner > 1e-12 {
				t.Errorf("%T: not the nearest point: %v", d, inner)
			}
		}
	}
}
