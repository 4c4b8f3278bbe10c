package stream

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/dist"
	"github.com/scas-admm/scas/solver/internal/ending"
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
// or with norms of groups of features in the place of that penalty (PenaliseGroups), for one
// lambda after the other, each from where the last one ended, in the passes over the data that
// the package comment describes; of these nothing is copied but a part of the samples. Up to
// 256 coefficients, the intercept among them, may have no penalty. The same samples, memory
// and lambdas give the same bits. It is not for concurrent use.
type Fit struct {
	*run
	l1, l2 []float64
	start  *part // nil once it was used
	at     *state
	told   int // passes that results have told of
}

// NewFit prepares a Fit, by a first pass in which the data are checked. What a Fit does not
// take is an error that wraps ErrNotStreamed.
func NewFit(ctx context.Context, of *Samples, opt Options) (f *Fit, err error) {
	defer pass.Rescue(&err)
	_, columns := of.Data.Dims()
	if of.Intercept {
		columns++
	}
	q := &exact.Problem{Data: of.Data, Labels: of.Labels, Weights: of.Weights, Loss: term.LossOf(of.Loss), A: quad.New(nil, columns), Limit: make([]float64, columns), Threads: of.Threads}
	team, err := pass.Join(of.Comm, of.Data, cmp.Or(of.check(q, columns), of.validLabels(q.Loss)))
	if err != nil {
		return nil, err
	}
	f = &Fit{run: newRun(q, extra{ones: of.Intercept, offset: of.Offsets, positive: of.Positive, folds: of.Folds, out: of.Out, ridge: make([]float64, columns), team: team}, opt, &exact.Settings{Stop: ctx.Err})}
	if f.start, err = f.begin(f.room(opt.Memory)); err == nil && len(f.start.Labels) == 0 {
		f.start = nil // all are left out
	}
	return f, err
}

// check reports what is wrong with the samples, but for their labels.
func (of *Samples) check(q *exact.Problem, columns int) error {
	n, _ := of.Data.Dims()
	switch {
	case !of.Data.Mapped():
		return refused("they must be in a .scas file, which scas convert writes")
	case !q.Loss.Traits().Conjugate:
		return refused("only losses with a conjugate are streamed")
	case columns > exact.DenseFeatures:
		return refused("up to %d coefficients are streamed, and there are %d", exact.DenseFeatures, columns)
	case len(of.Labels) != n || of.Offsets != nil && len(of.Offsets) != n || of.Folds != nil && len(of.Folds) != n:
		return fmt.Errorf("stream: %d labels, %d offsets and %d folds for %d rows: want one for every row", len(of.Labels), len(of.Offsets), len(of.Folds), n)
	}
	return validWeights(of.Weights, n)
}

func (of *Samples) validLabels(l term.Loss) error {
	if of.Positive != nil {
		return nil
	}
	return validLabels(l, of.Data, of.Labels)
}

// Deviations returns the standard deviations √(Σ cᵢ(x_ij − mⱼ)²) of the features, 1 for
// constant ones.
func (f *Fit) Deviations() []float64 { return f.facts.columns.deviation }

// Scale returns what tolerances are parts of: the mean loss at x = 0, c = 0, for counts that of the
// best c without x.
func (f *Fit) Scale() float64 { return f.facts.zero }

// Penalise sets the penalty for lambda = 1: a has a column for each coefficient, nil for
// the identity, l1 an entry for each of its rows, l2 one for each coefficient. Ridges that
// differ, and offsets with a loss that is not one of the residual, are for A = I.
func (f *Fit) Penalise(a *sparse.CSR, l1, l2 []float64) error {
	switch {
	case a != nil && slices.Min(l2) != slices.Max(l2):
		return refused("with a graph, an elastic net is streamed for features as they are (no standardising)")
	case a != nil && f.extra.offset != nil && !f.ofResidual():
		return refused("with a graph, offsets are streamed for the losses squared and huber")
	}
	f.l1, f.l2 = l1, l2
	f.q.A, f.q.Groups = quad.New(nil, len(l2)), nil
	if a != nil {
		f.q.A = quad.New(a, len(l2))
	}
	f.setLambda(1)
	return refusesFree(f.bounds)
}

