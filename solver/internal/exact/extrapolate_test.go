package exact

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/scas-admm/scas/solver/internal/term"
)

// TestExtrapolate checks where extrapolate moves coefficients, and that it moves none if the objective would
// rise.
func TestExtrapolate(t *testing.T) {
	p := kind{loss: term.Logistic{}, free: 1}.random(50, 6, 3)
	p.Set = term.Box{Lower: slices.Repeat([]float64{-1}, 6), Upper: slices.Repeat([]float64{1}, 6)}
	// The solutions for lambda = 4 and 3, and the point to which they lead for lambda = 2.
	start, mid := []float64{0, 0.5, 0.1, 0.5, 0.2, -0.1}, []float64{0, 0, 0.2, 0.2, 0.7, 0.1}
	end := []float64{
		0, // stays at zero
		0, // stays at zero too
		0.3,
		0,   // would change its sign
		1,   // would cross a bound
		0.3, // changes its sign, as it has no limit
	}
	for _, oldValue := range []float64{math.Inf(1), math.Inf(-1)} {
		s := mustNew(t, p)
		s.Start(start)
		s.visit()
		s.past = pastSolutions{start: start, startLambda: 4, end: mid, endLambda: 3}
		s.Start(mid)
		s.visit()
		s.setLambda(2)
		s.chooseSet(1)
		s.current.value = oldValue
		s.extrapolate(2)
		want := end
		if oldValue < 0 { // the objective would rise
			want = mid
		}
		if !slices.EqualFunc(s.x, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-15 }) {
			t.Errorf("old value %v: x is %v, want %v", oldValue, s.x, want)
		}
		margins, m := make([]float64, 50), inMemory(s)
		m.margins(margins, s.x)
		if !slices.Equal(margins, m.current.margin) {
			t.Errorf("old value %v: the margins do not belong to x", oldValue)
		}
	}
}

// TestExtrapolatedMargins checks the rounding errors of extrapolated margins, and that margins are computed
// from the point if the step from there has length 0.
func TestExtrapolatedMargins(t *testing.T) {
	s := mustNew(t, kind{loss: term.Logistic{}}.random(400, 20, 1))
	lambda, err := s.LambdaMax(nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		lambda *= 0.9
		s.Solve(lambda, &Settings{Tol: 1e-9 * s.Scale()})
	}
	s.past.add(lambda, s.x, true)
	s.setLambda(0.9 * lambda)
	s.extrapolate(0.9 * lambda)
	m, want := inMemory(s), make([]float64, 400)
	m.margins(want, s.x)
	sizes, bound := m.current.sizes, 0.0
	if sizes == nil {
		t.Fatal("the margins were not extrapolated")
	}
	for j, v := range sizes {
		bound += 0x1p-53 * 30 * v * s.columns.LargestEntry[j]
	}
	for i, v := range m.current.margin {
		if diff := math.Abs(v - want[i]); !(diff <= bound) {
			t.Errorf("margin %d: error %g, bound %g", i, diff, bound)
		}
	}
	s.current.value = math.Inf(-1) // no step lowers the objective
	if _, length := s.step(1e-9*s.Scale(), false); length != 0 {
		t.Fatalf("a step of length %g", length)
	}
	if m.current.sizes != nil || !slices.Equal(m.current.margin, want) || s.current.loss != m.current.loss {
		t.Error("after a step of length 0, the margins and the loss were not computed from the point")
	}
}

// TestInterruptedExtrapolation checks that a run that ends before its first step has computed margins.
func TestInterruptedExtrapolation(t *testing.T) {
	s := mustNew(t, kind{loss: term.Logistic{}}.random(400, 20, 1))
	lambda, err := s.LambdaMax(nil)
	if err != nil {
		t.Fatal(err)
	}
	extrapolated, stop := false, errors.New("stop")
	for k := range 3 {
		lambda *= 0.9
		s.Solve(lambda, &Settings{Tol: 1e-9 * s.Scale(), Interrupt: func() error {
			if k < 2 {
				return nil
			}
			extrapolated = inMemory(s).current.sizes != nil
			return stop
		}})
	}
	if sizes := inMemory(s).current.sizes; !extrapolated || sizes != nil {
		t.Errorf("margins extrapolated: %v, and not computed in the end: %v", extrapolated, sizes != nil)
	}
}

// TestExtrapolationSavesSteps counts the Newton steps for a path with and without extrapolation.
func TestExtrapolationSavesSteps(t *testing.T) {
	stepsFor := func(extrapolates bool) (count int) {
		s := mustNew(t, kind{loss: term.Logistic{}}.random(400, 20, 1))
		lambdaMax, err := s.LambdaMax(nil)
		if err != nil {
			t.Fatal(err)
		}
		for k := 1; k <= 50; k++ {
			if !extrapolates {
				s.past.end = nil
			}
			r := s.Solve(lambdaMax*math.Pow(0.9, float64(k)), &Settings{Tol: 1e-9 * s.Scale()})
			if !(r.Gap <= 1e-9*s.Scale()) {
				t.Errorf("lambda %d: gap %g", k, r.Gap)
			}
			count += r.Iterations
		}
		return count
	}
	got, without := stepsFor(true), stepsFor(false)
	t.Logf("%d steps, and %d without extrapolation", got, without)
	if float64(got) > 0.8*float64(without) {
		t.Errorf("%d steps, and %d without extrapolation", got, without)
	}
}
