package solver

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/scas-admm/scas/solver/internal/ending"
	"github.com/scas-admm/scas/solver/internal/rows"
)

// Minimize solves p by the method of s, which may be nil for the defaults.
//
// Minimize returns a Result and, by its status,
//
//   - Converged: a nil error. The gap is proved to be within s.RelTol.
//   - PassesDone, TimeDone, Stalled: an error that matches ErrNotConverged if s.RelTol asks for a
//     gap and gaps of p can be proved, else a nil error.
//   - Stopped: the error of ctx, of the recorder or of the checkpoint, but nil for ErrStop.
//   - Diverged: a *DivergenceError.
//
// For a bad problem, or a bad setting (*SettingError), the Result is nil. If s.RelTol asks for a gap
// and p has no Coupling, Result.At.Objective is at most the objective at the start.
func Minimize(ctx context.Context, p *Problem, s *Settings) (res *Result, err error) {
	defer rows.Rescue(&err)
	if s == nil {
		s = &Settings{}
	}
	p, err = p.join(s)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	c, err := s.withDefaults(p)
	err = p.team().CommonError(err)
	if err != nil {
		return nil, err
	}
	ctx, cancel := ending.WithTimeLimit(ctx, c.TimeLimit)
	defer cancel()
	if c.Memory > 0 {
		return p.minimizeFile(ctx, c, began)
	}
	r := newRun(ctx, p, c, began)
	if c.RelTol > 0 && r.unit < 0 {
		return nil, errorf("the mean loss at x = 0 is %v; a loss must not be negative (see Loss)", r.unit)
	}
	r.budget = s.Passes
	if s.Passes == 0 {
		r.budget = math.Inf(1)
	}
	iteration, err := Iteration(nil), r.Err()
	if err == nil {
		if _, auto := c.Method.(Auto); !auto {
			r.prepare()
		}
		iteration, err = c.Method.Begin(r)
	}
	if err == nil {
		r.Stats.SetupSeconds = r.clock.seconds()
		err = r.resume()
		if err == nil {
			err = r.loop(iteration)
		}
	}
	if _, bad := errors.AsType[*SettingError](err); bad {
		return nil, err
	}
	return r.resultAfter(err)
}

// resultAfter returns the result with its status, and the error of Minimize. err is the error that ended the
// run, or nil.
func (r *Run) resultAfter(err error) (*Result, error) {
	timeUp := ending.IsContextError(err) && r.stopCause == ending.TimeUp
	if timeUp {
		err = r.checkFinally()
	}
	r.clock.pause()
	res := r.result()
	if err == nil && (math.IsNaN(res.At.Objective+res.PrimalResidual) || math.IsInf(res.At.Objective, 0)) {
		err = r.Lost(res.At.Objective)
		res = r.result()
	}
	// If the budget ended the Newton steps, whyEnded is Interrupted, and a larger budget may help.
	evidence := ending.Evidence{
		Late: timeUp, Why: r.whyEnded, Advice: r.Problem.loss().Traits().StallAdvice,
		Dependent: r.prover.Dependent(), Unit: r.unit,
	}
	return res, r.judge(res, err, &evidence, r.prover.Finishes() || !math.IsInf(res.DualityGap, 1))
}

// judge sets the status of the result, and returns the error of Minimize. err is the error that ended the
// run. It is nil if the run ended without an error or at the time limit. judge sets Diverged, Err, Gap and
// Goal of the evidence; the caller sets its other fields. provable says whether gaps of the problem can be
// proved.
func (r *Run) judge(res *Result, err error, evidence *ending.Evidence, provable bool) error {
	if errors.Is(err, ErrStop) {
		res.Status = Stopped
		return nil
	}
	_, evidence.Diverged = errors.AsType[*DivergenceError](err)
	evidence.Err, evidence.Gap, evidence.Goal = err, res.DualityGap, r.goal
	status, advice := evidence.Status()
	res.Status = Status(status)
	if advice == nil || r.Settings.RelTol <= 0 || !provable {
		return err
	}
	return &NotConvergedError{
		Status: res.Status, Objective: res.At.Objective, Gap: res.DualityGap, Goal: r.goal,
		Why: advice.Why, Remedies: advice.Remedies,
	}
}

// evaluate returns the objective at the point, with the penalty of penaltyAt.
func (r *Run) evaluate(point Iterate) Evaluation {
	penalty, _ := r.penaltyAt(point)
	return r.Problem.evaluate(point.X, penalty)
}

// recordIterate passes the iterate to the recorder.
func (r *Run) recordIterate() error {
	return r.record(func(p *Point) {
		p.Last, p.Average = r.evaluate(r.Iterate), r.evaluate(r.Mean)
		p.PrimalResidual, p.DualResidual = r.primalResidual(), r.dualResidual
	})
}

