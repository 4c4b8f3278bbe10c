package admm

import (
	"math"
	"testing"

	"github.com/scas-admm/scas/sparse"
)

// TestRowCurvature checks weightedMean for short rows and one long row, for the short rows alone (the long
// row has the weight zero), and for φ″ = 0.
func TestRowCurvature(t *testing.T) {
	x, err := sparse.FromDense(4, 1, []float64{1, 1, 1, 10})
	if err != nil {
		t.Fatal(err)
	}
	unitCurvature := func(int) float64 { return 1 }
	if got, want := NewRowCurvature(x, nil).weightedMean(unitCurvature), (3+1e4)/(3+1e2); math.Abs(got-want) > 1e-12*want {
		t.Errorf("mean %v, want %v", got, want)
	}
	if got := NewRowCurvature(x, []float64{1, 2, 3, 0}).weightedMean(unitCurvature); got != 1 {
		t.Errorf("mean %v without the long row, want 1", got)
	}
	if got := NewRowCurvature(x, nil).weightedMean(func(int) float64 { return 0 }); got != 0 {
		t.Errorf("mean %v where the loss is flat, want 0", got)
	}
}

// TestCurvatureOfRowsWithWeight checks that rows of weight 0 of a large matrix take no part in the choice of
// rows: with equal distances among all rows, every chosen row could have weight 0.
func TestCurvatureOfRowsWithWeight(t *testing.T) {
	const n = 4 * CurvatureRows
	values, weights := make([]float64, n), make([]float64, n)
	for i := range values {
		values[i], weights[i] = 2, float64(i%2)
	}
	x, err := sparse.FromDense(n, 1, values)
	if err != nil {
		t.Fatal(err)
	}
	c := NewRowCurvature(x, weights)
	if got := c.weightedMean(func(int) float64 { return 1 }); got != 4 || len(c.rows) < CurvatureRows ||
		len(c.rows) > 2*CurvatureRows {
		t.Errorf("mean %v over %d rows, want 4", got, len(c.rows))
	}
}

// TestEta checks the step size if the curvature limits it, and if Stiffness limits it. It also checks that a
// step with several samples may be longer.
func TestEta(t *testing.T) {
	for name, c := range map[string]struct {
		step StepSize
		want float64
	}{
		"curvature": {StepSize{Curvature: 3, BatchSize: 1, Factor: 1.5, Stiffness: 0.1}, 0.5},
		"mu":        {StepSize{Curvature: 2, Mu: 1, BatchSize: 1, Factor: 1.5, Stiffness: 0.1}, 0.5},
		"stiff":     {StepSize{Curvature: 3, BatchSize: 1, Factor: 1.5, Stiffness: 4}, 0.25},
		"lazy":      {StepSize{Curvature: 3, BatchSize: 1, Factor: 1.5, Stiffness: 1, Lazy: true}, 0.499},
		"batch": {
			StepSize{Curvature: 4, MeanCurvature: 2, BatchSize: 2, Factor: 1.5, Stiffness: 0.1}, 0.5,
		},
		"flat":     {StepSize{BatchSize: 1, Factor: 1.5, Stiffness: 2}, 0.5},
		"no limit": {StepSize{BatchSize: 1, Factor: 1.5}, 1},
	} {
		if got := c.step.Eta(); got != c.want {
			t.Errorf("%s: eta %v, want %v", name, got, c.want)
		}
	}
}

// TestEtaOfLinearisedPenalty checks that the automatic step size fits a lazyPlan, which is the plan for a
// linearised penalty.
func TestEtaOfLinearisedPenalty(t *testing.T) {
	s := &OuterLoop{
		SnapshotCurvature: func() float64 { return 1e-3 }, Keeper: &Keeper{}, BatchSize: 1,
		Scales:   Scales{Samples: 80, Features: 15, Lambda1: 4, LambdaP: 1},
		DualStep: &DualStep{rho: 0.5},
	}
	s.Linearise()
	l := newLoop(t)
	l.Kappa, l.Ridge = s.Kappa, 0
	plan := newLazy(newDiagonalBase(l, l.diagonalOfK()))
	if eta := s.NaturalEta(0); !plan.fits(eta) {
		t.Errorf("eta = %v, kappa = %v", eta, s.Kappa)
	}
}

func TestDualUpdates(t *testing.T) {
	for _, c := range []struct {
		steps, stepCost, updateCost float64
		want                        int
	}{{1e5, 14, 246, 40}, {1e5, 14, 1e5, 14}, {100, 14, 1, 12}, {2, 1, 1, 1}, {1e5, 14, 1e9, 1}} {
		if got := DualUpdates(c.steps, c.stepCost, c.updateCost); got != c.want {
			t.Errorf("%v: K = %d", c, got)
		}
	}
}
