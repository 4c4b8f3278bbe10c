// Package ending describes how a run ended: the reason, the status that users see, and the remedy.
// Read Evidence.Status first.
package ending

import "github.com/scas-admm/scas/sparse"

// Why is the reason why a method ended. Zero means that it has not ended.
type Why int

const (
	_           Why = iota
	Reached         // the gap is at most the goal
	Rounding        // rounding prevents further progress
	Iterations      // all allowed iterations were done
	Interrupted     // an error ended the method
	Room            // too many coefficients are not zero
	Separated       // the loss decreases for ever in a direction of free features
)

// WhyEnded returns why a method ended. noRoom, separated and iterationsDone say whether the reasons Room,
// Separated and Iterations apply. separated reads the data, so WhyEnded calls it only if no reason before it
// applies.
func WhyEnded(err error, gap, goal float64, noRoom bool, separated func() bool, iterationsDone bool) Why {
	switch {
	case err != nil:
		return Interrupted
	case gap <= goal:
		return Reached
	case noRoom:
		return Room
	case separated():
		return Separated
	case iterationsDone:
		return Iterations
	}
	return Rounding
}

// The values of solver.Status.
const (
	Converged  = "converged"
	PassesDone = "passes_done"
	Stalled    = "stalled"
	TimeDone   = "time_done"
	Stopped    = "stopped"
	Diverged   = "diverged"
)

// Evidence describes a run that has ended.
type Evidence struct {
	Err       error   // the error that ended the run, or nil; the time limit is no error
	Diverged  bool    // Err says that the run diverged
	Late      bool    // the time limit ended the run
	Gap, Goal float64 // the certified gap, and the gap to reach; Goal is at most 0 if no gap was requested
	// Why is the reason why the method ended. It is 0 or Interrupted if its budget of passes was used up.
	Why Why

	Advice    *Advice // the loss's advice for a run that rounding ended; nil if the loss has no advice
	Dependent bool    // some free features are linearly dependent, or nearly so
	Unit      float64 // the number to which tolerances are relative
}

// dependenceGap is the gap, divided by Evidence.Unit, above which linear dependence of features is the likely
// cause of a stalled run.
const dependenceGap = 1e-3

// An Advice says why a run did not reach its goal, and what to do.
type Advice struct {
	Why      string // why the goal was not reached; empty if the remedies make this clear
	Remedies []sparse.Remedy
}

var (
	MoreTime   = []sparse.Remedy{{Field: "Settings.TimeLimit", To: "a larger number"}}
	AskForLess = sparse.Remedy{Field: "Settings.RelTol", To: "a larger number"}
	Scale      = sparse.Remedy{To: "scale the features"}
)

// Status returns the status of the run. advice is nil if the goal was reached or the run ended with an
// error.
func (r *Evidence) Status() (status string, advice *Advice) {
	switch {
	case r.Diverged:
		return Diverged, nil
	case r.Err != nil:
		return Stopped, nil
	case r.Gap <= r.Goal:
		return Converged, nil
	case r.Late:
		return TimeDone, &Advice{Remedies: MoreTime}
	case r.Why == 0 || r.Why == Interrupted:
		morePasses := sparse.Remedy{Field: "Settings.Passes", To: "a larger number"}
		return PassesDone, &Advice{Remedies: []sparse.Remedy{morePasses}}
	}
	return Stalled, r.advice()
}

// advice returns the advice for a run with the status Stalled.
func (r *Evidence) advice() *Advice {
	switch {
	case r.Why == Iterations:
		return &Advice{"it would take more Newton steps than are allowed", []sparse.Remedy{Scale, AskForLess}}
	case r.Why == Room:
		strongerPenalty := sparse.Remedy{Field: "Problem.Penalty", To: "a stronger one"}
		why := "the model has more coefficients than there is room for"
		return &Advice{why, []sparse.Remedy{strongerPenalty, AskForLess}}
	case r.Why == Separated:
		why := "features without a penalty separate the classes, or the rows with count 0 from the others, so " +
			"that the loss falls for ever"
		return &Advice{why, []sparse.Remedy{{To: "penalise these features"}, AskForLess}}
	case r.Dependent && !(r.Gap <= dependenceGap*r.Unit):
		why := "features without a penalty depend on each other"
		return &Advice{why, []sparse.Remedy{
			{To: "leave some of them out"},
			{Field: "Problem.L2", To: "a number above 0"},
		}}
	case r.Advice != nil:
		return r.Advice
	}
	return &Advice{"rounding decides here", []sparse.Remedy{Scale, AskForLess}}
}
