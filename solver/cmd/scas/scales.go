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
	convergenceErr, ok := errors.AsType[*solver.NotConvergedError](err)
	if !ok || !slices.Contains(convergenceErr.Remedies, ending.Scale) {
		return err
	}
	text, isFar := "", false
	if !standardized { // standardized is also true out of core
		text, isFar = deviationRange(data)
	}
	newErr := *convergenceErr
	newErr.Remedies = slices.Clone(convergenceErr.Remedies)
	index := slices.Index(newErr.Remedies, ending.Scale)
	newErr.Remedies = slices.Delete(newErr.Remedies, index, index+1)
	if isFar {
		scaleRemedy := sparse.Remedy{To: "scale the features, whose deviations are " + text + " (--standardize)"}
		newErr.Remedies = slices.Insert(newErr.Remedies, index, scaleRemedy)
	}
	return replaceError(err, convergenceErr, &newErr)
}

// If the largest standard deviation of a feature is more than farApart times the smallest, messages advise
// to scale the features.
const farApart = 100

// deviationRange returns a text with the smallest and the largest nonzero standard deviation of the features.
// isFar reports whether largest/smallest is above farApart. If all deviations are 0, text is "".
func deviationRange(d *sparse.Dataset) (text string, isFar bool) {
	sd := slices.DeleteFunc(d.X.ColumnStats().StdDev(), func(v float64) bool { return v == 0 })
	if len(sd) == 0 {
		return "", false
	}
	smallest, largest := slices.Min(sd), slices.Max(sd)
	return fmt.Sprintf("%.3g to %.3g", smallest, largest), largest > farApart*smallest
}

// warnOfEmptyModel warns if all coefficients of the chosen model are 0, and gives advice.
func (r *cvReport) warnOfEmptyModel(e *env) {
	if r.Chosen.NNZX > 0 {
		return
	}
	remedy := "more rows, other features or smaller lambdas (--ratio or --lambdas) may help"
	if r.Choose == "1se" && r.Min.NNZX > 0 {
		remedy = fmt.Sprintf("--choose min takes the model with the best mean, which has %s", plural(r.Min.NNZX, "feature"))
	}
	if !r.Standardized && !r.fitSpec.outOfCore() {
		if text, isFar := deviationRange(r.fitSpec.data); isFar {
			remedy = fmt.Sprintf("the deviations of the features are %s, and the penalty is strongest for features on small scales: give --standardize", text)
		}
	}
	qualifier := ""
	if r.Choose == "1se" {
		qualifier = " by more than the standard error"
	}
	e.warn("the chosen model has no features: no model with features is better on the held-out rows%s; %s", qualifier, remedy)
}
