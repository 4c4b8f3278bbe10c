package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
)

// A rewordedError is one in other words.
type rewordedError struct {
	error
	msg string
}

func (e rewordedError) Error() string { return e.msg }
func (e rewordedError) Unwrap() error { return e.error }

// ofScales words the remedy of a fit that did not converge, to scale the features: it names the
// flag if scales are the cause, and leaves the remedy out if they are not.
func ofScales(err error, data *sparse.Dataset, standardized bool) error {
	if !errors.Is(err, solver.ErrNotConverged) || !strings.Contains(err.Error(), scaling) {
		return err
	}
	text, far := "", false
	if !standardized { // nor too large to look at
		text, far = apart(data)
	}
	remedy := "ask for less with --tol"
	if far {
		remedy = fmt.Sprintf("scale the features, whose deviations are %s (--standardize), or ask for less", text) // see leaveOut
	}
	return rewordedError{err, strings.Replace(err.Error(), scaling, remedy, 1)}
}

// scaling is the remedy of package solver.
const scaling = "scale the features, or ask for less"

// farApart is how many times the least deviation of a feature the largest may be before
// scales are named as the reason for a poor model.
const farApart = 100

// apart says how far the deviations of the features are apart, if that is far.
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
	remedy := "more rows, other features or a smaller --ratio may help"
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
