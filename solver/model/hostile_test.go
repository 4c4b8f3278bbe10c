package model

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/term"
)

// TestHostileProblems checks that fits of extreme data end with finite numbers. A second, more accurate fit
// must have no objective below Objective − Gap of the first. Fits with lambda ≥ 0.001 must converge.
func TestHostileProblems(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	rounds := 300
	if testing.Short() {
		rounds = 100
	}
	for round := range rounds {
		n, p := 1+rng.IntN(12), 1+rng.IntN(15)
		data, y := make([]float64, n*p), make([]float64, n)
		scale := math.Pow(10, float64(rng.IntN(13)-6))
		for i := range data {
			if rng.IntN(3) > 0 {
				data[i] = scale * rng.NormFloat64()
			}
			if rng.IntN(10) == 0 {
				data[i] *= 1e6
			}
		}
		loss := losses[rng.IntN(len(losses))]
		for i := range y {
			y[i] = 100 * rng.NormFloat64()
			switch term.LossOf(loss).Traits().Labels {
			case term.Classes:
				y[i] = float64(i % 2)
			case term.Counts:
				y[i] = math.Abs(y[i]) / 10
			}
		}
		if n == 1 && classifies(loss) {
			continue
		}
		x := denseMatrix(t, n, p, data)
		spec := &Spec{
			Loss: loss, Lambda: []float64{0, 1e-8, 1e-3, 0.1, 10}[rng.IntN(5)], NoIntercept: rng.IntN(2) == 0,
			Standardize: []Standardize{StandardizeOn, StandardizeOff}[rng.IntN(2)],
		}
		if rng.IntN(3) == 0 {
			spec.Penalty = ElasticNet{L1Ratio: float64(rng.IntN(3)) / 2}
		}
		if rng.IntN(3) == 0 && n > 3 {
			spec.SampleWeights = make([]float64, n)
			for i := range n {
				spec.SampleWeights[i] = float64(rng.IntN(2))
			}
			spec.SampleWeights[0], spec.SampleWeights[1] = 1, 1e-6
		}
		m, err := Fit(context.Background(), spec, x, y)
		if err != nil && !errors.Is(err, solver.ErrNotConverged) {
			t.Errorf("round %d: %v", round, err)
			continue
		}
		c := m.Columns[0].Certificate
		if (err == nil) != (c.Status == solver.Converged) || !finite(c.Objective) ||
			!finite(m.Columns[0].Intercept) || math.IsNaN(c.Gap) || c.Gap < 0 {
			t.Errorf("round %d: %+v, %v", round, c, err)
		}
		for _, b := range m.Columns[0].Coefficients {
			if !finite(b) {
				t.Errorf("round %d: coefficients %v", round, m.Columns[0].Coefficients)
				break
			}
		}
		finerSpec := *spec
		finerSpec.RelTol = 1e-12
		bestModel, _ := Fit(context.Background(), &finerSpec, x, y)
		if bestModel == nil {
			t.Errorf("round %d: nothing at a finer tolerance", round)
		} else if bestModel.Columns[0].Certificate.Objective < c.Objective-c.Gap-1e-13*math.Abs(c.Objective) {
			t.Errorf("round %d: objective %.15g, gap %.3e, but %.15g is there: %+v",
				round, c.Objective, c.Gap, bestModel.Columns[0].Certificate.Objective, spec)
		}
		if spec.Lambda >= 1e-3 && c.Status != solver.Converged {
			t.Errorf("round %d: n %d, p %d, %v, lambda %g, ratio %g, standardize %s, intercept %v, scale %g: %v", round, n, p, loss, spec.Lambda, spec.l1Ratio(), spec.Standardize, !spec.NoIntercept, scale, err)
		}
	}
}
