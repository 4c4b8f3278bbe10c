package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/ending"
	"github.com/scas-admm/scas/sparse"
)

// ofScales replaces the remedy to scale the features. If their scales differ much, the new
// one says how much, and names the flag that scales them. Otherwise
// there is none.
func ofScales(err error, data *sparse.Dataset, standardized bool) error {
	not, ok := errors.AsType[*solver.NotConvergedError](err)
	if !ok || !slices.Contains(not.Remedies, ending.Scale) {
		return err
	}
	text, far := "", false
	if !standardized { // the caller passes true for data out of core, too
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

// farApart is the ratio of the largest to the least deviation of a feature from which on scales are
// named as the reason for a poor model.
const farApart = 100

// apart returns the range of the deviations of the features as text, and whether it is wide.
func apart(d *sparse.Dataset) (text string, far bool) {
	sd := slices.DeleteFunc(d.X.ColumnStats().StdDev(), func(v float64) bool { return v == 0 })
	if len(sd) == 0 {
		return "", false
	}
	least, most := slices.Min(sd), slices.Max(sd)
	return fmt.Sprintf("%.3g to %.3g", least, most), most > farApart*least
}

// warnOfEmpty says why cross-validation may have chosen a model without features, and what
// to do.
func (r *cvReport) warnOfEmpty(e *env) {
	if r.Chosen.NNZX > 0 {
		return
	}
	remedy := "more rows, other features or smaller lambdas (--ratio or --lambdas) may help"
	if text, far := apart(r.in.data); !r.Standardized && far {
		remedy = fmt.Sprintf("the deviations of the features are %s, and the penalty holds those on small scales back most: give --standardize", text)
	} else if r.Choose == "1se" && r.Min.NNZX > 0 {
		remedy = fmt.Sprintf("--choose min takes the one of the best mean, of %s", plural(r.Min.NNZX, "feature"))
	}
	margin := ""
	if r.Choose == "1se" {
		margin = " by more than the standard error"
	}
	e.warn("the model chosen has no feature: none with features is better on the rows held out%s; %s", margin, remedy)
}
