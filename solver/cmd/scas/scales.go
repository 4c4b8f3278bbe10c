package main

import (
	"fmt"
	"slices"

	"github.com/scas-admm/scas/solver/internal/ending"
	"github.com/scas-admm/scas/sparse"
)

// adviseScaling returns err, an error of a fit, with words for ending.Scale, its remedy to scale the
// features. If the standard deviations of the features differ much, the words name the deviations and
// --standardize. Otherwise, or if standardized is true, the error is shown without this remedy.
func adviseScaling(err error, data *sparse.Dataset, standardized bool) error {
	if err == nil {
		return nil
	}
	return advisedError{err, func(r sparse.Remedy) (words string, ok bool) {
		if r != ending.Scale {
			return "", false
		}
		if !standardized { // standardized is also true out of core
			if deviations, isFar := deviationRange(data); isFar {
				words = "scale the features, whose deviations are " + deviations + " (--standardize)"
			}
		}
		return words, true
	}}
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
		remedy = fmt.Sprintf("--choose min takes the model with the best mean, which has %s",
			plural(r.Min.NNZX, "feature"))
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
	e.warn("the chosen model has no features: no model with features is better on the held-out rows%s; %s",
		qualifier, remedy)
}
