package stream

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/admm"
	"github.com/scas-admm/scas/solver/internal/ending"
	"github.com/scas-admm/scas/solver/internal/exact"
	"github.com/scas-admm/scas/solver/internal/gap"
	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

// ErrNotStreamed is wrapped by errors that say why this package cannot solve a problem out of core.
var ErrNotStreamed = errors.New("data larger than memory")

// Minimize does what solver.Minimize does, for mapped data (sparse.CSR.Mapped) and the methods solver.SCASK
// and SCASL. memory is the approximate number of bytes that it may use. Each inner loop draws from one batch
// of the file. Results have a certified gap if package exact can solve the problem with a file
// (exact.Problem.FileRefusal).
//
// Minimize refuses other methods, several ranks, checkpoints, a Coupling, the caller's own losses, penalties
// and domains, and data that are not mapped. Its error then wraps ErrNotStreamed. Beside Method, it uses the
// settings Name, RelTol, TimeLimit, Threads, Start.X, Recorder, RecordEvery, Report, Passes, DualUpdates, Eta,
// Rho and Seed. It calls Report several times in each pass.
//
// In recorded points and results, the averages are equal to the iterate, and y is A x. The same data,
// settings and memory give the same bits.
func Minimize(ctx context.Context, p *solver.Problem, set *solver.Settings, memory int64) (*solver.Result, error) {
	began := time.Now()
	q, err := problemOf(p, set)
	if err != nil {
		return nil, err
	}
	if err := set.Validate(); err != nil {
		return nil, err
	}
	if set.Passes > 0 {
		if err := set.CheckBudget(passesOfOuter); err != nil {
			return nil, err
		}
	}
	ctx, cancel := ending.WithTimeLimit(ctx, set.TimeLimit)
	defer cancel()
	tol := max(0, set.RelTol)
	f := exact.NewFile(&exact.FileProblem{
		Data: q.Data, Labels: q.Labels, Weights: q.Weights, Loss: q.Loss, Threads: q.Threads, Memory: memory,
	})
	f.Stop = ctx.Err
	s := newStochastic(p, set, q, f, memory, began)
	r := s.solve()
	s.clock.Pause()
	if r.Err == nil {
		r.Err = s.prove(r, tol*f.Scale())
	}
	recorderErr, recorderStopped := stoppedByRecorder(r.Err)
	_, diverged := errors.AsType[*solver.DivergenceError](r.Err)
	if r.Err != nil && !ending.IsContextError(r.Err) && !diverged && !recorderStopped {
		return nil, r.Err // for example, the file cannot be read
	}
	res := s.result(r)
	if recorderStopped {
		res.Status = solver.Stopped
		return res, recorderErr
	}
	res.Status, err = statusOf(r, ending.Late(ctx), tol > 0, tol*f.Scale())
	return res, err
}

// statusOf returns the status of a run, and an error if the run ended with an error or missed its goal. late
// is true if the time limit ended the run. hasTolerance is true if the settings have a tolerance. goal is the
// gap to reach. It is 0 if the loss at x = 0 is 0, or if the run ended before the goal was known.
func statusOf(r *exact.Solution, late, hasTolerance bool, goal float64) (solver.Status, error) {
	_, diverged := errors.AsType[*solver.DivergenceError](r.Err)
	evidence := ending.Evidence{Err: r.Err, Late: late, Diverged: diverged, Gap: r.Gap, Goal: goal}
	if late && !diverged {
		evidence.Err = nil
	}
	statusText, advice := evidence.Status()
	status := solver.Status(statusText)
	switch {
	case evidence.Err != nil:
		return status, evidence.Err
	case advice == nil || !hasTolerance || math.IsInf(r.Gap, 1):
		return status, nil
	}
	return status, &solver.NotConvergedError{
		Status: status, Objective: r.Objective, Gap: r.Gap, Goal: goal, Why: advice.Why, Remedies: advice.Remedies,
	}
}

