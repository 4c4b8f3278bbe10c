package stream

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/ending"
	"github.com/scas-admm/scas/solver/internal/exact"
	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

// ErrNotStreamed is wrapped by errors that say why a problem cannot be solved out of
// core.
var ErrNotStreamed = errors.New("data larger than memory")

// Minimize is solver.Minimize for mapped data (sparse.CSR.Mapped) that are larger than
// memory.
//
// With solver.Auto, the default, it accepts the losses, penalties and domains of package
// solver, a matrix A, and up to 2,048 features. Of these 256 may have no penalty; if L2 >
// 0, all may. With solver.SCASK and SCASL, whose inner loop draws from one batch of the
// file at a time, it accepts any number of features; their results have a certified gap
// if Auto accepts the problem. Other problems and methods are errors that wrap
// ErrNotStreamed. The other settings in use are Name, RelTol, TimeLimit, Threads,
// Start.X, Recorder and RecordEvery, and for SCASK and SCASL also Passes, DualUpdates,
// Eta, Rho and Seed.
//
// The Recorder first gets the first point whose objective over the whole file is known:
// with Auto the solution for the samples in memory, otherwise the start. After that, with
// Auto it gets each Newton step. Otherwise it gets each outer iteration, once the next
// pass has computed its objective. Averages equal the iterate, and y is A x.
//
// With Problem.Comm every rank reads its own file, or its shard of one file, and
// opt.Memory is the memory of one rank; this needs Auto. The same data, settings, memory
// and number of ranks give the same bits. Stats.Passes counts the passes over the file.
func Minimize(ctx context.Context, p *solver.Problem, set *solver.Settings, opt Options) (res *solver.Result, err error) {
	defer rows.Rescue(&err)
	began := time.Now()
	if set == nil {
		set = &solver.Settings{}
	}
	q, err := problemOf(p, set)
	team, err := joined(p, err)
	if err != nil {
		return nil, err
	}
	var cancel context.CancelFunc = func() {}
	if set.TimeLimit > 0 {
		ctx, cancel = context.WithTimeoutCause(ctx, set.TimeLimit, errTime)
	}
	defer cancel()
	within := &exact.Settings{Tol: max(0, set.RelTol), Stop: ctx.Err}
	f := newFile(q, team, opt)
	f.Stop = ctx.Err
	var r *exact.Solution
	did := runSummary{}
	rec := newRecorder(p, q, set, began)
	if automatic(set) {
		if within.Tol == 0 {
			within.Tol = 1e-6
		}
		r = solveExactly(q, f, set.Start.X, opt, within, rec)
		did.gradient = f.Gradient()
	} else {
		r, did = batched(p, set, q, f, opt, within, rec)
	}
	by, recorded := stoppedByRecorder(r.Err)
	if diverged := (*solver.DivergenceError)(nil); r.Err != nil && !over(r.Err) && !errors.As(r.Err, &diverged) && !recorded {
		return nil, r.Err // an error of the file
	}
	res = resultOf(p, q, r, f, &did, set, time.Since(began))
	if recorded {
		res.Status = solver.Stopped
		return res, by
	}
	late := context.Cause(ctx) == errTime
	if !team.Alone() {
		late = set.TimeLimit > 0 && errors.Is(r.Err, context.DeadlineExceeded)
	}
	res.Status, err = ended(r, q.Loss, late, automatic(set), within.Tol > 0, within.Tol*f.Scale())
	return res, err
}

// joined returns the team of the ranks that solve a problem. err is the error that this rank has
// found before, or nil.
func joined(p *solver.Problem, err error) (*rows.Team, error) {
	if p == nil {
		return nil, err
	}
	return rows.Join(p.Comm, p.Data, err)
}

