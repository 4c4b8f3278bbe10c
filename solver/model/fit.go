package model

import (
	"context"
	"math"
	"slices"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/ending"
	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/sparse"
)

// Fit returns the model that minimises the objective of spec for the rows of x and the labels y. y has a
// label for each row: a number, also if it stands for a class. spec may be nil. Three or more classes, at
// most 5000, are fitted each against the rest; their labels must be whole numbers, and Spec.Positive nil.
//
// If the gap is proved to be within RelTol, the model has status converged, and the error is nil. If a proof
// is requested but not reached, the error matches solver.ErrNotConverged, and Fit returns the last model if
// there is one. If ctx ends, Fit returns the error of ctx and the last model if there is one; with three or
// more classes the model is then nil. If the data or the specification are not valid, the model is nil.
//
// With Spec.Comm every process returns the same model. If only one process has an error, each other process
// returns an error that says so.
func Fit(ctx context.Context, spec *Spec, x *sparse.CSR, y []float64) (m *Model, err error) {
	defer rows.Rescue(&err)
	p, err := newProblems(spec, x, y)
	if err != nil {
		return nil, err
	}
	return p.fit(ctx)
}

// fit solves all problems and returns one model for all of them.
func (p *problems) fit(ctx context.Context) (*Model, error) {
	ctx, cancel := ending.WithTimeLimit(ctx, p.spec.TimeLimit)
	defer cancel()
	spec := *p.problemSpec
	store, err := newClassStore(p)
	if err != nil {
		return nil, err
	}
	if store != nil {
		spec.Checkpoint = store
	}
	columns := make([]*Column, p.count())
	err = p.eachProblem(p.countFitted(func(k int) (err error) {
		columns[k], err = store.fit(p.spec, k, func() (*Column, error) {
			d, err := p.design(k, &spec)
			if err != nil {
				return nil, err
			}
			d.start = p.start(k, d)
			return d.fit(ctx)
		})
		return err
	}))
	if p.count() > 1 && isFatal(err) || slices.Contains(columns, nil) {
		return nil, err
	}
	m := *p.empty
	m.Summary.Lambda = p.spec.Lambda
	for _, c := range columns {
		m.Columns = append(m.Columns, *c)
	}
	return &m, err
}

func (d *design) fit(ctx context.Context) (*Column, error) {
	if err := d.prepare(ctx); err != nil {
		if err == ctx.Err() {
			return d.columnWithoutSteps(ctx)
		}
		return nil, err
	}
	l, err := d.newLambdaFitter(ctx)
	if err != nil {
		return nil, err
	}
	f := l.fitter
	if f != nil && d.start != nil {
		f.s.Start(d.start)
	}
	if f == nil || f.file != nil {
		return l.solve(ctx, d.spec.Lambda)
	}
	if !d.coupled() && d.start == nil && !f.s.EnoughSamples() && d.spec.Lambda > 0 &&
		slices.Contains(f.s.Limit, 0) {
		// LambdaMax moves the solver to the model in which all penalised coefficients are zero, and the
		// others have their best values. If ctx ends here, solve returns the error.
		_, _ = f.s.LambdaMax(f.interruptFunc(ctx, f.s))
	}
	return l.solve(ctx, d.spec.Lambda)
}

// columnWithoutSteps returns the column of a fit that ctx ended before the first step: all coefficients are
// 0. If the domain does not contain 0, it returns nil.
func (d *design) columnWithoutSteps(ctx context.Context) (*Column, error) {
	if d.spec.Domain != nil {
		nearest := make([]float64, d.p)
		d.spec.Domain.Project(nearest)
		excludesZero := slices.ContainsFunc(nearest, func(v float64) bool { return v != 0 })
		switch {
		case excludesZero && ending.Late(ctx):
			return nil, errUnknown
		case excludesZero:
			return nil, ctx.Err()
		}
	}
	margins := d.spec.Offsets
	if margins == nil {
		margins = make([]float64, d.n)
	}
	loss := mean(d.weights, d.n, func(i int) float64 { return d.loss.Value(margins[i], d.y[i]) })
	out := d.column(make([]float64, d.p+1), nil, FitRun{})
	out.Certificate = Certificate{
		Objective: loss, MeanLoss: loss, Gap: math.Inf(1), RelTol: d.spec.relTol(), Status: solver.Stopped,
	}
	if ending.Late(ctx) {
		out.Certificate.Status = solver.TimeDone
		return out, out.Certificate.lateError(d.unit(loss, margins))
	}
	return out, ctx.Err()
}

// column returns a Column without a certificate. x has the coefficients on the original scale, followed by
// the intercept if there is one.
func (d *design) column(x []float64, groups [][]int, run FitRun) *Column {
	c := &Column{Coefficients: x[:d.p:d.p], Groups: groups, Run: run}
	if !d.spec.NoIntercept {
		c.Intercept = x[d.p]
	}
	c.Run.Seed = d.spec.Seed
	return c
}

// ridge returns (Mu/2) Σⱼ (sⱼbⱼ)² for the coefficients b, where s is d.scale.
func (d *design) ridge(b []float64) float64 {
	if d.spec.Mu == 0 {
		return 0
	}
	sum := 0.0
	for j, s := range d.scale {
		v := times(b[j], s)
		sum += float64(v * v)
	}
	return 0.5 * d.spec.Mu * sum
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
