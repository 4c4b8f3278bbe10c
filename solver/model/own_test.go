package model_test

import (
	"math"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/model"
	"github.com/scas-admm/scas/sparse"
)

// ownSquared is the squared loss as a caller's own, with its conjugate. It counts the
// samples at which it is evaluated.
type ownSquared struct {
	solver.Squared
	samples *int
}

func (l ownSquared) Slopes(slope, margin, label []float64) float64 {
	*l.samples += len(margin)
	return l.Squared.Slopes(slope, margin, label)
}

func (ownSquared) Conjugate(alpha, label float64) float64 { return alpha * (label + alpha/4) }

func (ownSquared) ConjugateDomain(float64) (lo, hi float64) { return math.Inf(-1), math.Inf(1) }

// TestOwnLossIntercept: an intercept costs a loss of the caller's own a few passes, for the
// model without features, whose lambda max is that of the same loss of package solver.
func TestOwnLossIntercept(t *testing.T) {
	for _, shift := range []float64{0, 50} {
		d, err := sparse.NewSynthetic(sparse.SyntheticOptions{Rows: 200, Features: 20, NonzerosPerRow: 5, Noise: 1, Regression: true, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		for i := range d.Labels {
			d.Labels[i] += shift
		}
		passes := func(none bool) float64 {
			samples := 0
			m, err := model.Fit(t.Context(), &model.Spec{Loss: ownSquared{samples: &samples}, Lambda: 0.1, NoIntercept: none}, d.X, d.Labels)
			if err != nil || m.Certificate.Status != solver.Converged {
				t.Fatal(err, m)
			}
			return float64(samples) / float64(len(d.Labels))
		}
		with, without := passes(false), passes(true)
		t.Logf("labels + %g: %g passes with an intercept, %g without", shift, with, without)
		if with > without+15 {
			t.Errorf("labels + %g: %g passes with an intercept, %g without", shift, with, without)
		}
		samples := 0
		own, err := model.LambdaMax(t.Context(), &model.Spec{Loss: ownSquared{samples: &samples}}, d.X, d.Labels)
		if err != nil {
			t.Fatal(err)
		}
		want, err := model.LambdaMax(t.Context(), &model.Spec{Loss: solver.Squared{}}, d.X, d.Labels)
		if err != nil || math.Abs(own/want-1) > 1e-12 {
			t.Errorf("labels + %g: lambda max %.16g, want %.16g; %v", shift, own, want, err)
		}
	}
}
