package model

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/ending"
	"github.com/scas-admm/scas/sparse"
)

// notConverged returns the *solver.NotConvergedError of a fit with the certificate c.
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

func timeLimitError(event string) error {
	return &sparse.RemedyError{
		Err:      fmt.Errorf("%w: the time limit came before %s", solver.ErrNotConverged, event),
		Remedies: ending.MoreTime,
	}
}

// errUnknown is the error if the time limit ends a fit that has no model. errLate is the error if the fit has
// a model, and no proof was requested. errEarly is the error if the time limit passes before the lambdas of a
// path are known.
var (
	errUnknown = timeLimitError("anything was known")
	errLate    = timeLimitError("the end of the run")
	errEarly   = timeLimitError("the first lambda was known")
)

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