// record passes the iterate to the recorder, unless Settings.RecordEvery leaves out this iteration. evaluate
// sets the evaluations and residuals of the point. The clock does not count the time of record.
func (r *Run) record(evaluate func(*Point)) error {
	if r.Settings.Recorder == nil || r.Stats.OuterIterations%r.Settings.RecordEvery != 0 {
		return nil
	}
	r.clock.pause()
	defer r.clock.resume()
	p := Point{
		Outer: r.Stats.OuterIterations, Passes: r.Stats.Passes, PaperPasses: r.paperPasses(), Seconds: r.clock.secondsAtPause(),
		DualityGap: r.gap, X: r.X, XAverage: r.Mean.X,
	}
	evaluate(&p)
	err := r.Settings.Recorder.Record(&p)
	// If the recorder of one process ends the run, all processes end it.
	team, stops := r.Problem.team(), errors.Is(err, ErrStop)
	if stops {
		err = nil
	}
	err = team.CommonError(err)
	if err == nil && team.Any(stops) {
		return ErrStop
	}
	return err
}

// result returns the Result of the final state, without its status. The clock must be paused.
func (r *Run) result() *Result {
	r.Stats.Seconds, r.Stats.PaperPasses = r.clock.secondsAtPause(), r.paperPasses()
	r.Problem.project(r.Mean.X)
	evaluation := r.evaluate(r.Iterate)
	if r.Stats.NewtonSteps == 0 { // otherwise makeNewtonSteps has set r.gap
		if r.settleAtBest(evaluation.Objective) < evaluation.Objective {
			evaluation = r.evaluate(r.Iterate)
		}
	}
	// evaluate is r.evaluate, but makes no pass over the data for the iterate.
	evaluate := func(point Iterate) Evaluation {
		if slices.Equal(point.X, r.X) && slices.Equal(point.Y, r.Y) {
			return evaluation
		}
		return r.evaluate(point)
	}
	res := &Result{
		Iterate: r.Iterate, XAverage: r.Mean.X, YAverage: r.Mean.Y,
		Unrounded: evaluation.Objective, PrimalResidual: r.primalResidual(),
	}
	res.DualResidual = infIfNaN(r.dualResidual())
	r.Stats.Rounded = r.structure != nil
	if !r.newton && !r.Settings.NoProof {
		res.X, r.Stats.Rounded = r.makeExact()
	}
	res.At, res.AtAverage = evaluate(Iterate{X: res.X, Y: r.Y}), evaluate(r.Mean)
	res.DualityGap = r.gap
	if !slices.Equal(res.X, r.X) {
		res.DualityGap += r.possibleRise(r.X, res.X, evaluation, res.At)
	}
	res.DualityGap = infIfNaN(res.DualityGap)
	if r.goal > 0 && r.Problem.Coupling == nil {
		r.useStartIfBetter(res)
	}
	if r.structure != nil {
		res.Groups = r.structure.NonzeroGroups(res.X)
	}
	for _, text := range []*string{&r.Stats.Plan, &r.Stats.PlanReason, &r.Stats.Storage} {
		*text = r.Problem.team().FirstText(*text)
	}
	res.Stats = r.Stats
	return res
}

// possibleRise returns an upper bound of the rise of the objective from oldX to x, and at least 0. oldAt and
// at have the objectives as computed. The bound includes the rounding of their margins.
func (r *Run) possibleRise(oldX, x []float64, oldAt, at Evaluation) float64 {
	rounding := r.lossError(oldX, oldAt.Loss) + r.lossError(x, at.Loss)
	return math.Max(0, at.Objective-oldAt.Objective+rounding)
}

// useStartIfBetter compares res.At with the objective at the start. If the start is better, the iterate of
// the result becomes the start x and y = A x. The dual point stays. Often only rounding makes the start
// better, as at x = 0 if this is the solution. So zeros and ties count as exact if the start has all those
// that Newton steps found.
func (r *Run) useStartIfBetter(res *Result) {
	x := make([]float64, len(res.X))
	copy(x, r.Settings.Start.X)
	r.Problem.project(x)
	if ev := r.Problem.Evaluate(x); ev.Objective < res.At.Objective {
		res.DualityGap += r.possibleRise(res.X, x, res.At, ev)
		r.Iterate.set(Iterate{X: x, Y: r.product.Image(x)})
		res.Iterate, res.At, res.Unrounded = r.Iterate, ev, ev.Objective
		res.PrimalResidual, res.DualResidual = r.primalResidual(), infIfNaN(r.dualResidual())
		if r.structure != nil && !r.structure.Holds(x) {
			r.structure = nil
		}
		r.Stats.Rounded = r.structure != nil
	}
}
