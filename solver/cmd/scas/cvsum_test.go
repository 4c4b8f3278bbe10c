package main

import (
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/model"
)

// TestSumSteps checks how newStepReports sums the fits of two classes. If one fit has no optimum, the sum has
// none. The sum has the status of the fit that did not converge.
func TestSumSteps(t *testing.T) {
	goodColumn := model.StepColumn{
		Certificate: model.Certificate{Objective: 1, Gap: 0.5, Status: solver.Converged},
	}
	bad := model.StepColumn{Certificate: model.Certificate{Objective: 3, Gap: 1.5, Status: solver.Stalled, NoOptimum: true}}
	for _, columns := range [][]model.StepColumn{{goodColumn, bad}, {bad, goodColumn}} {
		sum := newStepReports([]*model.Step{{Columns: columns}}, true)[0]
		if !sum.NoOptimum || sum.Status != solver.Stalled || sum.Objective != 4 || sum.DualityGap != 2 {
			t.Errorf("%+v", sum)
		}
	}
}
