package solver

import "math"

const (
	// divergenceFactor is how far above the objective at the start an iterate may
	// be before it is lost.
	divergenceFactor = 10
	// patience is how many rises of the objective an automatic step size survives
	// without a new best.
	patience = 5
	// vainHalvings is how many halvings without a new best show that the step size is
	// not why the objective rises.
	vainHalvings = 2
	// maxHalvings bounds how often an automatic step size is halved.
	maxHalvings = 30
	// retryFactor is what a DivergenceError proposes to divide the step size by.
	retryFactor = 4
)

// A watcher judges the iterates of a run, of whatever method, and remembers one to
// return to.
type watcher struct {
	first, best, previous float64 // objectives
	improved              bool    // best is better than first
	worse                 int     // rises since best, or since the last halving
	vain                  int     // halvings since best, iterates that were lost aside
	auto                  bool    // the step size is automatic: it may be halved
	watched               bool    // objectives are known at snapshots
	kept                  Iterate // the best snapshot; before there is one, an iterate not lost
}

// lost reports whether an objective is beyond what any useful iterate has.
func (w *watcher) lost(objective float64) bool {
	return !(objective <= divergenceFactor*w.first) // true for NaN
}

// start fixes the objective at the start.
func (r *Run) start(objective float64) {
	w := &r.watch
	w.first, w.best, w.previous = objective, objective, objective
	r.Stats.Constants.Radius = r.Problem.radius(r.A.Algebra, objective)
	r.keep()
}

func (r *Run) keep() {
	k := &r.watch.kept
	k.X = append(k.X[:0], r.X...)
	k.Y = append(k.Y[:0], r.Y...)
	k.Dual = append(k.Dual[:0], r.Dual...)
}

// restore goes back to the iterate that was kept, from which averages start anew.
func (r *Run) restore() {
	if r.watch.kept.X == nil {
		r.toStart()
	} else {
		r.Iterate.set(r.watch.kept)
	}
	copy(r.Mean.X, r.X)
	copy(r.Mean.Y, r.Y)
	r.averaged = 0
}

// WatchedSnapshot takes the snapshot at x, which costs a pass over the data but is
// not counted as one here, and compares the objective with the best so far. A given
// step size that diverges is an error. An automatic one is to be halved, as often
// as Stats.StepHalvings says, when the objective diverges or keeps rising; the run
// then goes back to the best iterate, for which it takes the snapshot again and
// counts a pass, and restarted is true.
//
// The objective may rise for a while when all is well, since ADMM does not descend:
// the first iterations know little of the penalty, and near the optimum, above all
// from a warm start, y and beta may have a way to go. Halvings that bring no new best
// are therefore taken back, and rises then count no more until there is one. Where the
// objective is not one of a feasible point, as with indicators, only divergence
// counts.
func (r *Run) WatchedSnapshot(auto bool) (restarted bool, err error) {
	w, objective := &r.watch, r.takeSnapshot()
	previous := w.previous
	w.previous, w.auto, w.watched = objective, auto, true
	if r.Stats.OuterIterations == 0 {
		r.start(objective)
		return false, nil
	}
	lost := w.lost(objective)
	switch {
	case objective < w.best || !lost && r.loose:
		w.best, w.worse, w.vain, w.improved = objective, 0, 0, true
		r.keep()
		return false, nil
	case lost && (!auto || r.Stats.StepHalvings >= maxHalvings):
		return false, r.Lost(objective)
	case !lost && !(auto && objective > previous && objective > w.best+float64(1e-3*(w.first-w.best))):
		return false, nil
	}
	if w.worse++; !lost && (w.worse < patience || w.vain > vainHalvings) {
		return false, nil
	}
	w.worse = 0
	r.Stats.StepHalvings++
	if !lost {
		if w.vain++; w.vain > vainHalvings {
			r.Stats.StepHalvings -= w.vain
			return false, nil
		}
	}
	if !lost && !w.improved {
		return false, nil
	}
	r.restore()
	r.takeSnapshot()
	r.Spend(1)
	return true, nil
}

// settle judges x after an outer iteration of a method that takes no snapshots, by
// the part of the objective that needs no data.
func (r *Run) settle() error {
	if r.watch.watched {
		return nil
	}
	value := r.Problem.ridge(r.X) + r.penaltyNow()
	if r.watch.lost(value) {
		return r.Lost(value)
	}
	r.keep()
	return nil
}

// judge judges the last iterate by the whole objective, with the clock stopped.
// Where the step size is automatic a lost one is given up for the one kept.
func (r *Run) judge() error {
	r.clock.pause()
	defer r.clock.resume()
	value := r.Problem.EvaluateAt(r.X, r.Y).Loss + r.Problem.ridge(r.X) + r.penaltyNow()
	switch {
	case !r.watch.lost(value):
		return nil
	case r.watch.auto:
		r.restore()
		return nil
	}
	return r.Lost(value)
}

// Lost goes back to an iterate that is not lost, at the latest the start, and
// returns the error that says so. Methods call it when an iterate is not finite.
func (r *Run) Lost(objective float64) error {
	r.restore()
	if !r.watch.improved && r.watch.lost(r.evaluate(r.Iterate).Objective) { // settle does not look at the data
		r.watch.kept = Iterate{}
		r.restore()
	}
	st := r.Stats
	return &DivergenceError{Outer: st.OuterIterations, Objective: objective, Start: r.watch.first, Eta: st.Eta, Rho: st.Rho}
}

// propose fills in the step size that a diverged run should try: a fraction of its
// own, or the method's at the iterate restored if that is known and smaller.
func (e *DivergenceError) propose(it Iteration) {
	e.Try = e.Eta / retryFactor
	if n, ok := it.(interface{ NaturalEta() float64 }); ok {
		e.Try = math.Min(e.Try, n.NaturalEta())
	}
}
