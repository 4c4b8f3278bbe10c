package stream

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/dist"
	"github.com/scas-admm/scas/solver/internal/exact"
	"github.com/scas-admm/scas/solver/internal/pass"
	"github.com/scas-admm/scas/solver/internal/quad"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

// Samples are what a Fit is about. Its slices are only read.
type Samples struct {
	Data      *sparse.CSR // mapped (sparse.CSR.Mapped), n × p
	Labels    []float64   // −1 and +1, or numbers, as the loss wants them
	Weights   []float64   // ωᵢ ≥ 0; nil for equal ones
	Offsets   []float64   // oᵢ, added to the margins; nil for none
	Positive  *float64    // the label that counts as +1, all others as −1; nil for Labels as they are
	Folds     []uint8     // rows of which this is Out are left out; nil for none
	Out       uint8
	Loss      solver.Loss
	Intercept bool // c, a last coefficient that is 1 in every row
	Threads   int  // 0 for GOMAXPROCS; results do not depend on it
	// Comm joins ranks that have other rows each, in the slices as well; nil means that there
	// are none. Calls are collective then: a context that ends on one rank ends them all.
	Comm dist.Comm
}

// A Fit solves
//
//	Σ cᵢ φ(aᵢ'x + c + oᵢ; bᵢ) + lambda (Σ l1_k |(A x)_k| + Σ (l2ⱼ/2) xⱼ²),  cᵢ = ωᵢ/Σω
//
// or with norms of groups in the place of absolute values, for one
// lambda after the other, each from where the last one ended, in the passes over the data that
// the package comment describes; of these nothing is copied but a part of the samples. Up to
// 256 coefficients, the intercept among them, may have no penalty. The same samples, memory
// and lambdas give the same bits. It is not for concurrent use.
type Fit struct {
	file   *exact.File
	s      *exact.Solver
	teller teller
	told   int // passes that results have told of
}

// NewFit prepares a Fit, by a first pass in which the data are checked. What a Fit does not
// take is an error that wraps ErrNotStreamed.
func NewFit(ctx context.Context, of *Samples, opt Options) (f *Fit, err error) {
	defer pass.Rescue(&err)
	team, err := pass.Join(of.Comm, of.Data, cmp.Or(of.check(), of.validLabels()))
	if err != nil {
		return nil, err
	}
	f = &Fit{file: of.file(team, opt.Memory), teller: newTeller(opt.Tell)}
	f.file.Stop, f.file.Tell = ctx.Err, func(part float64) { f.teller.pass(f.file, part) }
	return f, f.file.Survey(f.file.Room())
}

// file is that of the samples.
func (of *Samples) file(team *pass.Team, memory int64) *exact.File {
	return exact.NewFile(&exact.FileProblem{
		Data: of.Data, Ones: of.Intercept, Labels: of.Labels, Positive: of.Positive, Weights: of.Weights, Offset: of.Offsets,
		Folds: of.Folds, Out: of.Out, Loss: term.LossOf(of.Loss), Threads: of.Threads, Team: team, Memory: memory,
	})
}

// check reports what is wrong with the samples, but for their labels.
func (of *Samples) check() error {
	n, columns := of.Data.Dims()
	if of.Intercept {
		columns++
	}
	switch {
	case !of.Data.Mapped():
		return refused("they must be in a .scas file, which scas convert writes")
	case !term.LossOf(of.Loss).Traits().Conjugate:
		return refused("only losses with a conjugate are streamed")
	case columns > exact.DenseFeatures:
		return refused("up to %d coefficients are streamed, and there are %d", exact.DenseFeatures, columns)
	case len(of.Labels) != n || of.Offsets != nil && len(of.Offsets) != n || of.Folds != nil && len(of.Folds) != n:
		return fmt.Errorf("stream: %d labels, %d offsets and %d folds for %d rows: want one for every row", len(of.Labels), len(of.Offsets), len(of.Folds), n)
	}
	return validWeights(of.Weights, n)
}

func (of *Samples) validLabels() error {
	if of.Positive != nil {
		return nil
	}
	return validLabels(term.LossOf(of.Loss), of.Data, of.Labels)
}

