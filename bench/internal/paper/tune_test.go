package paper

import (
	"math"
	"testing"

	"github.com/scas-admm/scas/solver"
)

// bowl is a search for the minimum of a smooth function of two outputs, which lies
// elsewhere for each.
func bowl(step, rho float64) *grid {
	g := &grid{steps: stepGrid, rhos: rhoGrid, seen: map[place]reached{}}
	at := func(step, rho, u, v float64) float64 {
		x, y := math.Log(u/step), math.Log(v/rho)
		return x*x + y*y + 0.2*x*y
	}
	g.try = func(u, v float64) (reached, error) {
		return reached{Last: at(step, rho, u, v), Average: at(0.5, 10, u, v)}, nil
	}
	return g
}

// TestSearch: the search finds the minimum of each output within the grid, goes no
// further than its edge, and says so; going down from anywhere finds the same.
func TestSearch(t *testing.T) {
	for _, c := range []struct {
		step, rho   float64 // the minimum
		at, by      float64 // the choice
		edge, bound string
	}{
		{2, 100, 2, 100, "", ""}, {64, 1, 8, 3, "step", "step at its bound"},
		{0.5, 1e6, 0.25, 1e4, "rho", "rho"}, {1. / 512, 1e-3, 1. / 64, 0.1, "step and rho", "step and rho"},
	} {
		g := bowl(c.step, c.rho)
		best, err := g.search(Last)
		if err != nil {
			t.Fatal(err)
		}
		if step, rho := g.steps[best[0]], g.rhos[best[1]]; c.edge == "" && (step != c.at || rho != c.by) || g.edge(best, false) != c.edge || g.edge(best, true) != c.bound {
			t.Errorf("minimum at step %g, rho %g: found %g, %g, edge %q, %q", c.step, c.rho, step, rho, g.edge(best, false), g.edge(best, true))
		}
		if other, _ := g.search(Average); g.steps[other[0]] != 0.5 || g.rhos[other[1]] != 10 {
			t.Errorf("the average's minimum is found at %v", other)
		}
		if again, _ := bowl(c.step, c.rho).descend(place{3, 5}, Last); again != best {
			t.Errorf("going down ends at %v, searching at %v", again, best)
		}
	}
}

// TestInward: of pairs within noise of the best that is taken which is at fewest edges,
// and nothing is moved without noise.
func TestInward(t *testing.T) {
	g := bowl(64, 100)
	best, err := g.search(Last)
	if err != nil || g.edge(best, false) != "step" {
		t.Fatal(best, err)
	}
	inner := place{best[0] - 1, best[1]}
	rise := g.seen[inner][Last] - g.seen[best][Last]
	if at := g.inward(best, Last, rise/2); at != best {
		t.Errorf("moved to %v with half the noise", at)
	}
	if at := g.inward(best, Last, rise*(1+1e-12)); g.edges(at) != 0 || at[0] != inner[0] {
		t.Errorf("not moved from %v: %v", best, at)
	}
}

// TestTune: the choice for an output does no worse at it than what it was chosen from,
// and on the training half no worse than the choice on samples does there.
func TestTune(t *testing.T) {
	pr, d := tiny(t)
	h, err := d.Halve(0, 60)
	if err != nil {
		t.Fatal(err)
	}
	for _, by := range []Output{Last, Average} {
		u, err := newTuner(t.Context(), h, 0, pr.Traits(solver.SCAS{}.Info().Name), pr.Coarse)
		if err != nil {
			t.Fatal(err)
		}
		got, err := u.tune(t.Context(), Sampled, by)
		if err != nil {
			t.Fatal(err)
		}
		for at, reached := range u.samples.seen {
			if reached[by] < got.Objective-got.Noise {
				t.Errorf("by %s, %v at %v is better than the choice, %g", by, reached[by], at, got.Objective)
			}
		}
		whole, err := u.tune(t.Context(), Whole, by)
		if err != nil {
			t.Fatal(err)
		}
		there, err := u.trial(t.Context(), h.train(0), got.Step, got.Penalty, runSeed)
		if err != nil || there[by] < whole.Objective-2*tie {
			t.Errorf("by %s the half's own choice reaches %g, that of the samples %g, %v", by, whole.Objective, there[by], err)
		}
	}
}
