package model

import (
	"math"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse/graph"
)

// TestStart checks that a fit that starts from the model for another lambda reaches the same optimum, and
// that a fit that starts from its own result needs at most a few steps. It also checks several classes
// and fits by solver.Minimize.
func TestStart(t *testing.T) {
	x, y := random(t, 200, 9, 4, true)
	classes := make([]float64, len(y))
	for i := range classes {
		classes[i] = float64((i * i / 7) % 3)
	}
	for name, c := range map[string]struct {
		spec   Spec
		labels []float64
	}{
		"lasso": {Spec{}, y}, "graph": {Spec{Graph: graph.Chain(9)}, y}, "no intercept": {Spec{NoIntercept: true}, y}, "classes": {Spec{}, classes},
		"solver": {Spec{Settings: solver.Settings{OuterIterations: byMinimize}}, y},
	} {
		spec := c.spec
		spec.Lambda, spec.RelTol = 0.02, 1e-9
		want := mustFit(t, &spec, x, c.labels)
		other := spec
		other.Lambda = 0.04
		spec.Start = mustFit(t, &other, x, c.labels)
		near := mustFit(t, &spec, x, c.labels)
		spec.Start = near
		again := mustFit(t, &spec, x, c.labels)
		for k := range want.Columns {
			w, n, a := want.Columns[k], near.Columns[k], again.Columns[k]
			if math.Abs(n.Certificate.Objective-w.Certificate.Objective) > n.Certificate.Gap+w.Certificate.Gap {
				t.Errorf("%s: objective %v, from another lambda %v", name, w.Certificate.Objective, n.Certificate.Objective)
			}
			if a.Run.NewtonSteps > 2 || a.Run.NewtonSteps >= w.Run.NewtonSteps {
				t.Errorf("%s: %d Newton steps, from the result %d", name, w.Run.NewtonSteps, a.Run.NewtonSteps)
			}
		}
	}
	if _, err := Fit(t.Context(), &Spec{Start: &Model{Columns: []Column{{Coefficients: []float64{1}}}}}, x, y); err == nil {
		t.Error("a start of other features is not refused")
	}
}
