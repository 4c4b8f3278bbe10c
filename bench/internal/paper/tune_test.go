package paper

import (
	"errors"
	"math"
	"testing"

	"github.com/scas-admm/scas/solver"
)

// bowl returns a grid with a smooth objective. The objective of the last iterate has its minimum at the given
// step and rho. The objective of the average has its minimum at step 0.5 and rho 10.
func bowl(step, rho float64) *grid {
	g := &grid{ladders: [2]ladder{stepLadder, rhoLadder}, stride: 1, results: map[rungPair]objectives{}}
	objective := func(step, rho, u, v float64) float64 {
		x, y := math.Log(u/step), math.Log(v/rho)
		return x*x + y*y + 0.2*x*y
	}
	g.try = func(u, v float64) (objectives, error) {
		return objectives{Last: objective(step, rho, u, v), Average: objective(0.5, 10, u, v)}, nil
	}
	return g
}

// TestSearch checks that search finds the minimum for each output, also outside the range from ladder.First
// to ladder.Last, and that refine finds the same place. If the minimum lies below ladder.Bottom or above
// ladder.Top, search must stop at this end.
func TestSearch(t *testing.T) {
	for _, c := range []struct {
		step, rho      float64 // where the minimum is
		edgeParameters string
	}{
		{2, 100, ""}, {256, 0.01, ""}, {1e9, 1, "step"}, {0.5, 1e12, "rho"}, {1e-9, 1e-12, "step and rho"},
	} {
		g := bowl(c.step, c.rho)
		best, err := g.search(Last)
		if err != nil {
			t.Fatal(err)
		}
		if step, rho := stepLadder.Value(best[0]), rhoLadder.Value(best[1]); c.edgeParameters == "" &&
			(step != c.step || rho != c.rho) || g.edgeParameters(best) != c.edgeParameters {
			t.Errorf("minimum at step %g, rho %g: found %g, %g, edge %q",
				c.step, c.rho, step, rho, g.edgeParameters(best))
		}
		averageBest, _ := g.search(Average)
		if stepLadder.Value(averageBest[0]) != 0.5 || rhoLadder.Value(averageBest[1]) != 10 {
			t.Errorf("the average's minimum is found at %v", averageBest)
		}
		if refined, _ := bowl(c.step, c.rho).refine(rungPair{3, 5}, Last); refined != best {
			t.Errorf("going down ends at %v, searching at %v", refined, best)
		}
	}
}

// TestSearchDiverging checks that search finds the minimum at step size 1/64 if runs with all larger step
// sizes diverge, and that search ends if all runs diverge.
func TestSearchDiverging(t *testing.T) {
	for _, largest := range []float64{1.0 / 64, 0} {
		g := bowl(1.0/64, 100)
		finiteTry := g.try
		g.try = func(step, rho float64) (objectives, error) {
			if step > largest {
				return objectives{Last: math.Inf(1)}, nil
			}
			return finiteTry(step, rho)
		}
		best, err := g.search(Last)
		switch {
		case err != nil:
			t.Fatal(err)
		case largest > 0 && (stepLadder.Value(best[0]) != largest || rhoLadder.Value(best[1]) != 100):
			t.Errorf("steps above %g diverge: ends at %v", largest, best)
		case largest == 0 && !math.IsInf(g.results[best][Last], 1):
			t.Errorf("every step diverges: ends at %v, objective %g", best, g.results[best][Last])
		}
	}
}

// TestSmallGain checks that a search ends at rhoLadder.First if smaller values of rho gain less than
// smallGain, and that refine moves away from step sizes with which runs diverge.
func TestSmallGain(t *testing.T) {
	g := bowl(1, 1)
	g.try = func(step, rho float64) (objectives, error) {
		if step > 1 {
			return objectives{Last: math.Inf(1)}, nil
		}
		return objectives{Last: smallGain * rho}, nil
	}
	best, err := g.search(Last)
	if err != nil || best[1] != rhoLadder.First {
		t.Errorf("ends at %v, %v", best, err)
	}
	best, _ = g.refine(rungPair{5, 0}, Last)
	if best[0] > 0 {
		t.Errorf("stays at %v, where it diverges", best)
	}
}

