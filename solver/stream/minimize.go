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

// ErrNotStreamed is wrapped by errors that say why a problem must fit in memory.
var ErrNotStreamed = errors.New("stream: data larger than memory")

// Minimize is solver.Minimize for data that are mapped (sparse.CSR.Mapped) and larger than
// memory.
//
// With solver.Auto, the default, it takes the losses, penalties and domains of package solver, a matrix A,
// and up to 2,048 features, of which 256 may have no penalty of their own, all if L2 > 0. With solver.SCASK and SCASL, whose inner
// loop draws from a batch of the file at a time, it takes any number of features;
// of their results something is proved where Auto
// takes the problem. Other problems and methods are errors that wrap ErrNotStreamed. Of the
// other settings Name, RelTol, TimeLimit, Threads, Start.X, Recorder and RecordEvery count, and
// for the named methods Passes, DualUpdates, Eta, Rho and Seed.
//
// The Recorder is first shown the first point of which the objective over the whole file is
// known: with Auto the solution of the samples in memory, else the start. Then it is with
// Auto after each Newton step, else after each outer iteration, when the next pass knows
// what that was worth. There are no averages: they are the iterate, and y is A x.
//
// With Problem.Comm every rank goes over its own file, or part of one, and opt.Memory is
// that of one rank; Auto alone is for them. The same data, settings, memory and number of
// ranks give the same bits. Stats.Passes are those over the file.
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
	did := deeds{}
	to := newRecorder(p, q, set, began)
	if automatic(set) {
		if within.Tol == 0 {
			within.Tol = 1e-6
		}
		r = finish(q, f, set.Start.X, opt, within, to)
		did.gradient = f.Gradient()
	} else {
		r, did = batched(p, set, q, f, opt, within, to)
	}
	by, recorded := stoppedBy(r.Err)
	if diverged := (*solver.DivergenceError)(nil); r.Err != nil && !over(r.Err) && !errors.As(r.Err, &diverged) && !recorded {
		return nil, r.Err // of the file
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

// joined joins the ranks that have a problem, of which an error may be known.
func joined(p *solver.Problem, err error) (*rows.Team, error) {
	if p == nil {
		return nil, err
	}
	return rows.Join(p.Comm, p.Data, err)
}

// over reports whether an error is that of a context.
func over(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

func automatic(set *solver.Settings) bool {
	_, auto := set.Method.(solver.Auto)
	return auto || set.Method == nil
}

// ended says how a run of the loss ended, final unless it ends with its passes, and whether that is
// an error: if it was asked for a goal, which is 0 where the run ended before it was known, and where 0
// is a perfect fit: then there is none.
func ended(r *exact.Solution, loss term.Loss, late, final, asked bool, goal float64) (solver.Status, error) {
	how := ending.Run{Err: r.Err, Late: late, Gap: r.Gap, Goal: goal, Final: final, Why: r.Why, Advice: loss.Traits().StallAdvice}
	diverged := (*solver.DivergenceError)(nil)
	if how.Diverged = errors.As(r.Err, &diverged); late && !how.Diverged {
		how.Err = nil
	}
	word, remedy := how.Status()
	status := solver.Status(word)
	switch {
	case how.Err != nil:
		return status, how.Err
	case remedy == "" || !asked || goal == 0 && !late || !final && math.IsInf(r.Gap, 1):
		return status, nil
	}
	return status, &solver.NotConvergedError{Status: status, Objective: r.Objective, Gap: r.Gap, Goal: goal, Try: remedy}
}

// errTime is why a run ends whose time is up.
var errTime = errors.New("stream: time limit reached")

// Refuses says why Minimize does not take a problem with some settings: nil, or an error
// that wraps ErrNotStreamed.
func Refuses(p *solver.Problem, set *solver.Settings) error {
	if set == nil {
		set = &solver.Settings{}
	}
	_, err := problemOf(p, set)
	return err
}

// problemOf returns the problem as package exact takes it.
func problemOf(p *solver.Problem, set *solver.Settings) (*exact.Problem, error) {
	if p == nil {
		return nil, errors.New("stream: the problem is nil")
	}
	auto := automatic(set)
	switch set.Method.(type) {
	case nil, solver.Auto, solver.SCASK, solver.SCASL:
	default:
		return nil, refused("method %s is not streamed; auto, scas-k and scas-l are", set.Method.Info().Name)
	}
	if p.Data == nil || !p.Data.Mapped() {
		return nil, refused("they must be in a .scas file, which scas convert writes")
	}
	if set.Checkpoint != nil {
		return nil, refused("Settings.Checkpoint works only with data in memory")
	}
	if p.Comm != nil && p.Comm.Size() > 1 && !auto {
		return nil, refused("with ranks method auto is streamed, and %s is not", set.Method.Info().Name)
	}
	n, features := p.Data.Dims()
	part := *p // its validity does not depend on the rows
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
		return nil, &solver.SettingError{Field: "Method", Value: set.Method.Info().Name, Allowed: fmt.Sprintf("the curvature of the %s loss has no bound, from which its steps follow; use auto", q.Loss)}
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

// newFile is the file of a problem.
func newFile(q *exact.Problem, team *rows.Team, opt Options) *exact.File {
	return exact.NewFile(&exact.FileProblem{Data: q.Data, Labels: q.Labels, Weights: q.Weights, Loss: q.Loss, Threads: q.Threads, Team: team, Memory: opt.Memory})
}

// finish solves a problem of a file of which refuses says nothing, from start, of length p or
// nil. Of set, Tol is a part of the objective at 0.
func finish(q *exact.Problem, f *exact.File, start []float64, opt Options, set *exact.Settings, to *recorder) *exact.Solution {
	_, p := q.Data.Dims()
	failed := &exact.Solution{X: make([]float64, p), Gap: math.Inf(1), Objective: math.Inf(1), Why: ending.Interrupted}
	copy(failed.X, start)
	tell := newTeller(opt.Tell)
	f.Tell = func(part float64) { tell.pass(f, part) }
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
	tell.goal = tol
	ask := f.Team.Within(f.Stop)
	return s.Finish(start, &exact.Settings{Tol: tol, Interrupt: ask, Stop: ask, Watch: func(r *exact.Result) error {
		tell.found(r.Objective, r.Gap)
		if to == nil {
			return nil
		}
		return f.Team.Agreed(to.show(r.Iterations, f.Visits(), s.Solution(*r, tol), f.Gradient()))
	}})
}

func refused(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrNotStreamed, fmt.Sprintf(format, args...))
}

// validLabels asks the loss about the labels, piece by piece.
func validLabels(l term.Loss, data *sparse.CSR, labels []float64) error {
	const piece = 1 << 20
	for lo := 0; lo < len(labels); lo += piece {
		hi := min(lo+piece, len(labels))
		if err := l.Validate(labels[lo:hi]); err != nil {
			return l.Validate(labels) // which counts from the first
		}
		data.Release(lo, hi)
	}
	return nil
}

// resultOf makes a result of what finish reached, but for its status.
func resultOf(p *solver.Problem, q *exact.Problem, r *exact.Solution, f *exact.File, did *deeds, set *solver.Settings, took time.Duration) *solver.Result {
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

// tied returns the groups of equal coefficients, if zeros and ties are exact.
func tied(r *exact.Solution) (groups [][]int, known bool) {
	if !r.Polished {
		return nil, false
	}
	return r.Structure.Groups(), true
}

// evaluation returns A x, and the objective there in its parts.
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

// dualResidual returns |∇f(x) + A'z|₂, given the gradient of the losses, z being 0 if it is
// nil; it is not known without a gradient and in a domain.
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
		sum[j] += g + float64((q.Ridge[j]-q.Joined)*r.X[j])
	}
	return math.Sqrt(dot(sum))
}

func dot(x []float64) (sum float64) {
	for _, v := range x {
		sum += float64(v * v)
	}
	return sum
}

// leastMemory is that of a pass that keeps nothing.
const leastMemory = 64 << 20

// Separates reports whether margins aᵢ'x separate the rows of all ranks: along x the loss of no row of
// weight rises, and that of some never does. Of two classes, they tell them apart.
func Separates(ctx context.Context, p *solver.Problem, x []float64) (apart bool, err error) {
	defer rows.Rescue(&err)
	q := &exact.Problem{Data: p.Data, Labels: p.Labels, Weights: p.SampleWeights, Loss: term.LossOf(p.Loss)}
	f := newFile(q, rows.NewTeam(p.Comm), Options{Memory: leastMemory})
	f.Stop = ctx.Err
	return f.Falls(x)
}
