package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/model"
)

func statusWord(s solver.Status) string {
	switch s {
	case solver.PassesDone:
		return "passes done"
	case solver.TimeDone:
		return "time limit"
	}
	return string(s)
}

// statusMeaning explains a status other than converged.
func statusMeaning(s solver.Status) string {
	switch s {
	case solver.Stalled:
		return "rounding errors, or too many coefficients, ended the fit before --tol was reached"
	case solver.PassesDone:
		return "the allowed passes are made, and --tol was not reached"
	case solver.TimeDone:
		return "--time-limit came before --tol was reached"
	case solver.Diverged:
		return "the numbers grew beyond every bound"
	}
	return "interrupted"
}

// A proof says how a fit ended, and gives a proved bound on the distance of its objective from the optimum.
type proof struct {
	DualityGap  number        `json:"duality_gap"`  // null if nothing is proved
	RelativeGap number        `json:"relative_gap"` // DualityGap as a share of the objective
	NoOptimum   bool          `json:"no_optimum,omitempty"`
	Status      solver.Status `json:"status"`

	asked bool // whether a proof was asked for (--tol)
}

func newProof(c *model.Certificate) proof {
	gap := number(c.Gap)
	return proof{
		DualityGap: gap, RelativeGap: relativeGap(gap, number(c.Objective)), NoOptimum: c.NoOptimum,
		Status: c.Status, asked: c.RelTol > 0,
	}
}

// unproved reports whether a proof was asked for, and the fit ended without it.
func (p proof) unproved() bool { return p.asked && p.Status != solver.Converged }

// gap returns the duality gap, or +Inf if nothing is proved.
func (p proof) gap() float64 {
	if math.IsNaN(float64(p.DualityGap)) {
		return math.Inf(1)
	}
	return float64(p.DualityGap)
}

// relativeGap returns gap divided by the absolute objective, or 0 if gap is 0.
func relativeGap(gap, objective number) number {
	if gap == 0 {
		return 0
	}
	return gap / number(math.Abs(float64(objective)))
}

// proofColumns has the headings of the last columns of a table of fits, which show what is proved about each
// fit.
var proofColumns = []string{"relative gap", "gap", "status"}

// cells returns the texts of one fit for the columns in proofColumns.
func (p proof) cells() []string {
	cells := []string{"not proved", "not proved", statusWord(p.Status)}
	for k, gap := range []number{p.RelativeGap, p.DualityGap} {
		if isFinite(float64(gap)) {
			cells[k] = fmt.Sprintf("%.1e", gap)
		}
	}
	return cells
}

// closeness returns a text with a bound on the distance of an objective from the optimum: the bound itself
// and, if relative is finite, its share of the objective.
func closeness(relative, gap number) string {
	if !isFinite(float64(relative)) {
		return fmt.Sprintf("proved to be within %.2g of the optimum", gap)
	}
	return fmt.Sprintf("proved to be within %.2g of the optimum (%.2g of the objective)", gap, relative)
}

// proofNotes explains the statuses of unproved fits, and counts the fits without an optimum. It returns nil
// if there is nothing to explain. noun says what each fit is for: "lambda" or "class".
func proofNotes(fits []proof, noun string) (f summary) {
	var statuses []solver.Status
	noOptimumCount := 0
	for _, fit := range fits {
		if fit.unproved() {
			statuses = append(statuses, fit.Status)
		}
		if fit.NoOptimum {
			noOptimumCount++
		}
	}
	for _, s := range slices.Compact(slices.Sorted(slices.Values(statuses))) {
		f.add(statusWord(s), "%s", statusMeaning(s))
	}
	f.addIf(noOptimumCount > 0, "optimum", "none for %s: %s", plural(noOptimumCount, noun), noOptimumReason)
	return f
}

func addGap(f *summary, p proof) {
	switch {
	case !isFinite(float64(p.DualityGap)):
		f.add("gap", "nothing is proved")
	case p.NoOptimum:
		f.add("gap", "proved to be at most %.2g above the bound that the objective falls to", p.DualityGap)
		f.add("optimum", "none: nothing holds the coefficients, which are the larger the smaller --tol is")
	default:
		f.add("gap", "%s", closeness(p.RelativeGap, p.DualityGap))
	}
}

const noOptimumReason = "features without a penalty separate the classes, or the rows with count 0 from the others, so that the loss falls as long as their coefficients grow; give --lambda above 0, for every feature"
