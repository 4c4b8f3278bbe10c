package model

import (
	"context"
	"errors"
	"math"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/exact"
	"github.com/scas-admm/scas/solver/internal/rows"
)

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

// retryFeatures is the number of features below which a problem is tried with solver.Minimize if package
// exact stalls.
const retryFeatures = 2048

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

// betterColumn returns the better of two columns, and its error: out from the first fit, or retryOut from the
// second fit. retryOut may be nil. If the second fit was interrupted or reached the time limit, but out is the
// better column, then out gets the status of the second fit, and the error says how the second fit ended. unit
// is the number to which Spec.RelTol is relative.
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

// better reports whether c has a smaller gap or a clearly smaller objective than reference has.
func (c *Certificate) better(reference *Certificate) bool {
	return c.Gap < reference.Gap ||
		c.Objective < reference.Objective-float64(1e-12*math.Abs(reference.Objective))
}
