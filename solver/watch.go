package solver

import "math"

// watch compares the objective at the snapshot with the best so far. A fixed
// step size that diverges is an error. An automatic one is halved when the
// objective stays above the best for three snapshots, and the run goes on from
// the best. Where the objective is not one of a feasible point, as with
// indicators, only divergence counts.
func (r *run) watch(objective float64) error {
	w := &r.watcher
	if r.outer == 0 {
		w.first, w.best = objective, objective
		w.keep(r)
		return nil
	}
	if objective < w.best {
		w.best, w.worse = objective, 0
		w.keep(r)
		return nil
	}
	lost := !(objective <= 10*w.first) // true for NaN
	if !lost && r.loose {
		w.best, w.worse = objective, 0
		w.keep(r)
		return nil
	}
	if !lost && objective <= w.best+float64(1e-3*(w.first-w.best)) {
		return nil
	}
	w.worse++
	if !lost && (w.worse < 3 || !r.autoEta) {
		return nil
	}
	if !r.autoEta || r.halvings >= 30 {
		return r.diverged(objective)
	}
	r.halvings++
	w.worse = 0
	w.restore(r)
	r.snapshot()
	r.passes++
	return nil
}

// watchEnd judges the last iterate, after which no snapshot was taken. Only a
// diverged one is given up: an automatic step size then returns to the best.
func (r *run) watchEnd() error {
	w := &r.watcher
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
	err := &DivergenceError{Outer: r.outer, Objective: objective, Start: r.watcher.first, Eta: r.eta}
	r.watcher.restore(r)
	r.snapshot()
	err.Try = math.Min(r.eta/4, r.naturalEta())
	return err
}

// watcher remembers the best snapshot.
type watcher struct {
	first, best float64
	worse       int
	x, y, beta  []float64
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