// PenaliseGroups sets the penalty Σ limit_k √(Σ (scaleⱼ xⱼ)²), the inner sum over group k, for
// lambda = 1. Groups are disjoint; features in none have no penalty.
func (f *Fit) PenaliseGroups(groups [][]int, scale, limit []float64) error {
	if f.extra.offset != nil && !f.ofResidual() {
		return refused("with groups, offsets are streamed for the losses squared and huber")
	}
	columns := len(f.extra.ridge)
	ptr, idx, val := make([]int64, 1, columns+1), []int32(nil), []float64(nil)
	f.l1, f.l2, f.q.Groups = nil, make([]float64, columns), make([][]int, len(groups))
	for k, members := range groups {
		for _, j := range members {
			f.q.Groups[k] = append(f.q.Groups[k], len(idx))
			idx, val, f.l1 = append(idx, int32(j)), append(val, scale[j]), append(f.l1, limit[k])
			ptr = append(ptr, int64(len(idx)))
		}
	}
	a, err := sparse.New(len(idx), columns, ptr, idx, val)
	if err != nil {
		return err
	}
	f.q.A = quad.New(a, columns)
	f.setLambda(1)
	return refusesFree(f.bounds)
}

// ofResidual reports whether the loss is one of the difference of margin and label.
func (f *Fit) ofResidual() bool { return f.q.Loss.Traits().Residual }

// setLambda makes the penalty that of lambda.
func (f *Fit) setLambda(lambda float64) {
	f.q.Limit = make([]float64, len(f.l1))
	for k, w := range f.l1 {
		f.q.Limit[k] = lambda * w
	}
	for j, r := range f.l2 {
		f.extra.ridge[j] = lambda * r
	}
	f.bounds = boundsOf(f.q, f.extra.ridge, f.facts.columns.Columns)
	for _, t := range f.tallies {
		t.closing, t.roots = nil, nil
	}
}

// Solve solves for lambda to a gap proved to be at most tol, and returns where it ended and
// what is proved of that: where the gap is more, with an error that matches
// solver.ErrNotConverged or is that of ctx, which comes alone before the first point is
// known. Stats.Passes are those since the last result.
func (f *Fit) Solve(ctx context.Context, lambda, tol float64) (res *solver.Result, err error) {
	defer pass.Rescue(&err)
	began := time.Now()
	f.set = &exact.Settings{Tol: tol, Stop: ctx.Err}
	f.setLambda(lambda)
	if err := refusesFree(f.bounds); err != nil {
		return nil, err
	}
	r := &exact.Solution{X: make([]float64, len(f.extra.ridge)), Gap: math.Inf(1), Objective: math.Inf(1)}
	if r.Err = f.place(tol); r.Err == nil {
		r.X, r.Objective = f.at.x, f.at.value
		r.Err = f.iterate(r, f.at, tol)
	}
	if r.Err != nil {
		if !over(r.Err) || f.at == nil {
			return nil, r.Err // of the file, or before anything is known
		}
		r.Why = ending.Interrupted
	}
	at := solver.Evaluation{Objective: r.Objective, Loss: f.at.loss}
	res = &solver.Result{Iterate: solver.Iterate{X: slices.Clone(r.X)}, At: at, AtAverage: at, DualityGap: r.Gap}
	res.Groups, res.Stats.Rounded = tied(r, f.facts.zero)
	res.Stats.Method, res.Stats.Plan, res.Stats.NewtonSteps = "streamed-newton", "streamed", r.Iterations
	res.Stats.Passes, res.Stats.Seconds = float64(f.facts.passes-f.told), time.Since(began).Seconds()
	f.told = f.facts.passes
	res.Status, err = ended(r, f.q.Loss, false, true, true, tol)
	return res, err
}

