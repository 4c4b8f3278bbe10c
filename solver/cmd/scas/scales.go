package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/ending"
	"github.com/scas-admm/scas/sparse"
)

// adviseScaling changes the remedy of err that tells the user to scale the features. If their standard
// deviations differ much, the new remedy names the deviations and --standardize. Otherwise, or if
// standardized is true, adviseScaling removes the remedy.
func adviseScaling(err error, data *sparse.Dataset, standardized bool) error {
	failure, ok := errors.AsType[*solver.NotConvergedError](err)
	if !ok || !slices.Contains(failure.Remedies, ending.Scale) {
		return err
	}
	text, far := "", false
	if !standardized { // standardized is also true out of core
		text, far = deviationRange(data)
	}
	changed := *failure
	changed.Remedies = slices.Clone(failure.Remedies)
	index := slices.Index(changed.Remedies, ending.Scale)
	changed.Remedies = slices.Delete(changed.Remedies, index, index+1)
	if far {
		scale := sparse.Remedy{To: "scale the features, whose deviations are " + text + " (--standardize)"}
		changed.Remedies = slices.Insert(changed.Remedies, index, scale)
	}
	return replaced(err, failure, &changed)
}

// If the largest standard deviation of a feature is more than farApart times the smallest, messages advise
// to scale the features.
const farApart = 100

// deviationRange returns a text with the smallest and the largest nonzero standard deviation of the features.
// far reports whether largest/smallest is above farApart. If all deviations are 0, text is "".
func deviationRange(d *sparse.Dataset) (text string, far bool) {
	sd := slices.DeleteFunc(d.X.ColumnStats().StdDev(), func(v float64) bool { return v == 0 })
	if len(sd) == 0 {
		return "", false
	}
	smallest, largest := slices.Min(sd), slices.Max(sd)
	return fmt.Sprintf("%.3g to %.3g", smallest, largest), largest > farApart*smallest
}

// warnOfEmpty warns if all coefficients of the chosen model are 0, and gives advice.
func (r *cvReport) warnOfEmpty(e *env) {
	if r.Chosen.NNZX > 0 {
		return
	}
	remedy := "more rows, other features or smaller lambdas (--ratio or --lambdas) may help"
	if text, far := deviationRange(r.request.data); !r.Standardized && far {
		remedy = fmt.Sprintf("the deviations of the features are %s, and the penalty is strongest for features on small scales: give --standardize", text)
	} else if r.Choose == "1se" && r.Min.NNZX > 0 {
		remedy = fmt.Sprintf("--choose min takes the model with the best mean, which has %s", plural(r.Min.NNZX, "feature"))
	}
	margin := ""
	if r.Choose == "1se" {
		margin = " by more than the standard error"
	}
	e.warn("the chosen model has no features: no model with features is better on the held-out rows%s; %s", margin, remedy)
}
