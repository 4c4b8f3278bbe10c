// Package ending describes how a run ended: the reason, the status that users see, and the remedy.
// Read Run.Status first.
package ending

// Why says why a method ended; its zero value means that it has not ended.
type Why int

// The reasons.
const (
	_           Why = iota
	Reached         // the gap is at most the goal
	Rounding        // rounding prevents further progress
	Iterations      // all allowed iterations were done
	Interrupted     // an error ended the method
	Room            // too many coefficients are not zero: working sets would be too large, or Hessians too slow
	Separable       // the loss decreases without bound along features without a penalty
)

// Of returns why a method ended whose goal was a gap of at most goal. full reports that working
// sets would have become too large, spent that all allowed iterations were made. separable is
// called only if its result matters, because it reads the data.
func Of(err error, gap, goal float64, full bool, separable func() bool, spent bool) Why {
	switch {
	case err != nil:
		return Interrupted
	case gap <= goal:
		return Reached
	case full:
		return Room
	case separable():
		return Separable
	case spent:
		return Iterations
	}
	return Rounding
}

// String returns the name of the reason.
func (w Why) String() string {
	return [...]string{"not ended", "reached", "rounding", "iterations", "interrupted", "room", "separable"}[w]
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

// A Run describes a run that has ended.
type Run struct {
	Err       error   // the error that ended it, other than the time limit; or nil
	Diverged  bool    // Err is a divergence
	Late      bool    // the time limit ended the run
	Gap, Goal float64 // the certified gap, and the gap to reach; 0 if no gap was requested
	// Final reports whether the method continues until it has reached the goal or cannot reach
	// it. Other methods end when their budget of passes is used up.
	Final bool
	Why   Why // why a final method ended

	Advice    string  // term.Traits.StallAdvice of the loss
	Dependent bool    // features without a penalty were found to be linearly dependent
	Unit      float64 // the number to which tolerances are relative
}

// mattersFrom is the gap, relative to Unit, above which linear dependence of features is the likely
// cause if a run stalls.
const mattersFrom = 1e-3

// Status returns the status of the run, and the remedy if the goal was not reached. The
// remedy is empty if the goal was reached or if the run has an error of its own.
func (r *Run) Status() (status, remedy string) {
	switch {
	case r.Diverged:
		return Diverged, ""
	case r.Err != nil:
		return Stopped, ""
	case r.Goal > 0 && r.Gap <= r.Goal:
		return Converged, ""
	case r.Late:
		return TimeDone, "allow more time"
	case !r.Final:
		return PassesDone, "allow more passes"
	}
	return Stalled, r.remedy()
}

// remedy returns the advice for a final method that did not reach the goal.
func (r *Run) remedy() string {
	switch {
	case r.Why == Iterations:
		return "it would take more Newton steps than are allowed: scale the features, or ask for less"
	case r.Why == Room:
		return "the model has more coefficients than there is room for: raise lambda, or ask for less"
	case r.Why == Separable:
		return "features that are not penalised tell the classes apart, or the counts of 0, so that the loss falls for ever: penalise them, or ask for less"
	case r.Dependent && !(r.Gap <= mattersFrom*r.Unit):
		return "features without a penalty depend on each other: leave some out, or raise L2 above zero"
	case r.Advice != "":
		return r.Advice
	}
	return "rounding decides here: scale the features, or ask for less"
}
