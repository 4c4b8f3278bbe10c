package model

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/ending"
	"github.com/scas-admm/scas/solver/internal/exact"
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

// retryFeatures is the number of features below which a problem is tried with solver.Minimize if package
// exact stalls.
const retryFeatures = 2048

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
	if d.team.Alone() && ctx.Err() != nil {
		return d.columnWithoutSteps(ctx)
	}
	if !d.coupled() && d.start == nil && !f.s.EnoughSamples() && d.spec.Lambda > 0 &&
		slices.Contains(f.s.Limit, 0) {
		// LambdaMax moves the solver to the model in which all penalised coefficients are zero, and the
		// others have their best values. If ctx ends here, solve returns the error.
		_, _ = f.s.LambdaMax(f.interruptFunc(ctx, f.s))
	}
	return l.solve(ctx, d.spec.Lambda)
}

// A lambdaFitter fits a design for one lambda after the other, with fitter. It uses minimizer instead if
// fitter is nil, and for lambdas at which fitter fails, see solve.
type lambdaFitter struct {
	d         *design
	fitter    *fitter
	minimizer *minimizer
	start     *solver.Iterate // where the next fit with minimizer begins; nil means zeros
	// The lambda of which start is the solution; 0 if it is the start of the design.
	startLambda float64
}

func (d *design) newLambdaFitter(ctx context.Context) (l *lambdaFitter, err error) {
	l = &lambdaFitter{d: d}
	l.fitter, err = d.newFitter(ctx)
	if errors.Is(err, exact.ErrNotApplicable) {
		err = l.useMinimizer()
	}
	return l, err
}

// useMinimizer prepares l.minimizer for a fit that begins at d.start.
func (l *lambdaFitter) useMinimizer() (err error) {
	if l.minimizer == nil {
		l.minimizer, err = l.d.newMinimizer()
		if err != nil {
			return err
		}
	}
	l.start, l.startLambda = nil, 0
	if l.d.start != nil {
		l.start = &solver.Iterate{X: l.minimizer.scaledCoefficients(l.d.start)}
	}
	return nil
}

// solve fits the design for lambda by l.fitter. In two cases it fits the design again, by solver.Minimize,
// and returns the better of the two columns: if the working set became too large; and if the run stalled,
// lambda is positive, there are fewer than retryFeatures features, and a proof is needed. If ctx ends the
// second fit, the status of the column and err are those of an interrupted run.
func (l *lambdaFitter) solve(ctx context.Context, lambda float64) (out *Column, err error) {
	defer rows.Rescue(&err)
	f := l.fitter
	if f == nil {
		return l.minimize(ctx, lambda)
	}
	defer func() {
		if !f.workingSetFull { // otherwise the error says that there is no room
			err = l.d.withFarAdvice(out, err)
		}
	}()
	out, err = f.solve(ctx, lambda)
	if out == nil || f.file != nil {
		return out, err
	}
	stalled := errors.Is(err, solver.ErrNotConverged) && out.Certificate.Status == solver.Stalled
	if !f.workingSetFull && !(stalled && lambda > 0 && l.d.p < retryFeatures && !l.d.spec.unproved) {
		return out, err
	}
	// The second fit does not begin at l.start, which may be the solution for a much larger lambda.
	if l.useMinimizer() != nil {
		return out, err
	}
	retryOut, retryErr := l.minimize(ctx, lambda)
	better, err := betterColumn(out, err, retryOut, retryErr, f.s.Scale())
	if better == retryOut && f.workingSetFull { // solver.Minimize fits all later lambdas, too
		l.fitter = nil
	}
	return better, err
}

// If the mean of a feature is at least farFactor times its standard deviation, the feature is nearly a
// multiple of the intercept's column. Then rounding errors often keep a fit from its goal.
const farFactor = 1e6

// withFarAdvice returns an error for the fit of column out, which ended with the error err. If the fit
// stalled, and the mean of a feature is at least farFactor times its standard deviation, the result names
// this feature and its remedy. Otherwise, and always without an intercept or out of core, the result is err.
func (d *design) withFarAdvice(out *Column, err error) error {
	e, ok := errors.AsType[*solver.NotConvergedError](err)
	if !ok || d.spec.NoIntercept || d.spec.streams() || e.Status != solver.Stalled || out.Certificate.NoOptimum {
		return err
	}
	stats := d.columnStats()
	mean, deviation := stats.Mean(), stats.StdDev()
	farthest, factor := 0, 0.0
	for j := range d.p {
		if deviation[j] > 0 && math.Abs(mean[j]) > factor*deviation[j] {
			farthest, factor = j, math.Abs(mean[j])/deviation[j]
		}
	}
	if factor < farFactor {
		return err
	}
	feature := fmt.Sprintf("%d, counted from 0,", farthest)
	if d.spec.Features != nil {
		feature = d.spec.Features[farthest]
	}
	return out.Certificate.notConverged(e.Goal, &ending.Advice{
		Why:      fmt.Sprintf("the mean of feature %s is %.0e times its standard deviation", feature, factor),
		Remedies: []sparse.Remedy{{To: "subtract the mean from such features"}, ending.AskForLess},
	})
}

