package model_test

import (
	"errors"
	"math"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/model"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// ownSquared is the squared loss as a type of the caller.
type ownSquared struct {
	solver.Squared
	slopeCalls *int // counts the calls of Slope, one for each sample
}

func (l ownSquared) Slope(margin, label float64) float64 {
	*l.slopeCalls++
	return l.Squared.Slope(margin, label)
}

func (ownSquared) Conjugate(alpha, label float64) float64 { return alpha * (label + alpha/4) }

func (ownSquared) ConjugateDomain(float64) (lo, hi float64) { return math.Inf(-1), math.Inf(1) }

// TestOwnLossIntercept checks that, for a loss of the caller, a fit with an intercept needs at most 15 passes
// more than a fit without an intercept, and that LambdaMax is the same as for solver.Squared.
func TestOwnLossIntercept(t *testing.T) {
	for _, shift := range []float64{0, 50} {
		d, err := sparse.NewSynthetic(sparse.SyntheticOptions{
			Rows: 200, Features: 20, NonzerosPerRow: 5, Noise: 1, Regression: true, Seed: 1,
		})
		if err != nil {
			t.Fatal(err)
		}
		for i := range d.Labels {
			d.Labels[i] += shift
		}
		passes := func(noIntercept bool) float64 {
			slopeCalls := 0
			m, err := model.Fit(t.Context(),
				&model.Spec{Loss: ownSquared{slopeCalls: &slopeCalls}, Lambda: 0.1, NoIntercept: noIntercept},
				d.X, d.Labels)
			if err != nil || m.Columns[0].Certificate.Status != solver.Converged {
				t.Fatal(err, m)
			}
			return float64(slopeCalls) / float64(len(d.Labels))
		}
		interceptPasses, plainPasses := passes(false), passes(true)
		t.Logf("labels + %g: %g passes with an intercept, %g without", shift, interceptPasses, plainPasses)
		if interceptPasses > plainPasses+15 {
			t.Errorf("labels + %g: %g passes with an intercept, %g without", shift, interceptPasses, plainPasses)
		}
		slopeCalls := 0
		ownSpec := &model.Spec{Loss: ownSquared{slopeCalls: &slopeCalls}}
		ownLambdaMax, err := model.LambdaMax(t.Context(), ownSpec, d.X, d.Labels)
		if err != nil {
			t.Fatal(err)
		}
		want, err := model.LambdaMax(t.Context(), &model.Spec{Loss: solver.Squared{}}, d.X, d.Labels)
		if err != nil || math.Abs(ownLambdaMax/want-1) > 1e-12 {
			t.Errorf("labels + %g: lambda max %.16g, want %.16g; %v", shift, ownLambdaMax, want, err)
		}
	}
}

// shrinkingLoss is the loss (b − t)² + t²/10 for a label b and a margin t.
type shrinkingLoss struct{ solver.Squared }

func (shrinkingLoss) Value(margin, label float64) float64 {
	return solver.Squared{}.Value(margin, label) + margin*margin/10
}

func (shrinkingLoss) Slope(margin, label float64) float64 { return 2*(margin-label) + margin/5 }

func (shrinkingLoss) SecondDerivative(_, _, _ float64) float64 { return 2.2 }

func (shrinkingLoss) Curvature() float64 { return 2.2 }

// TestOwnLossOffsets checks that a fit of shrinkingLoss with offsets has the coefficients of an equivalent
// fit of the squared loss without offsets. For a label b, shrinkingLoss is 1.1 times the squared loss for the
// label b/1.1, plus a constant.
func TestOwnLossOffsets(t *testing.T) {
	d, err := sparse.NewSynthetic(sparse.SyntheticOptions{Rows: 80, Features: 15, Noise: 0.5, Regression: true, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	offsets, equivalentLabels := make([]float64, 80), make([]float64, 80)
	for i, b := range d.Labels {
		offsets[i] = float64(i%5) - 1
		equivalentLabels[i] = b/1.1 - offsets[i] // with these labels, the squared loss needs no offsets
	}
	for _, g := range []*graph.Graph{nil, graph.Chain(15)} {
		want, err := model.Fit(t.Context(),
			&model.Spec{Loss: solver.Squared{}, Lambda: 0.1 / 1.1, Graph: g, Standardize: model.StandardizeOn},
			d.X, equivalentLabels)
		if err != nil {
			t.Fatal(err)
		}
		got, err := model.Fit(t.Context(),
			&model.Spec{Loss: shrinkingLoss{}, Lambda: 0.1, Offsets: offsets, Graph: g, Standardize: model.StandardizeOn},
			d.X, d.Labels)
		if err != nil && !errors.Is(err, solver.ErrNotConverged) {
			t.Fatal(err)
		}
		for j, v := range want.Columns[0].Coefficients {
			if math.Abs(got.Columns[0].Coefficients[j]-v) > 1e-4 {
				t.Fatalf("coefficients %.6f, want %.6f", got.Columns[0].Coefficients, want.Columns[0].Coefficients)
			}
		}
	}
}
