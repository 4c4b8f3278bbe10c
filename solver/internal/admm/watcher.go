package admm

import "math"

const (
	// beyond is the rise above the objective at the start, in units of that objective,
	// above which an iterate is lost.
	beyond = 9
	// patience is the number of times that the objective may rise, without a new best one, before
	// an automatic step size is halved.
	patience = 5
	// vainHalvings is the number of halvings without a new best objective after which the step size
	// is no longer considered the cause of the rises.
	vainHalvings = 2
	// maxHalvings is the largest number of halvings of an automatic step size.
	maxHalvings = 30
	// slack is the part of the decrease so far by which the objective may rise without being
	// counted as a rise.
	slack = 1e-3
)

// A Verdict says how to proceed after an iterate.
type Verdict int

// The verdicts.
const (
	Fine    Verdict = iota
	Best            // the best iterate so far: store it
	Restart         // restore the stored iterate
	Lost            // end the run
)

// A Watcher judges the objectives of a run.
type Watcher struct {
	// Halvings is the number of times by which an automatic step size must be halved.
	Halvings int
	// Improved says that some objective was better than the one at the start.
	Improved bool
	// First is the objective at the start.
	First float64

	Scale          float64
	Best, Previous float64
	Rises          int // rises since Best, or since the last halving
	Vain           int // halvings since Best, except those for lost iterates
}

// Start sets the objective at the start. scale is used as the unit of objectives if this objective
// is almost zero.
func (w *Watcher) Start(objective, scale float64) {
	*w = Watcher{First: objective, Best: objective, Previous: objective, Scale: math.Max(math.Abs(objective), scale)}
}

// Lost reports whether an objective is so large that the iterate is useless.
func (w *Watcher) Lost(objective float64) bool {
	return !(objective <= w.First+float64(beyond*w.Scale)) || math.IsInf(objective, 1) // true for NaN
}

// worse is the rise above the objective at the start, in units of that objective, that a result may
// have. ADMM does not decrease the objective in every iteration.
const worse = 0.01

// Worse reports whether an objective is clearly above the one at the start.
func (w *Watcher) Worse(objective float64) bool { return objective > w.First+float64(worse*w.Scale) }

// See judges the next objective. auto says that the step size is automatic and may be
// halved; loose says that the objective does not belong to a feasible point, so that only
// divergence matters.
//
// ADMM does not decrease the objective in every iteration. The penalty has little influence on the
// first iterations. Near the optimum, above all after a warm start, y and beta may still have to
// change much. Halvings without a new best are therefore undone, and rises are not counted again
// before there is a new best.
func (w *Watcher) See(objective float64, auto, loose bool) Verdict {
	rose := objective > w.Previous && objective > w.Best+float64(slack*(w.First-w.Best))
	w.Previous = objective
	switch lost := w.Lost(objective); {
	case lost && (!auto || w.Halvings >= maxHalvings):
		return Lost
	case lost:
		w.Halvings++
		w.Rises = 0
		return Restart
	case loose || objective < w.Best:
		w.Best, w.Rises, w.Vain, w.Improved = objective, 0, 0, true
		return Best
	case auto && rose:
		return w.rise()
	}
	return Fine
}

// rise counts a rise of the objective.
func (w *Watcher) rise() Verdict {
	if w.Rises++; w.Rises < patience || w.Vain > vainHalvings {
		return Fine
	}
	w.Rises = 0
	if w.Vain++; w.Vain > vainHalvings {
		w.Halvings -= vainHalvings
		return Fine
	}
	if w.Halvings++; w.Improved {
		return Restart
	}
	return Fine
}