// betterColumn returns one of two columns, and its error. It returns retryOut, the column of a second fit, if
// this is better than out; retryOut may be nil. If it returns out although ctx ended the second fit, out gets
// the status of the second fit, and the error is that of an interrupted run. RelTol is relative to unit.
func betterColumn(out *Column, err error, retryOut *Column, retryErr error, unit float64) (*Column, error) {
	switch {
	case retryOut == nil:
	case retryOut.Certificate.better(&out.Certificate):
		return retryOut, retryErr
	case retryOut.Certificate.Status == solver.Stopped: // ctx has ended
		out.Certificate.Status, err = solver.Stopped, retryErr
	case retryOut.Certificate.Status == solver.TimeDone:
		out.Certificate.Status = solver.TimeDone
		err = out.Certificate.lateError(unit)
	}
	return out, err
}

// minimize fits lambda by solver.Minimize. The next fit begins at the solution, with the multipliers scaled
// by the ratio of the two lambdas.
func (l *lambdaFitter) minimize(ctx context.Context, lambda float64) (*Column, error) {
	if l.fitter == nil {
		l.d.data.dropRows() // solver.Minimize makes its own
	}
	if l.startLambda > 0 {
		for j := range l.start.Dual {
			l.start.Dual[j] *= lambda / l.startLambda
		}
	}
	out, iterate, err := l.minimizer.solve(ctx, lambda, l.start)
	if iterate != nil {
		l.start, l.startLambda = iterate, lambda
	}
	return out, err
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

// better reports whether c has a smaller gap or a clearly smaller objective than reference has.
func (c *Certificate) better(reference *Certificate) bool {
	return c.Gap < reference.Gap ||
		c.Objective < reference.Objective-float64(1e-12*math.Abs(reference.Objective))
}

func (c *Certificate) notConverged(goal float64, advice *ending.Advice) error {
	return &solver.NotConvergedError{
		Status: c.Status, Objective: c.Objective, Gap: c.Gap, Goal: goal, Why: advice.Why,
		Remedies: specRemedies(advice.Remedies),
	}
}

// specRemedies returns the remedies with the names of fields of Spec instead of those of solver.Problem.
func specRemedies(remedies []sparse.Remedy) []sparse.Remedy {
	renamed := slices.Clone(remedies)
	for k := range renamed {
		switch renamed[k].Field {
		case "Problem.L2":
			renamed[k] = sparse.Remedy{Field: "Spec.Mu", To: "a number above 0"}
		case "Problem.Penalty":
			renamed[k] = sparse.Remedy{Field: "Spec.Lambda", To: "a larger number"}
		}
	}
	return renamed
}

// lateError returns the error for a fit that the time limit ended: errLate if no gap was requested,
// otherwise a *solver.NotConvergedError with the goal RelTol·unit.
func (c *Certificate) lateError(unit float64) error {
	if c.RelTol == 0 {
		return errLate
	}
	return c.notConverged(c.RelTol*unit, &ending.Advice{Remedies: ending.MoreTime})
}

// column returns a Column without a certificate. x has the coefficients on the original scale, followed by
// the intercept if there is one.
func (d *design) column(x []float64, groups [][]int, run FitRun) *Column {
	c := &Column{Coefficients: x[:d.p:d.p], Groups: groups, Run: run}
	if !d.spec.NoIntercept {
		c.Intercept = x[d.p]
	}
	c.Run.Name, c.Run.Seed = d.spec.Name, d.spec.Seed
	return c
}

// ridge returns (Mu/2) Σⱼ (sⱼbⱼ)² for the coefficients b, where s is d.scale.
func (d *design) ridge(b []float64) float64 {
	if d.spec.Mu == 0 {
		return 0
	}
	sum := 0.0
	for j, s := range d.scale {
		if b[j] == 0 { // s may be infinite, and Inf·0 is NaN
			continue
		}
		v := float64(s * b[j])
		sum += float64(v * v)
	}
	return 0.5 * d.spec.Mu * sum
}

func divide(u, s []float64) {
	for j, v := range s {
		u[j] /= v
	}
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

func domainName(d solver.Domain) string {
	switch x := d.(type) {
	case nil:
		return ""
	case solver.Nonnegative:
		return "nonnegative"
	case solver.Ball:
		return fmt.Sprintf("ball:%v", x.Radius)
	case solver.Simplex:
		return fmt.Sprintf("simplex:%v", cmp.Or(x.Total, 1))
	case solver.Box:
		allEqual := func(v []float64) bool { return slices.Min(v) == slices.Max(v) }
		if allEqual(x.Lower) && allEqual(x.Upper) {
			return fmt.Sprintf("box:%v,%v", x.Lower[0], x.Upper[0])
		}
		return "box"
	}
	return fmt.Sprintf("%T", d)
}
