package model

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/ending"
	"github.com/scas-admm/scas/solver/internal/exact"
	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/rows"
)

// A fitter solves the problem of a design with package exact, for one lambda after the other.
type fitter struct {
	d              *design
	s              *exact.Solver // nil in the result of bareFitter
	file           *exact.File   // nil if the rows are in memory
	progress       solver.Report // the last report to Settings.Report
	countedPasses  int           // number of passes over the file that earlier calls of solve have counted
	workingSetFull bool          // true if the working set of the last fit became too large
	// ending.Running, ending.TimeUp or ending.Canceled; the same in all processes.
	cause float64
}

// newFitter returns a fitter with a solver. If the rows are in a file, it makes a pass over them. The error
// wraps exact.ErrNotApplicable if solver.Minimize has to solve the problem.
func (d *design) newFitter(ctx context.Context) (*fitter, error) {
	if d.spec.needsMinimize() || !d.spec.streams() && d.unsupportedDomain() {
		return nil, exact.ErrNotApplicable
	}
	if hasState, err := d.spec.hasState(); err != nil || hasState { // the state is of solver.Minimize
		return nil, cmp.Or(err, exact.ErrNotApplicable)
	}
	f, err := d.bareFitter(ctx)
	if err != nil {
		return nil, err
	}
	p, err := d.penalty()
	if err != nil {
		return nil, err
	}
	f.s, err = f.solver(p)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// bareFitter returns a fitter without a solver. If the rows are in a file, it makes a pass over them and
// sets d.scale.
func (d *design) bareFitter(ctx context.Context) (*fitter, error) {
	f := &fitter{d: d, progress: solver.Report{Objective: math.Inf(1), Gap: math.Inf(1)}}
	if !d.spec.streams() {
		return f, nil
	}
	if d.unsupportedDomain() {
		return nil, errorf("%w: Spec.Domain is not a domain of package solver", rows.ErrNotStreamed)
	}
	p, err := d.penalty()
	if err != nil {
		return nil, err
	}
	q := f.problem(p)
	if refusal := q.FileRefusal(); refusal != "" {
		return nil, errorf("%w: %s", rows.ErrNotStreamed, refusal)
	}
	f.file = exact.NewFile(q, exact.FileSettings{
		PositiveLabel: d.classLabel, Folds: d.spec.outFold.folds, OutFold: d.spec.outFold.fold,
		Memory: d.spec.Memory,
	})
	f.file.Stop = ctx.Err
	if d.spec.Report != nil {
		f.file.ReportProgress = func(share float64) {
			f.progress.Passes = float64(f.file.Visits()) + share
			d.spec.Report(f.progress)
		}
	}
	err = f.file.Survey(f.file.MaxSamples())
	if f.timedOut(ctx, err) {
		return nil, errUnknown
	}
	if d.spec.standardizes() {
		d.scale = f.file.Deviations()
	}
	return f, err
}

func (f *fitter) problem(p *penalty) *exact.Problem {
	d, q := f.d, f.d.exactProblem(p)
	q.Data, q.Labels, q.Weights, q.Offset, q.Team = d.x, d.y, d.weights, d.spec.Offsets, d.team
	if d.spec.streams() {
		q.HasOnes, q.File = !d.spec.NoIntercept, f.file
	} else {
		q.Rows = d.data.rows()
	}
	return q
}

// exactProblem returns the problem of package exact with the penalty p, but without the rows.
func (d *design) exactProblem(p *penalty) *exact.Problem {
	columns := d.columns()
	q := &exact.Problem{
		Loss: d.loss, A: linalg.New(nil, columns), Limit: p.limit, Square: p.square,
		Groups: p.groups, Ridge: p.ridge, FixedRidge: p.fixedRidge, Set: p.set,
		Threads: d.spec.Threads, ManyLambdas: d.manyLambdas,
	}
	if p.a != nil {
		q.A = linalg.New(p.a, columns)
	}
	return q
}

func (f *fitter) solver(p *penalty) (*exact.Solver, error) {
	s, err := exact.New(f.problem(p))
	if err != nil {
		return nil, err
	}
	if startObjective := s.Scale(); !finite(startObjective) { // the requested gap is a multiple of it
		return nil, &solver.DivergenceError{Objective: startObjective, Start: startObjective}
	}
	return s, nil
}

// lambdaMax returns the LambdaMax of the design. It uses f.s, unless f.s is nil, the penalty couples
// coefficients, or L1Ratio is below leastRatio. If it uses f.s, the point of f.s becomes the model that is
// optimal for LambdaMax, in which all penalised coefficients are zero.
func (f *fitter) lambdaMax(ctx context.Context) (float64, error) {
	d, s, ratio := f.d, f.s, math.Max(leastRatio, f.d.spec.l1Ratio())
	if err := d.checkLambdaMax(); err != nil {
		return 0, err
	}
	if s == nil || d.coupled() || ratio != d.spec.l1Ratio() {
		var err error
		s, err = f.solver(d.elasticNetPenalty(ratio))
		if errors.Is(err, exact.ErrNotApplicable) {
			reason, _ := strings.CutPrefix(err.Error(), exact.ErrNotApplicable.Error()+": ")
			return 0, lambdaMaxError("the largest lambda is not computed: " + reason)
		} else if err != nil {
			return 0, err
		}
	}
	plainLambdaMax, err := s.LambdaMax(f.interruptFunc(ctx, s))
	if err != nil {
		return 0, err
	}
	return d.structuredLambdaMax(ctx, plainLambdaMax, s)
}

// solve solves the problem with lambda. It begins at the present point of f.s, such as the solution of
// the previous call.
func (f *fitter) solve(ctx context.Context, lambda float64) (*Column, error) {
	d := f.d
	goal := d.spec.relTol() * f.s.Scale()
	set := &exact.Settings{
		Tol: goal, Interrupt: f.interruptFunc(ctx, f.s), Stop: d.team.IfAlone(ctx.Err),
		Unproved: d.spec.unproved,
	}
	if f.file != nil {
		f.file.Stop = ctx.Err
	}
	if d.spec.Report != nil {
		f.progress.Goal = goal
		set.Watch = func(r *exact.Result) error {
			f.progress.Objective, f.progress.Gap = r.Objective, r.Gap
			if f.file == nil { // out of core, the passes over the file call Report
				f.progress.NewtonSteps = r.Iterations
				d.spec.Report(f.progress)
			}
			return nil
		}
	}
	r := f.s.Solve(lambda, set)
	f.workingSetFull = r.Full
	evidence := ending.Evidence{
		Err: r.Err, Late: f.timedOut(ctx, r.Err), Gap: r.Gap, Goal: goal, Why: r.Why,
		Advice: f.s.Loss.Traits().StallAdvice, Dependent: f.s.Dependent(), Unit: f.s.Scale(),
	}
	if d.spec.unproved && r.Why == ending.Reached {
		evidence.Gap = goal // the last Newton step indicates that the gap is at most goal
	}
	if f.file != nil && r.Err != nil &&
		(f.file.Gradient() == nil || !evidence.Late && !ending.IsContextError(r.Err)) {
		if evidence.Late {
			return nil, errUnknown
		}
		return nil, r.Err // an error of the file, or ctx ended before the first gradient
	}
	x := slices.Clone(f.s.X())
	out := d.column(x, nil,
		FitRun{
			Stats: solver.Stats{
				Method: "proximal-newton", NewtonSteps: r.Iterations, Passes: float64(r.Proofs),
			},
		})
	out.Certificate = Certificate{
		Objective: r.Objective, MeanLoss: r.Loss, Ridge: d.ridge(x), Gap: r.Gap, RelTol: d.spec.relTol(),
	}
	if f.file != nil {
		out.Run.Method, out.Run.Passes = "streamed-newton", float64(f.file.Visits()-f.countedPasses)
		f.countedPasses = f.file.Visits()
	}
	if d.coupled() && r.Gap <= goal {
		out.Groups = f.s.Ties()
	}
	if evidence.Late {
		evidence.Err = nil
	}
	c := &out.Certificate
	status, advice := evidence.Status()
	c.Status = solver.Status(status)
	var err error
	// If ctx ends only in this pass, the result of the fit stays as it is.
	c.NoOptimum, err = f.hasNoOptimum(ctx, lambda, x, r.Err != nil)
	if err != nil && !ending.IsContextError(err) {
		return out, err
	}
	if advice != nil {
		return out, c.notConverged(goal, advice)
	}
	return out, evidence.Err
}

// interruptFunc returns a function that the solver calls between steps. This function returns an error if the
// run must stop. With rows in memory, all processes call it together and agree on the error. Out of
// core, processes agree in each pass over the file.
func (f *fitter) interruptFunc(ctx context.Context, s *exact.Solver) func() error {
	if f.d.team.Alone() || f.file != nil {
		return f.d.team.IfAlone(ctx.Err)
	}
	return func() error {
		f.cause = f.d.team.Agree(ending.CauseOf(ctx), s.X())
		return ending.CauseError(ctx, f.cause)
	}
}

// timedOut reports whether err means that the time limit has passed. All processes return the same
// answer.
func (f *fitter) timedOut(ctx context.Context, err error) bool {
	switch {
	case f.d.team.Alone():
		return err != nil && ending.Late(ctx)
	case f.file == nil:
		return err != nil && f.cause == ending.TimeUp
	}
	return errors.Is(err, context.DeadlineExceeded)
}
