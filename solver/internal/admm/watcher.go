package admm

import "math"

const (
	// beyond is how far above the objective at the start an iterate may be before it
	// is lost, in units of that objective.
	beyond = 9
	// patience is how many rises of the objective an automatic step size survives
	// without a new best.
	patience = 5
	// vainHalvings is how many halvings without a new best show that the step size is
	// not why the objective rises.
	vainHalvings = 2
	// maxHalvings bounds how often an automatic step size is halved.
	maxHalvings = 30
	// slack is the share of what was gained that a rise may lose without counting.
	slack = 1e-3
)

// A Verdict says what to do with an iterate.
type Verdict int

// The verdicts.
const (
	Fine    Verdict = iota
	Best            // keep it
	Restart         // go back to the one kept
	Lost            // give the run up
)

// A Watcher remembers the objectives that matter.
type Watcher struct {
	// Halvings is how often an automatic step size is to be halved.
	Halvings int
	// Improved says that there was a better objective than that at the start.
	Improved bool
	// First is the objective at the start.
	First float64

	Scale          float64
	Best, Previous float64
	Rises          int // since Best, or since the last halving
	Vain           int // halvings since Best, those of lost iterates aside
}

// Start fixes the objective at the start, and the scale of objectives where that one
// is near zero.
func (w *Watcher) Start(objective, scale float64) {
	*w = Watcher{First: objective, Best: objective, Previous: objective, Scale: math.Max(math.Abs(objective), scale)}
}

// Lost reports whether an objective is beyond what any useful iterate has.
func (w *Watcher) Lost(objective float64) bool {
	return !(objective <= w.First+float64(beyond*w.Scale)) || math.IsInf(objective, 1) // true for NaN
}

// worse is how far above the start a result may end, in units of the objective there:
// ADMM does not descend.
const worse = 0.01

// Worse reports whether an objective is well above that at the start.
func (w *Watcher) Worse(objective float64) bool { return objective > w.First+float64(worse*w.Scale) }

// See judges the next objective. auto says that the step size is automatic and may be
// halved, and loose that the objective is not one of a feasible point, so that only
// divergence counts.
//
// ADMM does not descend. The first iterations know little of the penalty, and near the
// optimum, above all from a warm start, y and beta may have a way to go. Halvings that
// bring no new best are therefore taken back, and rises then count no more until there
// is one.
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