// place moves to where the steps for a lambda begin: the last point, at first the solution
// of the samples in memory.
func (f *Fit) place(tol float64) error {
	if f.at != nil {
		f.at.value, f.at.proved = f.bounds.Value(f.at.x, f.at.loss), math.Inf(-1)
		return nil
	}
	x := make([]float64, len(f.extra.ridge))
	if f.start != nil {
		var err error
		if x, err = f.sampled(f.start, nil, tol); err != nil {
			return err
		}
		f.start = nil
	}
	var err error
	f.at, err = f.look(x)
	return err
}

// Null moves to the solution where every coefficient with a penalty is zero, and returns
// the gradient of the mean loss there, with an entry for each coefficient.
func (f *Fit) Null(ctx context.Context) (gradient []float64, err error) {
	defer pass.Rescue(&err)
	f.set = &exact.Settings{Stop: ctx.Err}
	f.setLambda(1)
	x := make([]float64, len(f.extra.ridge))
	free := f.bounds.Unheld()
	if f.start != nil && len(free) > 0 {
		f.atNull(x)
	}
	f.start = nil
	const part = 1e-16 // of the loss at 0
	for last := f.facts.passes + most; f.facts.passes < last; {
		at, err := f.look(x)
		if err != nil {
			return nil, err
		}
		f.at = at
		step, drop := newtonStep(free, f.hessian, at.grad)
		if !(drop > part*f.facts.zero) {
			return at.grad, nil
		}
		x = slices.Clone(x)
		for k, j := range free {
			x[j] += step[k]
		}
	}
	return nil, fmt.Errorf("stream: %w: the coefficients without a penalty have no optimum: penalise them", solver.ErrNotConverged)
}

// atNull sets x to the point of Null for the samples in memory, if there is one.
func (f *Fit) atNull(x []float64) {
	l1 := slices.Repeat([]float64{1}, len(x))
	for _, j := range f.bounds.Unheld() {
		l1[j] = 0
	}
	q := *f.start.Problem
	q.A, q.Limit, q.Ridge, q.Offset = nil, l1, make([]float64, len(x)), f.start.offset
	if s, err := exact.New(&q); err == nil {
		if _, err := s.LambdaMax(f.asks()); err == nil {
			copy(x, s.X())
		}
	}
}

// newtonStep returns −H_FF⁻¹ g_F and twice what it is expected to lower the loss by.
func newtonStep(free []int32, h, g []float64) (step []float64, drop float64) {
	k, p := len(free), len(g)
	if k == 0 {
		return nil, 0
	}
	part, scale := make([]float64, k*k), make([]float64, k)
	step = make([]float64, k)
	for a, i := range free {
		step[a], scale[a] = -g[i], 1
		if d := h[int(i)*p+int(i)]; d > 0 {
			scale[a] = 1 / math.Sqrt(d)
		}
		for b := a; b < k; b++ {
			part[a*k+b] = h[int(i)*p+int(free[b])]
		}
	}
	chol := quad.NewCholesky(k)
	for lift := firstLift; !chol.FactorScaled(part, scale, lift, 1) && lift < lastLift; {
		lift *= 100
	}
	for a := range step {
		step[a] *= scale[a]
	}
	chol.Solve(step, step)
	for a, i := range free {
		step[a] *= scale[a]
		drop -= float64(step[a] * g[i])
	}
	return step, drop
}

// exactGap is the gap of a point whose zeros and ties are proved, as a part of the objective
// at 0.
const exactGap = 1e-11

// tied returns the groups of equal coefficients, if they are part of what is proved.
func tied(r *exact.Solution, zero float64) (groups [][]int, known bool) {
	if !r.Polished || r.Gap > exactGap*zero {
		return nil, false
	}
	return r.Structure.Groups(), true
}