// problemOf converts p to the problem type of package exact. It returns an error if Minimize must refuse p or
// set.
func problemOf(p *solver.Problem, set *solver.Settings) (*exact.Problem, error) {
	switch set.Method.(type) {
	case solver.SCASK, solver.SCASL:
	default:
		return nil, refusal("only scas-k and scas-l draw from a file")
	}
	if p.Data == nil || !p.Data.Mapped() {
		return nil, refusal("they must be in a .scas file, which scas convert writes")
	}
	if set.Checkpoint != nil {
		return nil, &sparse.RemedyError{
			Err:      refusal("checkpoints are only for data in memory"),
			Remedies: []sparse.Remedy{{Field: "Settings.Checkpoint", To: "nil"}},
		}
	}
	if p.Comm != nil && p.Comm.Size() > 1 {
		return nil, &sparse.RemedyError{
			Err:      refusal("with ranks method %s is not streamed", set.Method.Info().Name),
			Remedies: []sparse.Remedy{{Field: "Settings.Method", To: "auto"}},
		}
	}
	n, features := p.Data.Dims()
	stub := *p // for Validate, which then checks all fields except Data, Labels and SampleWeights
	stub.Data, stub.Labels, stub.SampleWeights = sparse.Identity(features), make([]float64, features), nil
	for j := range stub.Labels {
		stub.Labels[j] = 1
	}
	switch err := stub.Validate(); {
	case err != nil:
		return nil, err
	case len(p.Labels) != n:
		return nil, errorf("%d labels for %d rows: want one for every row", len(p.Labels), n)
	case p.Coupling != nil:
		return nil, refusal("a coupling A x + B y = c is not streamed")
	case set.DualUpdates > n:
		return nil, &solver.SettingError{
			Field: "DualUpdates", Value: set.DualUpdates, Allowed: fmt.Sprintf("it must lie between 1 and the %d rows", n),
			Remedies: []sparse.Remedy{{To: "leave it 0 for the default"}},
		}
	}
	a := p.Constraint
	if c, ok := a.(*solver.Constraint); ok {
		a = c.Operator
	}
	q := &exact.Problem{
		Data: p.Data, Labels: p.Labels, Weights: p.SampleWeights, Ridge: slices.Repeat([]float64{p.L2}, features),
		A: linalg.New(a, features), Threads: set.Threads,
	}
	if !q.Pose(term.LossOf(p.Loss), term.PenaltyOf(p.Penalty), term.SetOf(p.Domain)) {
		return nil, refusal("losses, penalties and domains of other packages are not streamed")
	}
	if math.IsInf(q.Loss.Curvature(), 1) {
		return nil, &solver.SettingError{
			Field: "Method", Value: set.Method.Info().Name,
			Allowed:  fmt.Sprintf("the curvature of the %s loss has no bound, from which its steps follow", q.Loss),
			Remedies: []sparse.Remedy{{Field: "Settings.Method", To: "auto"}},
		}
	}
	if err := admm.CheckWeights(p.SampleWeights, n); err != nil {
		return nil, err
	}
	return q, validLabels(q.Loss, q.Data, q.Labels)
}

func refusal(format string, args ...any) error {
	return errorf("%w: %s", ErrNotStreamed, fmt.Sprintf(format, args...))
}

// validLabels checks the labels part by part, and releases the memory of each part. It returns an error for
// the first label that the loss does not accept.
func validLabels(l term.Loss, data *sparse.CSR, labels []float64) error {
	for lo, hi := range rows.Parts(data, rows.PartRows) {
		if err := l.Validate(labels[lo:hi]); err != nil {
			return l.Validate(labels) // for an error with the right row number
		}
	}
	return nil
}

// result returns the solution of the run as a Result, without a status.
func (s *stochastic) result(r *exact.Solution) *solver.Result {
	image, eval := evaluation(s.p, s.q, r.X, r.Objective)
	if r.Z == nil {
		r.Z = make([]float64, len(image))
	}
	s.stats.Passes, s.stats.PaperPasses, s.stats.Seconds = float64(s.passes()), float64(s.passes()), s.clock.SecondsAtPause()
	return &solver.Result{
		Iterate: solver.Iterate{X: r.X, Y: image, Dual: r.Z}, XAverage: r.X, YAverage: image, At: eval, AtAverage: eval, Unrounded: r.Objective,
		DualityGap: r.Gap, DualResidual: dualResidual(s.p, s.q, r, s.outer.Gradient), Stats: s.stats,
	}
}

// evaluation returns A x and the Evaluation of x.
func evaluation(p *solver.Problem, q *exact.Problem, x []float64, objective float64) ([]float64, solver.Evaluation) {
	image := slices.Clone(q.A.Product().Image(x))
	eval := solver.Evaluation{Objective: objective, Penalty: term.PenaltyOf(p.Penalty).Value(image)}
	eval.Loss = objective - eval.Penalty - float64(0.5*p.L2*linalg.SumSquares(x))
	return image, eval
}

// dualResidual returns the dual residual of r, see solver.Result. grad is the gradient of the mean loss. The
// result is NaN if grad is nil.
func dualResidual(p *solver.Problem, q *exact.Problem, r *exact.Solution, grad []float64) float64 {
	if grad == nil {
		return math.NaN()
	}
	sum := make([]float64, len(r.X))
	q.A.Product().MulVecTrans(sum, r.Z)
	for j, g := range grad {
		sum[j] += g + float64((q.Ridge[j]-q.PenaltyRidge)*r.X[j])
	}
	return gap.Residual(r.X, sum, p.Domain)
}
