package outer

import (
	"math"
	"strings"
	"testing"

	"github.com/scas-admm/scas/bench/internal/measure"
	"github.com/scas-admm/scas/bench/internal/shape"
	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse/graph"
)

func jobs(t *testing.T) []Job {
	t.Helper()
	sh := shape.A9A
	sh.Rows = 300
	x, labels := sh.Build(3)
	var list []Job
	for name, a := range map[string]solver.Operator{"lasso": nil, "chain": graph.Chain(sh.Cols).FusedLasso()} {
		for _, m := range []solver.Method{solver.SCAS{}, solver.SCASK{}} {
			list = append(list, Job{
				Name: name, Problem: &solver.Problem{Data: x, Labels: labels, Penalty: solver.L1{Lambda: 1e-3}, Constraint: a},
				Settings: solver.Settings{Method: m, Eta: 0.3, Rho: 1e-2, Seed: 5},
			})
		}
	}
	return list
}

func TestNaiveTakesTheSolversPath(t *testing.T) {
	for _, j := range jobs(t) {
		t.Run(j.Name+"/"+j.Settings.Method.Info().Name, func(t *testing.T) {
			res, x, ns, err := j.solve(t.Context(), 4)
			if err != nil {
				t.Fatal(err)
			}
			if len(ns) != 4 {
				t.Fatalf("%d times for 4 outer iterations", len(ns))
			}
			m := newNaiveSolver(j, res.Stats.DualUpdates)
			m.time(4)
			var scale float64
			for _, v := range x {
				scale = max(scale, math.Abs(v))
			}
			if scale < 1e-3 {
				t.Fatalf("the solver went nowhere: |x| <= %g", scale)
			}
			for k, v := range x {
				if !(math.Abs(m.x[k]-v) <= 1e-9*scale) {
					t.Fatalf("x[%d] is %g, the solver's %g", k, m.x[k], v)
				}
			}
		})
	}
}

func TestTime(t *testing.T) {
	for _, j := range jobs(t) {
		got, err := Time(t.Context(), j, Options{Reps: 2, Iterations: 3})
		if err != nil {
			t.Fatal(err)
		}
		levels := kernels.Available()
		if len(got.Series) != len(levels)+1 || got.Series[len(levels)].Level != measure.Naive {
			t.Fatalf("series %+v", got.Series)
		}
		for _, s := range got.Series {
			if len(s.Times) != 6 || s.Min() <= 0 {
				t.Errorf("%s on %s: times %v", s.Level, j.Name, s.Times)
			}
		}
		if !strings.Contains(got.Plan, ", dual updates: ") || got.Case.Kernel != "Outer-"+j.Settings.Method.Info().Name {
			t.Errorf("plan %q, %s", got.Plan, got.Case.Kernel)
		}
	}
}

func TestTimeReportsABadJob(t *testing.T) {
	j := jobs(t)[0]
	j.Settings.Eta = -1
	if _, err := Time(t.Context(), j, Options{Reps: 1, Iterations: 1}); err == nil {
		t.Error("a negative step size is timed")
	}
}
