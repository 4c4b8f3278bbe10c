package stream

import (
	"cmp"
	"errors"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/exact"
)

// recorderError wraps an error that the Recorder has returned.
type recorderError struct{ error }

func (e recorderError) Unwrap() error { return e.error }

// record calls Settings.Recorder with a solution, unless RecordEvery leaves out this outer iteration. solution
// must have X, Z, Objective and Gap. grad is the gradient of the mean loss at X, or nil.
func (s *stochastic) record(solution *exact.Solution, grad []float64) error {
	if s.set.Recorder == nil || s.stats.OuterIterations%cmp.Or(s.set.RecordEvery, 1) != 0 {
		return nil
	}
	s.clock.Pause()
	defer s.clock.Resume()
	_, eval := evaluation(s.p, s.q, solution.X, solution.Objective)
	passes := float64(s.passes())
	err := s.set.Recorder.Record(&solver.Point{
		Name: s.stats.Name, Outer: s.stats.OuterIterations, Passes: passes, PaperPasses: passes, Seconds: s.clock.SecondsAtPause(),
		Last: eval, Average: eval, DualityGap: solution.Gap, X: solution.X, XAverage: solution.X,
		DualResidual: func() float64 { return dualResidual(s.p, s.q, solution, grad) },
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
