package peers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/scas-admm/scas/bench/internal/machine"
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/model"
)

// scas is the Peer that runs scas itself, with default settings on one thread. Its tolerance is the gap to
// prove, divided by Problem.ObjectiveAtZero.
var scas = Peer{Name: "scas", DefaultTol: 1e-6, Open: func(_ context.Context, h *Handover) (*Session, error) {
	o := &scasSession{h.Problem, h.ObjectiveAtZero()}
	return &Session{
		Version: "this tree", Loosest: 1e-3, Tightest: 1e-9, Solve: o.solve, Close: func() {},
	}, nil
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
	a.ProvedGap = slices.Max(provedGaps) / o.objectiveAtZero
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
	x := make([]float64, o.p.solutionLen())
	for k, j := range s.Columns[0].Indices {
		x[j] = s.Columns[0].Values[k]
	}
	if o.p.Intercept {
		x[len(x)-1] = s.Columns[0].Intercept
	}
	return x
}

// Bounds are a lower and an upper bound on the optimum for one lambda.
type Bounds struct{ Lower, Upper float64 }

// proveOptima returns bounds on the optimum for each lambda. The lower bound is the greatest that scas
// proves: an objective minus its proved gap. The upper bound is the smallest objective. The error wraps
// ErrNoReference if the bounds of a lambda are too far apart.
func proveOptima(ctx context.Context, p *Problem) ([]Bounds, error) {
	q := *p
	if q.Task == CV { // only the path on all rows needs a reference, not the fits of the folds
		q.Task = Path
	}
	optima := make([]Bounds, len(p.Lambdas))
	for k := range optima {
		optima[k] = Bounds{math.Inf(-1), math.Inf(1)}
	}
	objectiveAtZero := p.ObjectiveAtZero()
	for _, tol := range []float64{1e-10, 1e-12} {
		a, provedGaps, err := (&scasSession{&q, objectiveAtZero}).prove(ctx, tol)
		if err != nil {
			return nil, fmt.Errorf("peers: the reference of %s: %w", p.Name, err)
		}
		for k, x := range a.X {
			objective := p.Objective(k, x)
			optima[k].Lower = max(optima[k].Lower, objective-provedGaps[k])
			optima[k].Upper = min(optima[k].Upper, objective)
		}
		largestGap := slices.Max(provedGaps)
		if largestGap > tol*objectiveAtZero || largestGap < 1e-12*objectiveAtZero {
			break // a tighter tolerance would not give a better proof
		}
	}
	// The gaps of peers are too large by up to this distance, so it must be far below the smallest target.
	distance := maxDistance(optima) / objectiveAtZero
	if !(distance <= 0.1*Targets[len(Targets)-1]) {
		return nil, fmt.Errorf("%w: scas, the only solver that proves gaps, proves only %.1g P(0)",
			ErrNoReference, distance)
	}
	return optima, nil
}

// maxDistance returns the largest difference of an upper and a lower bound.
func maxDistance(optima []Bounds) (worst float64) {
	for _, b := range optima {
		worst = max(worst, b.Upper-b.Lower)
	}
	return worst
}

// ErrNoReference means that the optimum is not known precisely enough to measure the smallest gap of Targets.
var ErrNoReference = errors.New("peers: no reference for gaps")
