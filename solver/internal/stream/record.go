package stream

import (
	"cmp"
	"errors"
	"time"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/admm"
	"github.com/scas-admm/scas/solver/internal/exact"
)

// A recorder calls Settings.Recorder.
type recorder struct {
	p     *solver.Problem
	q     *exact.Problem
	set   *solver.Settings
	clock admm.Clock
}

// newRecorder returns a recorder for a run that began at the given time, or nil if set has no Recorder.
func newRecorder(p *solver.Problem, q *exact.Problem, set *solver.Settings, began time.Time) *recorder {
	if set.Recorder == nil {
		return nil
	}
	return &recorder{p, q, set, admm.NewClock(began)}
}

// recorderError wraps an error that the Recorder has returned.
type recorderError struct{ error }

func (e recorderError) Unwrap() error { return e.error }

// record calls the Recorder with a solution, unless RecordEvery leaves out this outer iteration. A nil r is
// valid. solution must have X, Z, Objective and Gap. grad is the gradient of the mean loss at X, or nil.
func (r *recorder) record(outer, passes int, solution *exact.Solution, grad []float64) error {
	if r == nil || outer%cmp.Or(r.set.RecordEvery, 1) != 0 {
		return nil
	}
	r.clock.Pause()
	defer r.clock.Resume()
	_, eval := evaluation(r.p, r.q, solution.X, solution.Objective)
	err := r.set.Recorder.Record(&solver.Point{
		Name: cmp.Or(r.set.Name, r.set.Method.Info().Name), Outer: outer, Passes: float64(passes), PaperPasses: float64(passes), Seconds: r.clock.SecondsAtPause(),
		Last: eval, Average: eval, DualityGap: solution.Gap, X: solution.X, XAverage: solution.X,
		DualResidual: func() float64 { return dualResidual(r.p, r.q, solution, grad) },
	})
	if err != nil {
		return recorderError{err}
	}
	return nil
}

// stoppedByRecorder reports whether err comes from the Recorder. It also returns the Recorder's error, or
// nil for ErrStop.
func stoppedByRecorder(err error) (error, bool) {
	wrapper, ok := errors.AsType[recorderError](err)
	switch {
	case !ok:
		return nil, false
	case errors.Is(wrapper.error, solver.ErrStop):
		return nil, true
	}
	return wrapper.error, true
}