// over reports whether err says that a context was cancelled or its time is over.
func over(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

func automatic(set *solver.Settings) bool {
	_, auto := set.Method.(solver.Auto)
	return auto || set.Method == nil
}

// ended returns the status of a run, and an error if the run had a goal and did not reach it. late
// says that the time limit ended the run, asked that the settings have a tolerance. final says that
// the method continues until the goal is reached. goal is 0 if the run ended before its goal was
// known, or if the objective at x = 0 is 0; then there is no error.
func ended(r *exact.Solution, loss term.Loss, late, final, asked bool, goal float64) (solver.Status, error) {
	how := ending.Run{Err: r.Err, Late: late, Gap: r.Gap, Goal: goal, Final: final, Why: r.Why, Advice: loss.Traits().StallAdvice}
	diverged := (*solver.DivergenceError)(nil)
	if how.Diverged = errors.As(r.Err, &diverged); late && !how.Diverged {
		how.Err = nil
	}
	word, advice := how.Status()
	status := solver.Status(word)
	switch {
	case how.Err != nil:
		return status, how.Err
	case advice == nil || !asked || goal == 0 && !late || !final && math.IsInf(r.Gap, 1):
		return status, nil
	}
	return status, &solver.NotConvergedError{
		Status: status, Objective: r.Objective, Gap: r.Gap, Goal: goal, Why: advice.Why, Remedies: advice.Remedies,
	}
}

// errTime is the cause of a context that a time limit has ended.
var errTime = errors.New("stream: time limit reached")

// Refuses returns nil if Minimize accepts a problem with the given settings. Otherwise it returns
// an error that says why not and wraps ErrNotStreamed.
func Refuses(p *solver.Problem, set *solver.Settings) error {
	if set == nil {
		set = &solver.Settings{}
	}
	_, err := problemOf(p, set)
	return err
}

// problemOf returns the problem in the form of package exact.
func problemOf(p *solver.Problem, set *solver.Settings) (*exact.Problem, error) {
	if p == nil {
		return nil, errors.New("stream: the problem is nil")
	}
	auto := automatic(set)
	switch set.Method.(type) {
	case nil, solver.Auto, solver.SCASK, solver.SCASL:
	default:
		return nil, &sparse.RemedyError{
			Err:      refused("method %s is not streamed", set.Method.Info().Name),
			Remedies: []sparse.Remedy{{Field: "Settings.Method", To: "auto, scas-k or scas-l"}},
		}
	}
	if p.Data == nil || !p.Data.Mapped() {
		return nil, refused("they must be in a .scas file, which scas convert writes")
	}
	if set.Checkpoint != nil {
		return nil, &sparse.RemedyError{
			Err:      refused("checkpoints are only for data in memory"),
			Remedies: []sparse.Remedy{{Field: "Settings.Checkpoint", To: "nil"}},
		}
	}
	if p.Comm != nil && p.Comm.Size() > 1 && !auto {
		return nil, &sparse.RemedyError{
			Err:      refused("with ranks method %s is not streamed", set.Method.Info().Name),
			Remedies: []sparse.Remedy{{Field: "Settings.Method", To: "auto"}},
		}
	}
	n, features := p.Data.Dims()
	part := *p // a copy without the rows is enough, because Validate depends on the other fields only
	part.Data, part.Labels, part.SampleWeights = sparse.Identity(features), make([]float64, features), nil
	for j := range part.Labels {
		part.Labels[j] = 1
	}
	switch err := part.Validate(); {
	case err != nil:
		return nil, err
	case len(p.Labels) != n:
		return nil, fmt.Errorf("stream: %d labels for %d rows: want one for every row", len(p.Labels), n)
	case p.Coupling != nil:
		return nil, refused("a coupling A x + B y = c is not streamed")
	}
	a := p.Constraint
	if c, ok := a.(*solver.Constraint); ok {
		a = c.Operator
	}
	q := &exact.Problem{Data: p.Data, Labels: p.Labels, Weights: p.SampleWeights, Ridge: slices.Repeat([]float64{p.L2}, features), A: linalg.New(a, features), Threads: set.Threads}
	if !q.Pose(term.LossOf(p.Loss), term.PenaltyOf(p.Penalty), term.SetOf(p.Domain)) {
		return nil, refused("losses, penalties and domains of other packages are not streamed")
	}
	if !auto && math.IsInf(q.Loss.Curvature(), 1) {
		return nil, &solver.SettingError{
			Field: "Method", Value: set.Method.Info().Name,
			Allowed:  fmt.Sprintf("the curvature of the %s loss has no bound, from which its steps follow", q.Loss),
			Remedies: []sparse.Remedy{{Field: "Settings.Method", To: "auto"}},
		}
	}
	if why := q.FileRefusal(); why != "" && auto {
		return nil, refused("%s", why)
	}
	if err := validWeights(p.SampleWeights, n); err != nil {
		return nil, err
	}
	return q, validLabels(q.Loss, q.Data, q.Labels)
}

func validWeights(weights []float64, n int) error {
	if weights == nil {
		return nil
	}
	var sum float64
	for i, w := range weights {
		if !(w >= 0) {
			return fmt.Errorf("stream: weight %d is %v: want numbers that are not negative", i, w)
		}
		sum += w
	}
	if len(weights) != n || !(sum > 0) || math.IsInf(sum, 0) {
		return fmt.Errorf("stream: %d weights with the sum %v for %d rows: want one for every row, and a finite sum above 0", len(weights), sum, n)
	}
	return nil
}

// newFile returns the file of a problem.
func newFile(q *exact.Problem, team *rows.Team, opt Options) *exact.File {
	return exact.NewFile(&exact.FileProblem{Data: q.Data, Labels: q.Labels, Weights: q.Weights, Loss: q.Loss, Threads: q.Threads, Team: team, Memory: opt.Memory})
}

// solveExactly solves a problem that FileRefusal accepts, starting at start, which has length p or
// is nil. set.Tol is relative to the objective at 0.
func solveExactly(q *exact.Problem, f *exact.File, start []float64, opt Options, set *exact.Settings, rec *recorder) *exact.Solution {
	_, p := q.Data.Dims()
	failed := &exact.Solution{X: make([]float64, p), Gap: math.Inf(1), Objective: math.Inf(1), Why: ending.Interrupted}
	copy(failed.X, start)
	report := newReporter(opt.Tell)
	f.Tell = func(part float64) { report.pass(f, part) }
	if failed.Err = f.Survey(f.Room()); failed.Err != nil {
		return failed
	}
	q.Take(f)
	s, err := exact.New(q)
	if err != nil {
		failed.Err = err
		return failed
	}
	tol := set.Tol * f.Scale()
	report.goal = tol
	ask := f.Team.Within(f.Stop)
	return s.Finish(start, &exact.Settings{Tol: tol, Interrupt: ask, Stop: ask, Watch: func(r *exact.Result) error {
		report.found(r.Objective, r.Gap)
		if rec == nil {
			return nil
		}
		return f.Team.Agreed(rec.show(r.Iterations, f.Visits(), s.Solution(*r, tol), f.Gradient()))
	}})
}

func refused(format string, args ...any) error {
	return fmt.Errorf("stream: %w: %s", ErrNotStreamed, fmt.Sprintf(format, args...))
}

// validLabels checks the labels, one part after the other.
func validLabels(l term.Loss, data *sparse.CSR, labels []float64) error {
	const piece = 1 << 20
	for lo := 0; lo < len(labels); lo += piece {
		hi := min(lo+piece, len(labels))
		if err := l.Validate(labels[lo:hi]); err != nil {
			return l.Validate(labels) // for an error with the right row number
		}
		data.Release(lo, hi)
	}
	return nil
}

// resultOf returns the result for a solution, without its status.
func resultOf(p *solver.Problem, q *exact.Problem, r *exact.Solution, f *exact.File, did *runSummary, set *solver.Settings, took time.Duration) *solver.Result {
	image, at := evaluation(p, q, r.X, r.Objective)
	if r.Z == nil {
		r.Z = make([]float64, len(image))
	}
	res := &solver.Result{
		Iterate: solver.Iterate{X: r.X, Y: image, Dual: r.Z}, XAverage: r.X, YAverage: image, At: at, AtAverage: at, Unrounded: r.Objective,
		DualityGap: r.Gap, DualResidual: dualResidual(p, q, r, did.gradient),
	}
	res.Groups, res.Stats.Rounded = tied(r)
	st := &res.Stats
	st.Method, st.Plan, st.Storage = "auto", "streamed", p.Data.Rows(0, 0).Form()
	st.PlanReason = fmt.Sprintf("data larger than memory: %d passes over %d windows of the file, from %d of the samples", f.Visits(), f.Windows(), f.Sampled())
	st.OuterIterations = 1
	if !automatic(set) {
		st.Method, st.Plan, st.PlanReason, st.OuterIterations = methodOf(set), did.plan, did.reason, did.outer
	}
	st.Name, st.Eta, st.Rho = nameOf(set), did.eta, did.rho
	st.Passes, st.PaperPasses, st.NewtonSteps = float64(f.Visits()+did.passes), float64(f.Visits()+did.passes), r.Iterations
	st.DualUpdates, st.BatchSize, st.Seconds = max(1, did.updates), 1, took.Seconds()
	return res
}

// tied returns the groups of equal coefficients. known is false if zeros and ties are not exact.
func tied(r *exact.Solution) (groups [][]int, known bool) {
	if !r.Polished {
		return nil, false
	}
	return r.Structure.Groups(), true
}

// evaluation returns A x and the parts of the objective at x.
func evaluation(p *solver.Problem, q *exact.Problem, x []float64, objective float64) ([]float64, solver.Evaluation) {
	image := slices.Clone(x)
	if a := q.A.Matrix(); a != nil {
		l, _ := a.Dims()
		image = make([]float64, l)
		a.MulVec(image, x)
	}
	at := solver.Evaluation{Objective: objective, Penalty: term.PenaltyOf(p.Penalty).Value(image)}
	at.Loss = objective - at.Penalty - float64(0.5*p.L2*dot(x))
	return image, at
}

// dualResidual returns |∇f(x) + A'z|₂, where grad is the gradient of the losses and a nil
// z means 0. It returns NaN if there is no gradient, or if there is a domain.
func dualResidual(p *solver.Problem, q *exact.Problem, r *exact.Solution, grad []float64) float64 {
	if grad == nil || p.Domain != nil {
		return math.NaN()
	}
	sum := make([]float64, len(r.X))
	if a := q.A.Matrix(); a != nil && r.Z != nil {
		a.MulVecTrans(sum, r.Z)
	} else {
		copy(sum, r.Z)
	}
	for j, g := range grad {
		sum[j] += g + float64((q.Ridge[j]-q.PenaltyRidge)*r.X[j])
	}
	return math.Sqrt(dot(sum))
}

func dot(x []float64) (sum float64) {
	for _, v := range x {
		sum += float64(v * v)
	}
	return sum
}

// leastMemory is the memory, in bytes, of a pass that stores no results.
const leastMemory = 64 << 20

// Separates reports whether x separates the rows of all ranks: moving along x increases the loss of
// no row with positive weight, and decreases the loss of some row without end. For two classes,
// aᵢ'x then has the sign of the label in all rows where it is not zero.
func Separates(ctx context.Context, p *solver.Problem, x []float64) (apart bool, err error) {
	defer rows.Rescue(&err)
	q := &exact.Problem{Data: p.Data, Labels: p.Labels, Weights: p.SampleWeights, Loss: term.LossOf(p.Loss)}
	f := newFile(q, rows.NewTeam(p.Comm), Options{Memory: leastMemory})
	f.Stop = ctx.Err
	return f.Falls(x)
}
