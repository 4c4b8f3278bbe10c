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
// prove, divided by Problem.ObjectiveAtZero.
var scas = Peer{Name: "scas", DefaultTol: 1e-6, Open: func(_ context.Context, h *Handover) (*Session, error) {
	o := &scasSession{h.Problem, h.ObjectiveAtZero()}
	return &Session{Version: "this tree", Loosest: 1e-3, Tightest: 1e-9, Solve: o.solve, Close: func() {}}, nil
}}

type scasSession struct {
	p               *Problem
	objectiveAtZero float64 // p.ObjectiveAtZero()
}

func (o *scasSession) solve(ctx context.Context, tol float64, limit time.Duration) (*Answer, error) {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	go watch(ctx, machine.CPUSeconds, limit, end)
	a, provedGaps, err := o.prove(ctx, tol)
	if err != nil {
		return nil, err
	}
	a.ProvedGap = 0
	for _, b := range provedGaps {
		a.ProvedGap = max(a.ProvedGap, b/o.objectiveAtZero)
	}
	return a, nil
}

// prove does the task o.p.Task. provedGaps are the proved gaps, one for each lambda. Unlike Answer.ProvedGap,
// they are not divided by Problem.ObjectiveAtZero.
func (o *scasSession) prove(ctx context.Context, tol float64) (a *Answer, provedGaps []float64, err error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	runtime.GC() // so that the time does not include the collection of earlier garbage
	// Without this factor, rounding can make the proved gap larger than tol times o.objectiveAtZero.
	tol *= 1 - 1e-12
	a = &Answer{}
	var res *solver.Result
	var steps []*model.Step
	start, startCPU := time.Now(), machine.CPUSeconds()
	if o.p.Task == Fit {
		res, err = o.fit(ctx, tol)
	} else {
		steps, a.CVLosses, err = o.path(ctx, tol)
	}
	a.CPU, a.Wall = machine.CPUSeconds()-startCPU, time.Since(start).Seconds()
	if res != nil {
		a.X, provedGaps = [][]float64{res.X}, []float64{res.DualityGap}
	}
	for _, s := range steps {
		a.X, provedGaps = append(a.X, o.solution(s)), append(provedGaps, s.Columns[0].Certificate.Gap)
	}
	switch {
	case ctx.Err() != nil:
		return nil, nil, context.Cause(ctx)
	case len(a.X) < len(o.p.Lambdas) || err != nil && !errors.Is(err, solver.ErrNotConverged):
		return nil, nil, err
	}
	return a, provedGaps, nil
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

// path does the task Path or CV. For CV, cvLosses has the mean loss on the held-out rows for each lambda.
func (o *scasSession) path(ctx context.Context, tol float64) (steps []*model.Step, cvLosses []float64, err error) {
	spec := o.p.specification()
	spec.RelTol = tol
	set := model.PathSettings{Lambdas: o.p.Lambdas}
	if o.p.Task == Path {
		for step, stepErr := range model.Path(ctx, spec, o.p.X, o.p.Labels, &set) {
			if step == nil {
				return nil, nil, stepErr
			}
			steps, err = append(steps, step), cmp.Or(err, stepErr)
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
	x := make([]float64, o.p.SolutionLen())
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
	// ErrorBounds has, for each lambda, an upper bound on the difference optimum − Values[k].
	ErrorBounds []float64
	Source      string // how Values were computed, in words
}

// newReference returns the reference of a problem: the optimum p.KnownOptimum or, if p.KnownOptimum is NaN,
// the greatest lower bound that scas proves.
func newReference(ctx context.Context, p *Problem) (*Reference, error) {
	q := *p
	if q.Task == CV { // only the path on all rows needs a reference, not the fits of the folds
		q.Task = Path
	}
	r := &Reference{Source: "scas: objective minus proved gap"}
	bestObjectives := make([]float64, len(p.Lambdas))
	for k := range bestObjectives {
		r.Values, bestObjectives[k] = append(r.Values, math.Inf(-1)), math.Inf(1)
	}
	objectiveAtZero := p.ObjectiveAtZero()
	for _, tol := range []float64{1e-10, 1e-12} {
		a, provedGaps, err := (&scasSession{&q, objectiveAtZero}).prove(ctx, tol)
		if err != nil {
			return nil, fmt.Errorf("peers: the reference of %s: %w", p.Name, err)
		}
		largestGap := 0.0
		for k, x := range a.X {
			objective := p.Objective(k, x)
			bestObjectives[k] = min(bestObjectives[k], objective)
			r.Values[k] = max(r.Values[k], objective-provedGaps[k])
			largestGap = max(largestGap, provedGaps[k])
		}
		if largestGap > tol*objectiveAtZero || largestGap < 1e-12*objectiveAtZero {
			break // a tighter tolerance would not give a better proof
		}
	}
	for k, b := range bestObjectives {
		r.ErrorBounds = append(r.ErrorBounds, max(0, b-r.Values[k]))
	}
	if math.IsNaN(p.KnownOptimum) {
		// The gaps of peers are too large by up to this error, so it must be far below the smallest target.
		if maxError := r.MaxError() / objectiveAtZero; !(maxError <= 0.1*Targets[len(Targets)-1]) {
			return nil, fmt.Errorf("%w: scas, the only solver that proves gaps, proves only %.1g P(0)",
				ErrNoReference, maxError)
		}
		return r, nil
	}
	if p.KnownOptimum > bestObjectives[0]+knownAccuracy || p.KnownOptimum < r.Values[0]-knownAccuracy {
		return nil, fmt.Errorf("peers: the known optimum of %s, %.15g, is not between the bounds that scas proves, %.15g and %.15g",
			p.Name, p.KnownOptimum, r.Values[0], bestObjectives[0])
	}
	const source = "known optimum of the data; scas proves the same"
	return &Reference{[]float64{p.KnownOptimum}, r.ErrorBounds, source}, nil
}

// MaxError returns the largest entry of ErrorBounds.
func (r *Reference) MaxError() (worst float64) {
	for _, v := range r.ErrorBounds {
		worst = max(worst, v)
	}
	return worst
}

// ErrNoReference means that the optimum is not known precisely enough to measure the smallest gap of Targets.
var ErrNoReference = errors.New("peers: no reference for gaps")

// knownAccuracy is the largest error of the optima that are stored with the data. It is also the tolerance in
// comparisons of objectives.
const knownAccuracy = 1e-10
