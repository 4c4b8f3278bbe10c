package exact

import (
	"errors"
	"math"
	"testing"

	"github.com/scas-admm/scas/solver/internal/ending"
	"github.com/scas-admm/scas/solver/internal/term"
)

// TestUnproved checks a path of lambdas with Settings.Unproved: each objective must be at most three
// tolerances above the optimum for its lambda. Of the runs near an earlier solution, all must end without a
// proof, or nearly all if the curvature of the loss jumps.
func TestUnproved(t *testing.T) {
	runs, proofs := 0, 0
	for _, loss := range []term.Loss{term.Logistic{}, term.SquaredHinge{}, term.Huber{Delta: 0.5}} {
		p := kind{loss: loss, weighted: true, free: 1}.random(300, 80, 3)
		for relTol, ratio := range map[float64]float64{1e-5: 0.85, 1e-6: 0.97, 1e-9: 0.85} {
			s, reference := mustNew(t, p), mustNew(t, p)
			lambdaMax, err := s.LambdaMax(nil)
			if err != nil {
				t.Fatal(err)
			}
			for k := range 30 {
				lambda, tol := lambdaMax*math.Pow(ratio, float64(k)), relTol*s.Scale()
				r := s.Solve(lambda, &Settings{Tol: tol, Unproved: true})
				best := reference.Solve(lambda, &Settings{Tol: 1e-13 * s.Scale()})
				if excess := r.Objective - best.Objective; r.Why != ending.Reached || excess > 3*tol ||
					!math.IsInf(r.Gap, 1) && k > 0 && loss.Traits().ContinuousCurvature {
					t.Errorf("%v, lambda %d: %v, gap %g, %.1e above the optimum, asked for %.1e",
						loss, k, r.Why, r.Gap, excess, tol)
				}
				runs++
				if !math.IsInf(r.Gap, 1) {
					proofs++
				}
			}
		}
	}
	if proofs > runs/20 { // the first run of each path has one
		t.Errorf("%d of %d runs have a proof", proofs, runs)
	}
}

// TestUnprovedCold checks runs from x = 0 with Settings.Unproved, whose first models are solved roughly.
func TestUnprovedCold(t *testing.T) {
	for _, loss := range []term.Loss{term.Logistic{}, term.SquaredHinge{}, term.Squared{}} {
		seeds := uint64(2)
		if testing.Short() {
			seeds = 1
		}
		for seed := range seeds {
			p := kind{loss: loss, free: 1}.random(211, 156, seed)
			for _, lambda := range []float64{1e-2, 1e-4} {
				s, reference := mustNew(t, p), mustNew(t, p)
				tol := 1e-6 * s.Scale()
				r, best := s.Solve(lambda, &Settings{Tol: tol, Unproved: true}),
					reference.Solve(lambda, &Settings{Tol: 1e-12 * s.Scale()})
				if excess := r.Objective - best.Objective; excess > 5*tol {
					t.Errorf("%v, seed %d, lambda %g: %v, %.1e above the optimum, asked for %.1e",
						loss, seed, lambda, r.Why, excess, tol)
				}
			}
		}
	}
}

// TestUnprovedFull checks that a run with Settings.Unproved does not end as if it had reached the optimum if
// the working set has no room for all columns that it needs.
func TestUnprovedFull(t *testing.T) {
	p := kind{loss: term.Logistic{}}.random(300, 80, 29)
	p.MaxWorking = 30
	s := mustNew(t, p)
	lambdaMax, err := s.LambdaMax(nil)
	if err != nil {
		t.Fatal(err)
	}
	var r Result
	for k := 0; k < 10 && !r.Full; k++ {
		r = s.Solve(lambdaMax*math.Pow(0.5, float64(k)), &Settings{Tol: 1e-3 * s.Scale(), Unproved: true})
	}
	if !r.Full || r.Why != ending.Room {
		t.Errorf("%+v, %v", r, r.Why)
	}
}

// TestUnprovedStops checks that a run with Settings.Unproved does not end as if it had reached the optimum if
// Settings.Stop has ended its last step.
func TestUnprovedStops(t *testing.T) {
	s := mustNew(t, kind{loss: term.Logistic{}, free: 1}.random(300, 120, 5))
	lambdaMax, err := s.LambdaMax(nil)
	if err != nil {
		t.Fatal(err)
	}
	set := &Settings{Tol: 1e-4 * s.Scale(), Unproved: true}
	for k := range 10 {
		if k == 9 {
			set.Stop = func() error { return errors.New("stop") }
		}
		r := s.Solve(lambdaMax*math.Pow(0.8, float64(k)), set)
		if reached := r.Why == ending.Reached; reached != (set.Stop == nil) {
			t.Errorf("lambda %d: %v", k, r.Why)
		}
	}
}
