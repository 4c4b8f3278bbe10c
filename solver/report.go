package solver

import (
	"math"

	"github.com/scas-admm/scas/solver/internal/exact"
)

// A Report says how far a run has come. Settings.Report gets it.
type Report struct {
	// Passes is the number of effective passes so far, as in Stats. In a fit of package model out of core, it
	// is the number of passes over the file, with the finished part of the current pass.
	Passes float64
	// Outer is the number of outer iterations so far, and NewtonSteps the number of Newton steps begun so
	// far. Both are 0 out of core.
	Outer, NewtonSteps int
	// Eta is the step size, and StepHalvings the number of its halvings; 0 without a step size, or if the run
	// has chosen none yet.
	Eta          float64
	StepHalvings int
	// Objective is the objective at a recent iterate. Gap is a proved bound of the objective minus the
	// optimum. Each is +Inf until the run has computed it; a run does not compute them only for Report.
	Objective, Gap float64
	Goal           float64 // the gap at which the run ends; 0 if there is none, or if it is not known yet
}

// report calls Settings.Report with the given objective and gap, which are +Inf if they are not known.
func (r *Run) report(objective, gap float64) {
	if r.Settings.Report == nil {
		return
	}
	st := &r.Stats
	r.Settings.Report(Report{
		Passes: st.Passes, Outer: st.OuterIterations, NewtonSteps: st.NewtonSteps, Eta: st.Eta,
		StepHalvings: st.StepHalvings,
		Objective:    objective, Gap: gap, Goal: math.Max(0, r.goal),
	})
}

// reportStep calls report with the result of a Newton step.
func (r *Run) reportStep(step *exact.Result) error {
	r.report(step.Objective, step.Gap)
	return nil
}
