package solver

import "math"

// patience is how many rises of the objective an automatic step size survives
// without a new best.
const patience = 5

// watch compares the objective at the snapshot with the best so far. A fixed
// step size that diverges is an error. An automatic one is halved when the
// objective diverges or keeps rising, and the run goes on from the best. The
// objective may rise for a while when all is well, since the first iterations
// know little of the penalty; and where it is not one of a feasible point, as
// with indicators, only divergence counts.
func (r *run) watch(objective float64) error {
	w := &r.watcher
	previous := w.previous
	w.previous = objective
	lost := !(objective <= 10*w.first) // true for NaN
	switch {
	case r.outer == 0:
		w.first, w.best = objective, objective
		r.constants.Radius = r.prob.radius(objective)
		w.keep(r)
		return nil
	case objective < w.best || !lost && r.loose:
		w.best, w.worse, w.improved = objective, 0, true
		w.keep(r)
		return nil
	case lost && (!r.autoEta || r.halvings >= 30):
		return r.diverged(objective)
	case !lost && !(r.autoEta && objective > previous && objective > w.best+float64(1e-3*(w.first-w.best))):
		return nil
	}
	if w.worse++; !lost && w.worse < patience {
		return nil
	}
	w.worse = 0
	r.halvings++
	if lost || w.improved {
		w.restore(r)
		r.snapshot()
		r.passes++
	}
	return nil
}

// watchEnd judges the last iterate, after which no snapshot was taken. Only a
// diverged one is given up: an automatic step size then returns to the best.
// Methods without the watch judge it themselves.
func (r *run) watchEnd(m iteration) error {
	w := &r.watcher
	if w.x == nil {
		if j, ok := m.(interface{ judge() error }); ok {
			return j.judge()
		}
		return nil
	}
	ev := r.prob.EvaluateAt(r.x, r.y)
	objective := ev.Loss + r.prob.ridge(r.x) + r.penaltyNow()
	if objective <= 10*w.first {
		return nil
	}
	if r.autoEta {
		w.restore(r)
		return nil
	}
	return r.diverged(objective)
}

// diverged goes back to the best iterate and returns the error that says so.
func (r *run) diverged(objective float64) error {
	err := &DivergenceError{Outer: r.outer, Objective: objective, Start: r.watcher.first, Eta: r.eta, Rho: r.rho}
	r.watcher.restore(r)
	r.snapshot()
	err.Try = math.Min(r.eta/4, r.naturalEta())
	return err
}

// watcher remembers the best snapshot.
type watcher struct {
	first, best, previous float64 // objectives
	improved              bool    // best is better than first
	worse                 int     // rises since best
	x, y, beta            []float64
}

func (w *watcher) keep(r *run) {
	w.x = append(w.x[:0], r.x...)
	w.y = append(w.y[:0], r.y...)
	w.beta = append(w.beta[:0], r.beta...)
}

func (w *watcher) restore(r *run) {
	copy(r.x, w.x)
	copy(r.y, w.y)
	copy(r.beta, w.beta)
}
