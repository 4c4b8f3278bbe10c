package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/ending"
	"github.com/scas-admm/scas/sparse"
)

// ofScales replaces the remedy of err that tells the user to scale the features. If the scales of the
// features differ much, the new remedy says how much and names --standardize. Otherwise the remedy is
// removed.
func ofScales(err error, data *sparse.Dataset, standardized bool) error {
	not, ok := errors.AsType[*solver.NotConvergedError](err)
	if !ok || !slices.Contains(not.Remedies, ending.Scale) {
		return err
	}
	text, far := "", false
	if !standardized { // the caller also passes true if the data are out of core
		text, far = apart(data)
	}
	changed := *not
	changed.Remedies = slices.Clone(not.Remedies)
	at := slices.Index(changed.Remedies, ending.Scale)
	changed.Remedies = slices.Delete(changed.Remedies, at, at+1)
	if far {
		scale := sparse.Remedy{To: "scale the features, whose deviations are " + text + " (--standardize)"}
		changed.Remedies = slices.Insert(changed.Remedies, at, scale)
	}
	return replaced(err, not, &changed)
}

// farApart is a ratio of the largest to the least standard deviation of the features. If the ratio of the data
// is larger, messages name the scales of the features as the reason for a poor model.
const farApart = 100

// apart returns a text with the range of the standard deviations of the features that vary. far reports
// whether the range is wide.
func apart(d *sparse.Dataset) (text string, far bool) {
	sd := slices.DeleteFunc(d.X.ColumnStats().StdDev(), func(v float64) bool { return v == 0 })
	if len(sd) == 0 {
		return "", false
	}
	least, most := slices.Min(sd), slices.Max(sd)
	return fmt.Sprintf("%.3g to %.3g", least, most), most > farApart*least
}

// warnOfEmpty warns if the chosen model has no features. The warning says why this may be so, and what to do.
func (r *cvReport) warnOfEmpty(e *env) {
	if r.Chosen.NNZX > 0 {
		return
	}
	remedy := "more rows, other features or smaller lambdas (--ratio or --lambdas) may help"
	if text, far := apart(r.in.data); !r.Standardized && far {
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