// TestTune checks that the rule Sampled chooses parameters that are at least as good as all parameters that
// it tried, up to smallGain. On the training half, the choice of the rule OnHalf must be at least as good as
// the choice of Sampled.
func TestTune(t *testing.T) {
	pr, d := tinySetup(t)
	h, err := d.Halve(t.Context(), 0, 60)
	if err != nil {
		t.Fatal(err)
	}
	for _, output := range []Output{Last, Average} {
		u, err := pr.newRunner(t.Context(), h, 0, solver.SCAS{}.Info().Name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := u.tune(Sampled, output)
		if err != nil {
			t.Fatal(err)
		}
		for rungs, reached := range u.sampleGrid.results {
			if reached[output] < got.Objective-smallGain {
				t.Errorf("by %s, %v at %v is better than the choice, %g", output, reached[output], rungs, got.Objective)
			}
		}
		onHalf, err := u.tune(OnHalf, output)
		if err != nil {
			t.Fatal(err)
		}
		budget := solver.Settings{Passes: pr.Passes}
		values, err := u.trial(t.Context(), h.Train, budget, got.Step, got.Penalty)
		if err != nil || values[output] < onHalf.Objective-rounding {
			t.Errorf("by %s the half's own choice reaches %g, that of the samples %g, %v",
				output, onHalf.Objective, values[output], err)
		}
	}
}

// TestTuneFails checks that tune returns the error of a run on the samples for tuning, with the rules Sampled
// and OnHalf, for every output.
func TestTuneFails(t *testing.T) {
	pr, d := tinySetup(t)
	h, err := d.Halve(t.Context(), 0, 60)
	if err != nil {
		t.Fatal(err)
	}
	u, err := pr.newRunner(t.Context(), h, 0, solver.SCAS{}.Info().Name)
	if err != nil {
		t.Fatal(err)
	}
	errBroken := errors.New("broken")
	u.sampleGrid.try = func(_, _ float64) (objectives, error) { return nil, errBroken }
	for _, rule := range []Rule{Sampled, OnHalf} {
		for _, output := range []Output{Last, Average} {
			if _, err := u.tune(rule, output); !errors.Is(err, errBroken) {
				t.Errorf("rule %s, %s: error %v", rule, output, err)
			}
		}
	}
}

// TestMayImprove checks TunedRun.MayImprove for a step size or rho at an end of the range that a search
// tries, and for values that are at no end.
func TestMayImprove(t *testing.T) {
	for _, c := range []struct {
		rule       Rule
		tuned      Tuned
		mayImprove bool
	}{
		{Sampled, Tuned{Step: 2, Penalty: 3}, false},
		{Sampled, Tuned{Step: 16, Penalty: 3}, true},
		{Sampled, Tuned{Step: 1. / 16, Penalty: 3}, true},
		{Sampled, Tuned{Step: 2, Penalty: 0.1}, true},
		{Sampled, Tuned{Step: 2, Penalty: 1e4}, true},
		{Sampled, Tuned{Step: 32, Penalty: 0.01}, false},
		{Sampled, Tuned{Step: 2}, false}, // a method without rho
		{OnHalf, Tuned{Step: 16, Penalty: 0.1}, false},
		{OnHalf, Tuned{Step: 4096, Penalty: 0.1, EdgeParameters: "step"}, true},
		{Automatic, Tuned{}, false},
	} {
		if u := (&TunedRun{Key: Key{Rule: c.rule}, Tuned: c.tuned}); u.MayImprove() != c.mayImprove {
			t.Errorf("rule %s, step %g, rho %g lambda, edge %q: open is %v",
				c.rule, c.tuned.Step, c.tuned.Penalty, c.tuned.EdgeParameters, u.MayImprove())
		}
	}
}
