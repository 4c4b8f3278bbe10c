package solver_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/solvertest"
	"github.com/scas-admm/scas/sparse"
)

// TestEndedBefore checks a run whose context has ended before the run begins. It must return the objective
// at the start, and must not copy the data.
func TestEndedBefore(t *testing.T) {
	d, err := sparse.NewSynthetic(sparse.SyntheticOptions{Rows: 5000, Features: 100, NonzerosPerRow: 100, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	endedCtx, cancel := context.WithCancel(t.Context())
	cancel()
	p := &solver.Problem{Data: d.X, Labels: d.Labels, Penalty: solver.L1{Lambda: 1e-3}}
	start := make([]float64, 100)
	start[3] = 0.5
	for _, m := range []solver.Method{nil, solver.SCASK{}, solver.SCAS{}} {
		solveAndMeasure := func(ctx context.Context) (*solver.Result, int64, error) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			res, err := solver.Minimize(ctx, p, &solver.Settings{Method: m, Passes: 2, Start: solver.Iterate{X: start}})
			runtime.ReadMemStats(&after)
			return res, int64(after.TotalAlloc - before.TotalAlloc), err
		}
		res, bytes, err := solveAndMeasure(endedCtx)
		if res == nil || !errors.Is(err, context.Canceled) || res.Status != solver.Stopped ||
			res.X[3] != 0.5 || res.At != p.Evaluate(start) {
			t.Fatalf("%v: %+v, %v", m, res, err)
		}
		if bytes > 2*d.X.NNZ() {
			t.Errorf("%v: %d bytes for %d entries", m, bytes, d.X.NNZ())
		}
		if _, bytes, _ := solveAndMeasure(t.Context()); bytes < 4*d.X.NNZ() {
			t.Errorf("%v: a run takes %d bytes for %d entries: the test shows nothing", m, bytes, d.X.NNZ())
		}
	}
}

// moveTo is a method whose only outer iteration sets all entries of x and of y to a number.
type moveTo float64

func (moveTo) Info() solver.MethodInfo { return solver.MethodInfo{Name: "move", AnyProblem: true} }

func (m moveTo) Begin(r *solver.Run) (solver.Iteration, error) {
	return func() (bool, error) {
		for _, v := range [][]float64{r.X, r.Y} {
			for j := range v {
				v[j] = float64(m)
			}
		}
		r.Average()
		return true, nil
	}, nil
}

// watchedLate is a method whose first outer iteration moves all entries of x to a number. The second one
// begins with WatchedSnapshot, and ends the run.
type watchedLate float64

func (watchedLate) Info() solver.MethodInfo {
	return solver.MethodInfo{Name: "late", AnyProblem: true, TakesEta: true}
}

func (m watchedLate) Begin(r *solver.Run) (solver.Iteration, error) {
	return func() (bool, error) {
		if r.Stats.OuterIterations == 0 {
			for j := range r.X {
				r.X[j] = float64(m)
			}
			return true, nil
		}
		return false, r.WatchedSnapshot(true)
	}, nil
}

// TestLateSnapshot checks that the first WatchedSnapshot goes back to the start if the iterations before it
// have diverged in a way that only the loss shows.
func TestLateSnapshot(t *testing.T) {
	p := smallProblem(t)
	p.Loss, p.Penalty = solver.Squared{}, solver.L1{Lambda: 1e-30}
	start := slices.Repeat([]float64{0.01}, 20)
	res, err := solver.Minimize(t.Context(), p, &solver.Settings{Method: watchedLate(1e9), Start: solver.Iterate{X: start}})
	if err != nil || !slices.Equal(res.X, start) || res.Stats.StepHalvings != 1 {
		t.Errorf("%v, x = %v after %d halvings", err, res.X, res.Stats.StepHalvings)
	}
}

// TestOwnMethodWithB checks the end of a run of a caller's own method for a problem with a matrix B. A small
// step must not count as divergence. A large step must, and the result must then have the x and y of the
// start. Only the loss shows this divergence, because the penalty is almost 0 and A x + B y = 0.
func TestOwnMethodWithB(t *testing.T) {
	p := smallProblem(t)
	p.Loss, p.Constraint, p.Penalty = solver.Squared{}, nil, solver.L1{Lambda: 1e-30}
	p.Coupling = &solver.Coupling{B: matrix(t, 20, 20, func(i, j int) float64 {
		if i == j {
			return -1
		}
		return 0
	})}
	for to, want := range map[float64]float64{1e-3: 1e-3, 1e9: 0} {
		res, err := solver.Minimize(t.Context(), p, &solver.Settings{Method: moveTo(to), OuterIterations: 1})
		diverged := (*solver.DivergenceError)(nil)
		if isDivergence := errors.As(err, &diverged); isDivergence != (want == 0) || !isDivergence && err != nil {
			t.Errorf("to %g: %v", to, err)
		}
		if v := slices.Repeat([]float64{want}, 20); res == nil || !slices.Equal(res.X, v) || !slices.Equal(res.Y, v) {
			t.Errorf("to %g: result %+v, want x and y of %v", to, res, v)
		}
	}
}

// TestStartIsBetter checks a run with RelTol > 0 that ends at a larger objective than the objective at the
// start. The result must have the x, y, objectives and residuals of the start.
func TestStartIsBetter(t *testing.T) {
	p := smallProblem(t)
	start := solvertest.Minimize(t, p, &solver.Settings{RelTol: 1e-12}).Iterate
	set := &solver.Settings{Method: moveTo(1e-3), OuterIterations: 1, RelTol: 1e-9, Start: start}
	res, err := solver.Minimize(t.Context(), p, set)
	if !errors.Is(err, solver.ErrNotConverged) {
		t.Fatal(err)
	}
	y := make([]float64, len(start.Y))
	p.Constraint.MulVec(y, start.X)
	if !slices.Equal(res.X, start.X) || !slices.Equal(res.Y, y) || res.At.Objective != res.Unrounded {
		t.Errorf("x %v, y %v, objective %v, unrounded %v; want x %v, y %v",
			res.X, res.Y, res.At.Objective, res.Unrounded, start.X, y)
	}
	if res.PrimalResidual != 0 || !(res.DualResidual < 1e-6) || res.Stats.Rounded {
		t.Errorf("residuals %g and %g, rounded: %v", res.PrimalResidual, res.DualResidual, res.Stats.Rounded)
	}
}

// sleeper is a method whose outer iteration at the given number does nothing but pass the time limit.
type sleeper struct {
	iteration int
	limit     time.Duration
}

func (sleeper) Info() solver.MethodInfo { return solver.MethodInfo{Name: "sleep", AnyProblem: true} }

func (m sleeper) Begin(r *solver.Run) (solver.Iteration, error) {
	return func() (bool, error) {
		r.Spend(1)
		if r.Stats.OuterIterations+1 == m.iteration {
			time.Sleep(2 * m.limit)
		}
		return true, nil
	}, nil
}

// TestErrorAfterTimeLimit checks that the error of a recorder ends the run also if the time limit passed in
// the same outer iteration.
func TestErrorAfterTimeLimit(t *testing.T) {
	const limit = 100 * time.Millisecond
	errFull := errors.New("the disk is full")
	for _, c := range []struct{ returned, want error }{{errFull, errFull}, {solver.ErrStop, nil}, {nil, solver.ErrNotConverged}} {
		res, err := solver.Minimize(t.Context(), smallProblem(t), &solver.Settings{
			Method: sleeper{2, limit}, RelTol: 1e-9, TimeLimit: limit,
			Recorder: solver.RecorderFunc(func(pt *solver.Point) error {
				if pt.Outer == 2 {
					return c.returned
				}
				return nil
			}),
		})
		if !errors.Is(err, c.want) || (res.Status == solver.Stopped) != (c.returned != nil) {
			t.Errorf("%v: %v, %s", c.returned, err, res.Status)
		}
	}
}

// TestStepSizeAfterTimeLimit checks that the error of a run that diverged proposes a step size also if the
// divergence is noticed only after the time limit.
func TestStepSizeAfterTimeLimit(t *testing.T) {
	const limit = 100 * time.Millisecond
	p := smallProblem(t)
	p.Loss = solver.SquaredHinge{}
	_, err := solver.Minimize(t.Context(), p, &solver.Settings{
		Method: solver.SCASK{}, Eta: 2, TimeLimit: limit,
		Recorder: solver.RecorderFunc(func(pt *solver.Point) error {
			if pt.Outer == 1 {
				time.Sleep(2 * limit)
			}
			return nil
		}),
	})
	diverged, ok := errors.AsType[*solver.DivergenceError](err)
	if !ok || !(diverged.Try > 0 && diverged.Try <= 0.5) {
		t.Errorf("%v, want another step size", err)
	}
}

// TestProofAfterTimeLimit checks that a run which the time limit ends has the gap of a run that ends after as
// many outer iterations for another reason.
func TestProofAfterTimeLimit(t *testing.T) {
	const limit = 100 * time.Millisecond
	p := smallProblem(t)
	for _, set := range []solver.Settings{{Method: solver.SCASK{}}, {Method: solver.SCASK{}, RelTol: 1e-12}} {
		set.TimeLimit = limit
		set.Recorder = solver.RecorderFunc(func(pt *solver.Point) error {
			if pt.Outer == 3 {
				time.Sleep(2 * limit)
			}
			return nil
		})
		late, _ := solver.Minimize(t.Context(), p, &set)
		set.TimeLimit, set.Recorder, set.OuterIterations = 0, nil, late.Stats.OuterIterations
		want, _ := solver.Minimize(t.Context(), p, &set)
		if late.Status != solver.TimeDone || late.DualityGap != want.DualityGap || late.At != want.At {
			t.Errorf("%v: %s, %d outer iterations, objective %v, gap %v; without a limit %v, %v", set.Method,
				late.Status, late.Stats.OuterIterations, late.At.Objective, late.DualityGap, want.At.Objective, want.DualityGap)
		}
	}
}
