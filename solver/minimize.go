package solver

import (
	"context"
	"errors"
	"math"

	"github.com/scas-admm/scas/kernels"
)

// Minimize solves p by the method of s, which may be nil for the defaults.
//
// It returns a Result with status PassesDone and a nil error when the budget was
// used. If ctx ends or the recorder returns an error, it returns what was reached
// so far, status Stopped, and that error. If the iterates diverge it returns the
// best of them, status Diverged and a *DivergenceError. For a bad problem or
// setting (*SettingError) the Result is nil.
//
// The samples are drawn from a generator seeded with s.Seed: the same problem,
// settings and seed give the same bits at every kernel level.
func Minimize(ctx context.Context, p *Problem, s *Settings) (*Result, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	c, err := s.withDefaults(p)
	if err != nil {
		return nil, err
	}
	r := newRun(ctx, p, c)
	it, err := c.Method.Begin(r)
	if err == nil {
		r.Stats.SetupSeconds = r.clock.seconds()
		err = r.loop(it)
	}
	if bad := (*SettingError)(nil); errors.As(err, &bad) {
		return nil, err
	}
	if diverged := (*DivergenceError)(nil); errors.As(err, &diverged) {
		diverged.propose(it)
	}
	return r.result(err), err
}

// evaluate judges x, with y as in penaltyNow but without the residual: that is
// reported on its own.
func (r *Run) evaluate(at Iterate) Evaluation {
	ev := r.Problem.Evaluate(at.X)
	if math.IsNaN(ev.Penalty) || math.IsInf(ev.Penalty, 0) {
		return r.Problem.EvaluateAt(at.X, at.Y)
	}
	return ev
}

// record shows the state to the recorder, with the clock stopped.
func (r *Run) record() error {
	if r.Settings.Recorder == nil || r.Stats.OuterIterations%r.Settings.RecordEvery != 0 {
		return nil
	}
	r.clock.pause()
	defer r.clock.resume()
	return r.Settings.Recorder.Record(&Point{
		Name: r.Stats.Name, Outer: r.Stats.OuterIterations,
		Passes: r.Stats.Passes, PaperPasses: r.paperPasses(), Seconds: r.clock.used.Seconds(),
		Last: r.evaluate(r.Iterate), Average: r.evaluate(r.Mean),
		PrimalResidual: r.primalResidual(), X: r.X,
	})
}

// result evaluates the final state.
func (r *Run) result(err error) *Result {
	r.clock.pause()
	r.Stats.Seconds, r.Stats.PaperPasses = r.clock.used.Seconds(), r.paperPasses()
	res := &Result{
		Iterate: r.Iterate, XAverage: r.Mean.X, YAverage: r.Mean.Y,
		PrimalResidual: r.primalResidual(),
		Status:         PassesDone,
	}
	if diverged := (*DivergenceError)(nil); errors.As(err, &diverged) {
		res.Status = Diverged
	} else if err != nil {
		res.Status = Stopped
	}
	res.DualResidual, res.DualityGap = r.certificate()
	res.X, r.Stats.Rounded = r.round()
	res.At, res.AtAverage = r.evaluate(Iterate{X: res.X, Y: r.Y}), r.evaluate(r.Mean)
	res.Stats = r.Stats
	return res
}

// storage describes how rows are held.
func storage(a kernels.Rows) string {
	index, value := "int32 columns", "float64 values"
	if a.Idx == nil && a.Idx16 != nil {
		index = "uint16 columns"
	}
	switch {
	case a.Val == nil && a.Val32 != nil:
		value = "float32 values"
	case a.Val == nil:
		value = "all values 1"
	}
	return index + ", " + value
}
