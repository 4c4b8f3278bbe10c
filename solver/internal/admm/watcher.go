package admm

import "math"

const (
	// An iterate is lost if its objective is more than lostRise·Watcher.Scale above Watcher.First.
	lostRise = 9
	// patience is the number of rises without a new best objective after which an automatic step size is
	// halved.
	patience = 5
	// If maxVainHalvings halvings bring no new best objective, they are undone.
	maxVainHalvings = 2
	// maxHalvings is the largest number of halvings of an automatic step size.
	maxHalvings = 30
	// An objective is a rise if it is above Previous, and above Best by more than
	// riseTolerance·(First − Best). For these names see Watcher.
	riseTolerance = 1e-3
)

// A Verdict says how the run must proceed.
type Verdict int

// The verdicts about an iterate.
const (
	Fine    Verdict = iota
	Best            // the iterate is the best so far: store it
	Restart         // restore the best iterate
	Lost            // end the run
)

// A Watcher judges the objectives of a run.
type Watcher struct {
	Halvings int     // number of times that an automatic step size must be halved
	Improved bool    // there was a new best objective after the start
	First    float64 // the objective at the start

	// Scale is the unit of objectives: |First|, or the argument scale of Start if that is larger.
	Scale    float64
	Best     float64 // the best objective so far
	Previous float64 // the objective that was judged last
	Rises    int     // number of rises since Best or Halvings changed
	// Vain is the number of halvings after rises since Best was set. It is maxVainHalvings+1
	// after they are undone.
	Vain int
}

// Start sets the objective at the start. Scale becomes |objective|, or scale if scale is larger.
func (w *Watcher) Start(objective, scale float64) {
	*w = Watcher{First: objective, Best: objective, Previous: objective, Scale: math.Max(math.Abs(objective), scale)}
}

// Lost reports whether an objective is NaN, or so large that the iterate is useless.
func (w *Watcher) Lost(objective float64) bool {
	return !(objective <= w.First+float64(lostRise*w.Scale)) || math.IsInf(objective, 1)
}

// worseRise is the smallest clear rise above First, in units of Scale. Smaller rises are usual.
const worseRise = 0.01

// Worse reports whether an objective is clearly above First.
func (w *Watcher) Worse(objective float64) bool {
	return objective > w.First+float64(worseRise*w.Scale)
}

// JudgeObjective judges the next objective. auto is true if the step size may be halved. infeasible is true
// if the point may violate a constraint of the problem. Its objective then only shows divergence: every point
// that is not lost counts as the best.
//
// ADMM does not decrease the objective in every iteration, above all after a warm start. So maxVainHalvings
// halvings without a new best objective are undone. Afterwards, rises do not halve the step size until there
// is a new best objective.
func (w *Watcher) JudgeObjective(objective float64, auto, infeasible bool) Verdict {
	maxChange := float64(riseTolerance * (w.First - w.Best))
	rose := objective > w.Previous && objective > w.Best+maxChange
	w.Previous = objective
	switch lost := w.Lost(objective); {
	case lost && (!auto || w.Halvings >= maxHalvings):
		return Lost
	case lost:
		w.Halvings++
		w.Rises = 0
		return Restart
	case infeasible || objective < w.Best:
		w.Best, w.Rises, w.Vain, w.Improved = objective, 0, 0, true
		return Best
	case auto && rose:
		return w.countRise()
	}
	return Fine
}

// countRise counts a rise of the objective, may change Halvings, and returns the verdict.
func (w *Watcher) countRise() Verdict {
	if w.Rises++; w.Rises < patience || w.Vain > maxVainHalvings {
		return Fine
	}
	w.Rises = 0
	if w.Vain++; w.Vain > maxVainHalvings {
		w.Halvings -= maxVainHalvings
		return Fine
	}
	if w.Halvings++; w.Improved {
		return Restart
	}
	return Fine
}
