package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/model"
)

// statusWord returns the words for a status.
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
		return "rounding, or the room there is, ended it before --tol was reached"
	case solver.PassesDone:
		return "the passes allowed are made, and nothing more is proved"
	case solver.TimeDone:
		return "--time-limit came before --tol was reached"
	case solver.Diverged:
		return "the numbers grew beyond every bound"
	}
	return "ended from outside"
}

// A proof says how a fit ended, and how far its objective is from the optimum at most.
type proof struct {
	DualityGap  number        `json:"duality_gap"`  // null if nothing is proved
	RelativeGap number        `json:"relative_gap"` // DualityGap as a share of the objective
	NoOptimum   bool          `json:"no_optimum,omitempty"`
	Status      solver.Status `json:"status"`
}

func newProof(c *model.Certificate) proof {
	gap := number(c.Gap)
	return proof{DualityGap: gap, RelativeGap: relativeGap(gap, number(c.Objective)), NoOptimum: c.NoOptimum, Status: c.Status}
}

// relativeGap returns a gap as a share of the objective. It is not finite if the gap is not, or if
// the objective is 0 and the gap is not.
func relativeGap(gap, objective number) number {
	if gap == 0 {
		return 0
	}
	return gap / number(math.Abs(float64(objective)))
}

// gapColumns are the heads of the two columns of a table that gaps returns.
var gapColumns = []string{"relative gap", "gap"}

// gaps returns the cells of gapColumns.
func (p proof) gaps() []string {
	cells := make([]string, len(gapColumns))
	for k, gap := range []number{p.RelativeGap, p.DualityGap} {
		if cells[k] = "not proved"; isFinite(float64(gap)) {
			cells[k] = fmt.Sprintf("%.1e", gap)
		}
	}
	return cells
}

// closeness words how far an objective is above its optimum at most: the relative bound first, if it
// is finite, and then the absolute one.
func closeness(relative, gap number, optimum string) string {
	if !isFinite(float64(relative)) {
		return fmt.Sprintf("proved to be within %.2g of %s, absolute", gap, optimum)
	}
	return fmt.Sprintf("proved to be within %.2g of %s, relative (absolute %.2g)", relative, optimum, gap)
}

// proofNotes explains the statuses of fits that did not converge, and counts those without an optimum.
// what names what each fit is for, such as a class. It returns nil if all is well.
func proofNotes(fits []proof, what string) (f summary) {
	statuses, none := make([]solver.Status, len(fits)), 0
	for k, fit := range fits {
		if statuses[k] = fit.Status; fit.NoOptimum {
			none++
		}
	}
	for _, s := range slices.Compact(slices.Sorted(slices.Values(statuses))) {
		f.addIf(s != solver.Converged, statusWord(s), "%s", statusMeaning(s))
	}
	f.addIf(none > 0, "optimum", "none for %s: %s", plural(none, what), noOptimumReason)
	return f
}

// addGap says how far the objective is proved to be from the optimum, if there is one.
func addGap(f *summary, p proof) {
	switch {
	case !isFinite(float64(p.DualityGap)):
		f.add("gap", "nothing is proved")
	case p.NoOptimum:
		f.add("gap", "proved to be at most %.2g above the bound that the objective falls to", p.DualityGap)
		f.add("optimum", "none: nothing holds the coefficients, which are the larger the smaller --tol is")
	default:
		f.add("gap", "%s", closeness(p.RelativeGap, p.DualityGap, "the optimum"))
	}
}

// noOptimumReason says why there is no optimum, and what to do.
const noOptimumReason = "features that are not penalised tell the classes apart, or the counts of 0, so that the loss falls as long as coefficients grow; give --lambda above 0, for every feature"
