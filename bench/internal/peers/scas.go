package peers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"time"

	"github.com/scas-admm/scas/bench/internal/machine"
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/model"
)

// scas is the Peer that runs scas itself, with default settings on one thread. Its tolerance is the gap to
// prove, divided by Problem.AtZero.
var scas = Peer{Name: "scas", Default: 1e-6, Open: func(_ context.Context, h *Handover) (Session, error) {
	return &scasSession{h.Problem, h.AtZero()}, nil
}}

type scasSession struct {
	p    *Problem
	zero float64 // p.AtZero()
}

func (*scasSession) Version() string                         { return "this tree" }
func (*scasSession) Tolerances() (loosest, tightest float64) { return 1e-3, 1e-9 }
func (*scasSession) Close()                                  {}

// Solve implements Session.
func (o *scasSession) Solve(ctx context.Context, tol float64, limit time.Duration) (*Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, patience*limit)
	defer cancel()
	a, bounds, err := o.prove(ctx, tol)
	if err != nil {
		return nil, err
	}
	a.Bound = 0
	for _, b := range bounds {
		a.Bound = max(a.Bound, b/o.zero)
	}
	return a, nil
}

// prove does the task o.p.Task. bounds are the proved gaps, one for each lambda. Unlike Answer.Bound, they
// are not divided by Problem.AtZero.
func (o *scasSession) prove(ctx context.Context, tol float64) (a *Answer, bounds []float64, err error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	runtime.GC() // so that the time does not include the collection of earlier garbage
	// Without this factor, rounding can make the proved gap larger than tol times o.zero.
	tol *= 1 - 1e-12
	a = &Answer{}
	var res *solver.Result
	var steps []*model.Step
	start, cpu := time.Now(), machine.CPUSeconds()
	if o.p.Task == Fit {
		res, err = o.fit(ctx, tol)
	} else {
		steps, a.Curve, err = o.path(ctx, tol)
	}
	a.CPU, a.Wall = machine.CPUSeconds()-cpu, time.Since(start).Seconds()
	if res != nil {
		a.X, bounds = [][]float64{res.X}, []float64{res.DualityGap}
	}
	for _, s := range steps {
		a.X, bounds = append(a.X, o.solution(s)), append(bounds, s.Columns[0].Certificate.Gap)
	}
	switch {
	case ctx.Err() != nil:
		return nil, nil, ctx.Err()
	case len(a.X) < len(o.p.Lambdas) || err != nil && !errors.Is(err, solver.ErrNotConverged):
		return nil, nil, err
	}
	return a, bounds, nil
}

func (o *scasSession) fit(ctx context.Context, tol float64) (*solver.Result, error) {
	p := &solver.Problem{
		Data: o.p.X, Labels: o.p.Labels,
		Loss: losses[o.p.Loss].solver, L2: o.p.L2, Penalty: solver.L1{Lambda: o.p.Lambdas[0]},
	}
	if o.p.A != nil {
		p.Constraint = o.p.A
	}
	return solver.Minimize(ctx, p, &solver.Settings{Threads: 1, RelTol: tol})
}

// path does the task Path or CV. For CV, curve has the mean loss on the held-out rows for each lambda.
func (o *scasSession) path(ctx context.Context, tol float64) (steps []*model.Step, curve []float64, err error) {
	spec := o.p.specification()
	spec.RelTol = tol
	set := model.PathSettings{Lambdas: o.p.Lambdas}
	if o.p.Task == Path {
		for step, failed := range model.Path(ctx, spec, o.p.X, o.p.Labels, &set) {
			if step == nil {
				return nil, nil, failed
			}
			steps, err = append(steps, step), cmp.Or(err, failed)
		}
		return steps, nil, err
	}
	result, err := model.CV(ctx, spec, o.p.X, o.p.Labels, &model.CVSettings{Path: set, Assignment: o.p.Folds})
	if result == nil {
		return nil, nil, err
	}
	return result.Path, result.Mean, err
}

// solution returns the coefficients of a step of the path, followed by the intercept if the problem has one.
func (o *scasSession) solution(s *model.Step) []float64 {
	x := make([]float64, o.p.Width())
	for k, j := range s.Columns[0].Indices {
		x[j] = s.Columns[0].Values[k]
	}
	if o.p.Intercept {
		x[len(x)-1] = s.Columns[0].Intercept
	}
	return x
}

// A Reference has the objectives from which gaps are measured.
type Reference struct {
	Values []float64 // for each lambda, the known optimum or a lower bound on the optimum
	// Proved has, for each lambda, an upper bound on the difference optimum − Values[k].
	Proved []float64
	How    string // how Values were computed, in words
}

// newReference returns the reference of a problem: the optimum p.Known or, if p.Known is NaN, the greatest
// lower bound that scas proves.
func newReference(ctx context.Context, p *Problem) (*Reference, error) {
	q := *p
	if q.Task == CV { // only the path on all rows needs a reference, not the fits of the folds
		q.Task = Path
	}
	r := &Reference{How: "scas: objective minus proved gap"}
	best := make([]float64, len(p.Lambdas))
	for k := range best {
		r.Values, best[k] = append(r.Values, math.Inf(-1)), math.Inf(1)
	}
	zero := p.AtZero()
	for _, tol := range []float64{1e-10, 1e-12} {
		a, bounds, err := (&scasSession{&q, zero}).prove(ctx, tol)
		if err != nil {
			return nil, fmt.Errorf("peers: the reference of %s: %w", p.Name, err)
		}
		worst := 0.0
		for k, x := range a.X {
			objective := p.Objective(k, x)
			best[k], r.Values[k] = min(best[k], objective), max(r.Values[k], objective-bounds[k])
			worst = max(worst, bounds[k])
		}
		if worst > tol*zero || worst < 1e-12*zero {
			break // a tighter tolerance would not give a better proof
		}
	}
	for k, b := range best {
		r.Proved = append(r.Proved, max(0, b-r.Values[k]))
	}
	if math.IsNaN(p.Known) {
		if worst := r.Accuracy(); !(worst <= Targets[len(Targets)-1]*zero) {
			return nil, fmt.Errorf("%w: scas, the only solver that proves gaps, proves only %.1g",
				ErrNoReference, worst)
		}
		return r, nil
	}
	if p.Known > best[0]+knownAccuracy || p.Known < r.Values[0]-knownAccuracy {
		return nil, fmt.Errorf("peers: the known optimum of %s, %.15g, is not between the bounds that scas proves, %.15g and %.15g",
			p.Name, p.Known, r.Values[0], best[0])
	}
	return &Reference{[]float64{p.Known}, r.Proved, "known optimum of the data; scas proves the same"}, nil
}

// Accuracy returns the largest entry of Proved.
func (r *Reference) Accuracy() (worst float64) {
	for _, v := range r.Proved {
		worst = max(worst, v)
	}
	return worst
}

// ErrNoReference means that the optimum is not known precisely enough to measure the smallest gap of Targets.
var ErrNoReference = errors.New("peers: no reference for gaps")

// knownAccuracy is the largest error of the optima that are stored with the data. It is also the tolerance in
// comparisons of objectives.
const knownAccuracy = 1e-10
