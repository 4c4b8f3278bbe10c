package main

import (
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/scas-admm/scas/bench/internal/measure"
	"github.com/scas-admm/scas/bench/internal/suite"
	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse/graph"
)

// TestOuterLoop checks that the plain Go loops take the solver's path: measure.Time returns an error if their
// last iterates differ.
func TestOuterLoop(t *testing.T) {
	sh := suite.A9A
	sh.Rows = 300
	x, labels := sh.Build(3)
	for name, a := range map[string]solver.Operator{"lasso": nil, "chain": graph.Chain(sh.Cols).FusedLasso()} {
		for _, m := range []solver.Method{solver.SCAS{}, solver.SCASK{}} {
			o := &outerLoop{
				name: name, problem: solver.Problem{Data: x, Labels: labels, Penalty: solver.L1{Lambda: 1e-3}, Constraint: a},
				settings: solver.Settings{Method: m, Eta: 0.3, Rho: 1e-2, Seed: 5}, iterations: 4,
			}
			series, err := measure.Time(o.newCase(t.Context()), measure.Options{Reps: 2})
			if err != nil || o.err != nil {
				t.Fatalf("%s, %s: %v, %v", name, m.Info().Name, err, o.err)
			}
			if len(series) != len(kernels.Available())+1 {
				t.Fatalf("series %+v", series)
			}
			for _, s := range series {
				if len(s.Times) != 8 || s.Min() <= 0 {
					t.Errorf("%s on %s: times %v", s.Level, name, s.Times)
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
	}
}
