package main

import (
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/scas-admm/scas/bench/internal/measure"
	"github.com/scas-admm/scas/bench/internal/suite"
	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver"
)

// TestOuterLoop checks the times and the last iterate of an outer loop. TestEndToEnd has all loops;
// measure.Time returns an error if the plain Go loops do not take the solver's path.
func TestOuterLoop(t *testing.T) {
	sh := suite.A9A
	sh.Rows = 300
	x, labels := sh.Build(3)
	o := &outerLoop{
		name: "lasso", problem: solver.Problem{Data: x, Labels: labels, Penalty: solver.L1{Lambda: 1e-3}},
		settings: solver.Settings{Method: solver.SCAS{}, Eta: 0.3, Rho: 1e-2, Seed: 5}, iterations: 4,
	}
	series, err := measure.Time(o.newCase(t.Context()), measure.Options{Reps: 2})
	if err != nil || o.err != nil {
		t.Fatalf("%v, %v", err, o.err)
	}
	if len(series) != len(kernels.Available())+1 {
		t.Fatalf("series %+v", series)
	}
	for _, s := range series {
		if len(s.Times) != 8 || s.Min() <= 0 {
			t.Errorf("%s: times %v", s.Level, s.Times)
		}
	}
	o.solve(t.Context())
	if scale := floats.Norm(o.x, 2); scale < 1e-3 {
		t.Errorf("the solver went nowhere: |x| = %g", scale)
	}
	o.settings.Eta = -1
	o.solve(t.Context())
	if o.err == nil {
		t.Error("a negative step size is timed")
	}
}
