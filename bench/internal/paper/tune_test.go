package paper

import (
	"math"
	"testing"

	"github.com/scas-admm/scas/solver"
)

// TestSearch: the search finds the minimum within the grid and beyond it.
func TestSearch(t *testing.T) {
	for _, c := range []struct {
		step, rho float64
		edge      string
	}{{2, 100, ""}, {64, 1, "step"}, {0.5, 1e6, "rho"}, {1. / 64, 1e-3, "step and rho"}} {
		g := &grid{steps: stepGrid, rhos: rhoGrid, seen: map[[2]int]float64{}}
		g.try = func(step, rho float64) (float64, error) {
			if step > 1e3 {
				return math.Inf(1), nil
			}
			u, v := math.Log(step/c.step), math.Log(rho/c.rho)
			return u*u + v*v + 0.2*u*v, nil
		}
		best, err := g.search()
		if err != nil {
			t.Fatal(err)
		}
		step, rho := at(g.steps, best[0]), at(g.rhos, best[1])
		if math.Abs(math.Log(step/c.step)) > 0.01 || math.Abs(math.Log(rho/c.rho)) > 0.2 || edge(best, len(stepGrid), len(rhoGrid)) != c.edge {
			t.Errorf("minimum at step %g, rho %g: found %g, %g, edge %q after %d runs", c.step, c.rho, step, rho, edge(best, len(stepGrid), len(rhoGrid)), len(g.seen))
		}
	}
}

// TestTune: the choice does no worse than what it was chosen from.
func TestTune(t *testing.T) {
	pr, d := tiny(t)
	h, err := d.Halve(0, 60)
	if err != nil {
		t.Fatal(err)
	}
	tr := pr.traits(solver.SCAS{}.Info().Name)
	got, err := Tune(t.Context(), h, 0, solver.SCAS{}, tr)
	if err != nil {
		t.Fatal(err)
	}
	for _, factor := range []float64{0.25, 4} {
		v, err := trial(t.Context(), h.Tune, solver.Settings{Method: solver.SCAS{}, Eta: got.Eta * factor, Rho: got.Rho, Passes: tr.TunePasses}, tr)
		if err != nil || v < got.Objective {
			t.Errorf("eta times %g reaches %g, the choice %g; %v", factor, v, got.Objective, err)
		}
	}
}