// Separates reports whether margins aᵢ'x, with a last entry of x for the intercept if there
// is one, and without the offsets, separate the rows of all ranks: along x the loss of no row of
// weight rises, and that of some never does. Of two classes, they tell them apart.
func Separates(ctx context.Context, of *Samples, x []float64) (apart bool, err error) {
	defer pass.Rescue(&err)
	f := of.file(pass.NewTeam(of.Comm), leastMemory)
	f.Stop = ctx.Err
	return f.Falls(x)
}

// leastMemory is that of a pass that keeps nothing.
const leastMemory = 64 << 20

// Deviations returns the standard deviations √(Σ cᵢ(x_ij − mⱼ)²) of the features, 1 for
// constant ones.
func (f *Fit) Deviations() []float64 { return f.file.Deviations() }

// Scale returns what tolerances are parts of: the mean loss at x = 0, c = 0, for counts that of the
// best c without x.
func (f *Fit) Scale() float64 { return f.file.Scale() }

// Penalise sets the penalty for lambda = 1: a has a column for each coefficient, nil for
// the identity, l1 an entry for each of its rows, l2 one for each coefficient. groups are disjoint
// sets of rows of a whose norm is penalised, by the l1 of their rows, in the place of absolute
// values; nil for none.
func (f *Fit) Penalise(a *sparse.CSR, l1, l2 []float64, groups [][]int) error {
	p := &exact.Problem{A: quad.New(nil, len(l2)), Limit: l1, Ridge: l2, Groups: groups}
	if a != nil {
		p.A = quad.New(a, len(l2))
	}
	return f.pose(p)
}

// pose makes the next solver that of a problem with the samples of the file.
func (f *Fit) pose(p *exact.Problem) error {
	p.Take(f.file)
	if err := refusesFree(p); err != nil {
		return err
	}
	s, err := exact.New(p)
	if err != nil {
		return err
	}
	if f.s != nil {
		s.Start(f.s.X())
	}
	f.s = s
	return nil
}

// settings are those of a solver, which asks ctx and tells what it finds.
func (f *Fit) settings(ctx context.Context, tol float64) *exact.Settings {
	f.file.Stop, f.teller.goal = ctx.Err, tol
	ask := f.file.Team.Within(ctx.Err)
	return &exact.Settings{Tol: tol, Interrupt: ask, Stop: ask, Watch: func(r *exact.Result) error {
		f.teller.found(r.Objective, r.Gap)
		return nil
	}}
}

// Solve solves for lambda to a gap proved to be at most tol, and returns where it ended and
// what is proved of that: where the gap is more, with an error that matches
// solver.ErrNotConverged or is that of ctx, which comes alone before the first point is
// known. Stats.Passes are those since the last result.
func (f *Fit) Solve(ctx context.Context, lambda, tol float64) (res *solver.Result, err error) {
	defer pass.Rescue(&err)
	began := time.Now()
	found := f.s.Solve(lambda, f.settings(ctx, tol))
	if found.Err != nil && (!over(found.Err) || f.file.Gradient() == nil) {
		return nil, found.Err // of the file, or before anything is known
	}
	r := f.s.Solution(found, tol)
	at := solver.Evaluation{Objective: r.Objective, Loss: found.Loss}
	res = &solver.Result{Iterate: solver.Iterate{X: r.X}, At: at, AtAverage: at, DualityGap: r.Gap}
	res.Groups, res.Stats.Rounded = tied(r)
	res.Stats.Method, res.Stats.Plan, res.Stats.NewtonSteps = "streamed-newton", "streamed", r.Iterations
	res.Stats.Passes, res.Stats.Seconds = float64(f.file.Visits()-f.told), time.Since(began).Seconds()
	f.told = f.file.Visits()
	res.Status, err = ended(r, f.file.Loss, false, true, true, tol)
	return res, err
}

// Null moves to the solution where every coefficient with a penalty is zero, and returns
// the gradient of the mean loss there, with an entry for each coefficient. The penalty is one of
// single coefficients, without l2.
func (f *Fit) Null(ctx context.Context) (gradient []float64, err error) {
	defer pass.Rescue(&err)
	f.settings(ctx, 0)
	if _, err := f.s.LambdaMax(f.file.Team.Within(ctx.Err)); err != nil {
		return nil, err
	}
	return f.s.Gradient(), nil
}

// tied returns the groups of equal coefficients, if zeros and ties are exact.
func tied(r *exact.Solution) (groups [][]int, known bool) {
	if !r.Polished {
		return nil, false
	}
	return r.Structure.Groups(), true
}
