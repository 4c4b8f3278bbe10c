package exact

import (
	"errors"
	"math"
	"testing"

	"github.com/scas-admm/scas/solver/internal/ending"
	"github.com/scas-admm/scas/solver/internal/term"
)

// separatedByFirst returns a problem whose first feature separates the classes and is not penalised.
func separatedByFirst(t *testing.T) *Problem {
	t.Helper()
	const rows, features = 40, 5
	values := make([]float64, rows*features)
	p := &Problem{
		Loss: term.Logistic{}, Labels: make([]float64, rows), Limit: []float64{0, 1, 1, 1, 1},
		Ridge: make([]float64, features),
	}
	for i := range p.Labels {
		p.Labels[i] = math.Copysign(1, math.Sin(float64(3*i*i)))
		for j := range features {
			values[i*features+j] = math.Sin(float64(7*i + 11*j*j + i*j))
		}
		values[i*features] = p.Labels[i] * (2 + values[i*features])
	}
	p.setData(fromDense(t, rows, features, values))
	return p
}

func TestEndings(t *testing.T) {
	stop := errors.New("stop")
	usual := func() *Problem { return kind{loss: term.Logistic{}, free: 1}.random(60, 12, 7) }
	small := kind{loss: term.Squared{}, free: 1}.random(400, 100, 5)
	small.MaxWorking = 30
	for _, c := range []struct {
		name   string
		p      *Problem
		lambda float64
		set    Settings
		want   ending.Why
	}{
		{"a goal", usual(), 1e-2, Settings{Tol: 1e-9}, ending.Reached},
		{"no goal", usual(), 1e-2, Settings{}, ending.Rounding},
		{"few steps", usual(), 1e-2, Settings{Tol: 1e-9, MaxIterations: 2}, ending.Iterations},
		{"an interrupt", usual(), 1e-2, Settings{Tol: 1e-9, Interrupt: func() error { return stop }}, ending.Interrupted},
		{"no room", small, 1e-6, Settings{Tol: 1e-9}, ending.Room},
		{"free, a goal", separatedByFirst(t), 1e-2, Settings{Tol: 1e-6}, ending.Reached},
		{"free, few steps", separatedByFirst(t), 1e-2, Settings{Tol: 1e-6, MaxIterations: 4}, ending.Separated},
		{"free, no goal", separatedByFirst(t), 1e-2, Settings{}, ending.Separated},
	} {
		r := mustNew(t, c.p).Solve(c.lambda, &c.set)
		if r.Why != c.want || (r.Why == ending.Reached) != (r.Gap <= c.set.Tol) {
			t.Errorf("%s: %v, want %v: gap %g after %d steps", c.name, r.Why, c.want, r.Gap, r.Iterations)
		}
		if c.want == ending.Interrupted && (r.Err != stop || r.Iterations > 0 || !math.IsInf(r.Gap, 1)) {
			t.Errorf("%s: %+v", c.name, r)
		}
	}
}

// TestGapOfRoundedSums checks that no gap is smaller than the rounding error of the objective. The error is
// taken to be 2⁻⁵¹ times the objective.
func TestGapOfRoundedSums(t *testing.T) {
	for _, k := range kinds() {
		s := mustNew(t, k.random(60, 12, 7))
		lambdaMax, err := s.LambdaMax(nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, share := range []float64{2, 0.5} {
			if r := s.Solve(share*lambdaMax, &Settings{Tol: 1e-13 * s.Scale()}); !(r.Gap >= 2*0x1p-52*r.Objective) || !(r.Gap <= 1e-12*s.Scale()) {
				t.Errorf("%v at %g of lambda_max: gap %g of the objective %g", k, share, r.Gap, r.Objective)
			}
		}
	}
}

// TestPerfectFit checks that the gap is exactly 0 if x = 0 fits all labels exactly.
func TestPerfectFit(t *testing.T) {
	p := separatedByFirst(t)
	p.Loss, p.Labels = term.Squared{}, make([]float64, len(p.Labels))
	if r := mustNew(t, p).Solve(1e-2, &Settings{}); r.Why != ending.Reached || r.Gap != 0 {
		t.Errorf("%v, gap %g", r.Why, r.Gap)
	}
}

// TestNearlyPerfectFit checks that no step begins at a point whose objective is at most the tolerance.
// There the dual point 0 proves a gap of at most the tolerance.
func TestNearlyPerfectFit(t *testing.T) {
	for _, loss := range []term.Loss{term.SquaredHinge{}, term.Huber{}} {
		for seed := range uint64(5) {
			s := mustNew(t, kind{loss: loss, free: 20}.random(8, 30, seed))
			set, smallCount := Settings{Tol: 1e-6}, 0
			set.Watch = func(r *Result) error {
				if r.Objective <= set.Tol {
					smallCount++
				}
				return nil
			}
			if r := s.Solve(1e-5, &set); r.Why != ending.Reached || smallCount > 1 {
				t.Errorf("%v, seed %d: %v, gap %g; %d steps from an objective below the tolerance",
					loss, seed, r.Why, r.Gap, smallCount-1)
			}
		}
	}
}

// TestLambdaMaxWithoutRoom checks that LambdaMax returns an error if the features without a limit do not fit
// into the working set.
func TestLambdaMaxWithoutRoom(t *testing.T) {
	p := &Problem{
		Loss: term.Logistic{}, Limit: []float64{0, 0, 0, 1}, Ridge: make([]float64, 4), MaxWorking: 2,
		Labels: []float64{1, -1, 1, -1, 1},
	}
	p.setData(fromDense(t, 5, 4, []float64{
		1, 2, 0, 1,
		2, -1, 1, 0,
		-1, 1, 1, 1,
		0, 1, 2, -1,
		1, 0, -1, 2,
	}))
	if lambdaMax, err := mustNew(t, p).LambdaMax(nil); err == nil {
		t.Errorf("lambda %v", lambdaMax)
	}
}

// TestGapOfOffsets checks that the gap includes the rounding of margins with large offsets. The point is not
// the optimum, but both have the same rounded margins.
func TestGapOfOffsets(t *testing.T) {
	data := []float64{0.25, 0.625, 0.875}
	p := &Problem{Loss: term.Squared{}, Limit: []float64{0}, Ridge: []float64{0}, Offset: []float64{1e8, 2e8, 3e8}}
	for i, v := range data {
		p.Labels = append(p.Labels, p.Offset[i]+0.3*v)
	}
	p.setData(fromDense(t, 3, 1, data))
	s := mustNew(t, p)
	s.Start([]float64{0.3 + 1e-9}) // 1e-9 is too small to change the margins
	s.setLambda(1)
	s.visit()
	s.chooseSet(1)
	r := s.proveAtSlopes(0, Result{})
	if excess := 1e-18 / 3 * (0.0625 + 0.390625 + 0.765625); !(r.Gap >= 0.9*excess) || r.Gap > 1e-12 {
		t.Errorf("gap %g, excess %g", r.Gap, excess)
	}
}

// TestTighterModels checks a problem whose last step does not move the point although nothing is proved. The
// proof needs a model that is solved more accurately than its first tolerance asks.
func TestTighterModels(t *testing.T) {
	p := kind{loss: term.SquaredHinge{}}.random(22, 4, 473)
	s := mustNew(t, p)
	if r := s.Solve(0, &Settings{Tol: 1e-6 * s.Scale()}); !(r.Gap <= 1e-6*s.Scale()) {
		t.Errorf("gap %g after %d steps, objective %g", r.Gap, r.Iterations, r.Objective)
	}
}
