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
	return &Session{Loosest: 1e-3, Tightest: 1e-9, Solve: h.solveByScas, Close: func() {}}, nil
}}

// solveByScas is the Session.Solve of scas.
func (p *Problem) solveByScas(ctx context.Context, tol float64, limit time.Duration) (*Answer, error) {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	go watch(ctx, machine.CPUSeconds, limit, end)
	a, provedGaps, err := p.prove(ctx, tol)
	if err != nil {
		return nil, err
	}
	a.ProvedGap = slices.Max(provedGaps) / p.ObjectiveAtZero
	return a, nil
}

// prove lets scas do the task p.Task. provedGaps are the proved gaps, one for each lambda. Unlike
// Answer.ProvedGap, they are not divided by p.ObjectiveAtZero.
func (p *Problem) prove(ctx context.Context, tol float64) (a *Answer, provedGaps []float64, err error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	runtime.GC() // so that the time does not include the collection of earlier garbage
	// Without this factor, rounding can make the proved gap larger than tol times p.ObjectiveAtZero.
	tol *= 1 - 1e-12
	a = &Answer{}
	var res *solver.Result
	var steps []*model.Step
	start, startCPU := time.Now(), machine.CPUSeconds()
	if p.Task == Fit {
		res, err = p.fit(ctx, tol)
	} else {
		steps, a.CVLosses, err = p.fitPaths(ctx, tol)
	}
	a.CPU, a.Wall = machine.CPUSeconds()-startCPU, time.Since(start).Seconds()
	if res != nil {
		a.X, provedGaps = [][]float64{res.X}, []float64{res.DualityGap}
	}
	for _, s := range steps {
		a.X, provedGaps = append(a.X, p.solution(s)), append(provedGaps, s.Columns[0].Certificate.Gap)
	}
	switch {
	case ctx.Err() != nil:
		return nil, nil, context.Cause(ctx)
	case len(a.X) < len(p.Lambdas) || err != nil && !errors.Is(err, solver.ErrNotConverged):
		return nil, nil, err
	}
	return a, provedGaps, nil
}

func (p *Problem) fit(ctx context.Context, tol float64) (*solver.Result, error) {
	q := &solver.Problem{
		Data: p.X, Labels: p.Labels,
		Loss: losses[p.Loss].solver, L2: p.L2, Penalty: solver.L1{Lambda: p.Lambdas[0]},
	}
	if p.A != nil {
		q.Constraint = p.A
	}
	return solver.Minimize(ctx, q, &solver.Settings{Threads: 1, RelTol: tol})
}

// fitPaths fits the paths of the task Path or CV. steps has the fits of all rows. cvLosses has, for each lambda,
// the mean loss on the held-out rows; it is nil unless the task is CV.
func (p *Problem) fitPaths(
	ctx context.Context, tol float64,
) (steps []*model.Step, cvLosses []float64, err error) {
	spec := p.specification()
	spec.RelTol = tol
	set := model.PathSettings{Lambdas: p.Lambdas}
	if p.Task == Path {
		for step, stepErr := range model.Path(ctx, spec, p.X, p.Labels, &set) {
			if step == nil {
				return nil, nil, stepErr
			}
			steps, err = append(steps, step), cmp.Or(err, stepErr)
		}
		return steps, nil, err
	}
	result, err := model.CV(ctx, spec, p.X, p.Labels, &model.CVSettings{Path: set, Assignment: p.Folds})
	if result == nil {
		return nil, nil, err
	}
	return result.Path, result.Mean, err
}

// solution returns the coefficients of a step of the path, followed by the intercept if the problem has one.
func (p *Problem) solution(s *model.Step) []float64 {
	x := make([]float64, p.solutionLen())
	for k, j := range s.Columns[0].Indices {
		x[j] = s.Columns[0].Values[k]
	}
	if p.Intercept {
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
	for _, tol := range []float64{1e-10, 1e-12} {
		a, provedGaps, err := q.prove(ctx, tol)
		if err != nil {
			return nil, fmt.Errorf("peers: the reference of %s: %w", p.Name, err)
		}
		for k, x := range a.X {
			objective := p.Objective(k, x)
			optima[k].Lower = max(optima[k].Lower, objective-provedGaps[k])
			optima[k].Upper = min(optima[k].Upper, objective)
		}
		largestGap := slices.Max(provedGaps)
		if largestGap > tol*p.ObjectiveAtZero || largestGap < 1e-12*p.ObjectiveAtZero {
			break // a tighter tolerance would not give a better proof
		}
	}
	// The gaps of peers are too large by up to this distance, so it must be far below the smallest target.
	distance := maxDistance(optima) / p.ObjectiveAtZero
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
