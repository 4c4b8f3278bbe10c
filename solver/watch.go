package solver

import (
	"math"

	"github.com/scas-admm/scas/solver/internal/admm"
	"github.com/scas-admm/scas/solver/internal/gap"
)

// retryFactor is what a DivergenceError proposes to divide the step size by.
const retryFactor = 4

// A keeper remembers an iterate to return to.
type keeper struct {
	admm.Watcher
	Auto    bool    // the step size is automatic: it may be halved
	Watched bool    // objectives are known at snapshots
	Kept    Iterate // the best snapshot; before there is one, an iterate not lost
}

// start fixes the objective at the start.
func (r *Run) start(objective float64) {
	r.keeper.Start(objective, r.Problem.lossAtZero())
	r.Stats.Constants.Radius = r.Problem.radius(r.A.Algebra, objective)
	r.keep()
}

// keep remembers the iterate.
func (r *Run) keep() {
	k := &r.keeper.Kept
	k.X = append(k.X[:0], r.X...)
	k.Y = append(k.Y[:0], r.Y...)
	k.Dual = append(k.Dual[:0], r.Dual...)
}

// restore goes back to the iterate that was kept, from which averages start anew.
func (r *Run) restore() {
	if r.keeper.Kept.X == nil {
		r.toStart()
		return
	}
	r.Iterate.set(r.keeper.Kept)
	r.startMean()
}

// toBest goes back to the best snapshot where a goal asks for the objective and it is
// below the given one, of x, as ADMM does not descend; it returns that of x then.
func (r *Run) toBest(objective float64) float64 {
	k := &r.keeper
	if r.goal <= 0 || !k.Watched || k.Kept.X == nil || r.loose || !(k.Best < objective) {
		return objective
	}
	r.Iterate.set(k.Kept)
	return k.Best
}

// settle proves what it can of x, whose objective is given, goes to the best snapshot
// where that is below it, and returns the objective there.
func (r *Run) settle(objective float64) float64 {
	r.gap = r.certify()
	best := r.toBest(objective)
	if best < objective {
		if r.gap = gap.Moved(r.gap, objective, best); r.gap > r.goal {
			r.gap = math.Min(r.gap, r.certify())
		}
	}
	return best
}

// WatchedSnapshot takes the snapshot at x, which costs a pass over the data but is
// not counted as one here, and compares the objective with the best so far. A given
// step size that diverges is an error. An automatic one is to be halved, as often as
// Stats.StepHalvings then says, when the objective diverges or keeps rising; where
// that asks for it the run goes back to the best iterate, for which it takes the
// snapshot again and counts a pass.
func (r *Run) WatchedSnapshot(auto bool) error {
	k, objective := &r.keeper, r.takeSnapshot()
	k.Auto, k.Watched = auto, true
	if r.Stats.OuterIterations == 0 {
		r.start(objective)
		return nil
	}
	verdict := k.See(objective, auto, r.loose)
	r.Stats.StepHalvings = k.Halvings
	switch verdict {
	case admm.Best:
		r.keep()
	case admm.Restart:
		r.restore()
		r.takeSnapshot()
		r.Spend(1)
	case admm.Lost:
		return r.Lost(objective)
	}
	return nil
}
