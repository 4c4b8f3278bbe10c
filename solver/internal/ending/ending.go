// Package ending says how a run ended: why, the status that users see, and what to do about it.
package ending

// Why says why a method ended; its zero value, that it has not.
type Why int

// Reasons.
const (
	_           Why = iota
	Reached         // the gap is at most the goal
	Rounding        // nothing moves, or lowers or proves anything: rounding decides
	Iterations      // all iterations that are allowed were done
	Interrupted     // by an error
	Room            // working sets have no room for what is not zero, or Hessians take too long
	Separable       // the losses fall without end along features that nothing holds
)

// Of returns why a method ended whose goal was a gap of at most goal. full reports whether it had
// no room, spent whether it did all the iterations that it may. separable, which visits the
// data, is called only if its answer decides.
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

// String names the reason.
func (w Why) String() string {
	return [...]string{"not ended", "reached", "rounding", "iterations", "interrupted", "room", "separable"}[w]
}

// The words of solver.Status.
const (
	Converged  = "converged"
	PassesDone = "passes_done"
	Stalled    = "stalled"
	TimeDone   = "time_done"
	Stopped    = "stopped"
	Diverged   = "diverged"
)

// A Run is what is known of a run that has ended.
type Run struct {
	Err       error   // what ended it early, but for its time limit; nil for nothing
	Diverged  bool    // Err says so
	Late      bool    // its time was up
	Gap, Goal float64 // proved, and asked for; a goal of 0 is none
	// Final reports whether a method ended that goes on until it has reached the goal, or cannot.
	// Others end with their budget of passes.
	Final bool
	Why   Why // of a final method

	Advice    string  // of the loss, see term.Traits.StallAdvice
	Dependent bool    // features that nothing holds were found to depend on each other, and
	Unit      float64 // what tolerances are parts of, which says whether that matters
}

// mattersFrom is the gap, as a part of the unit, from which on features that depend on each other are
// the likely reason.
const mattersFrom = 1e-3

// Status returns the status of the run, and what to do where the goal was not reached: "" if it was,
// or if the run has an error of its own.
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

// remedy says what to do where a final method did not reach the goal.
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
