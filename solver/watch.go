package solver

import (
	"math"

	"github.com/scas-admm/scas/solver/internal/admm"
	"github.com/scas-admm/scas/solver/internal/gap"
)

// start stores the iterate and its objective in the keeper, and sets Stats.Constants.Radius.
func (r *Run) start(objective float64) {
	r.keeper.Begin(admm.Point(r.Iterate), objective, r.Problem.lossAtZero())
	r.Stats.Constants.Radius = r.Problem.radius(r.product.Algebra, objective)
}

// restore moves to the stored iterate, or to the start if none is stored, and begins a new mean.
func (r *Run) restore() {
	if r.keeper.Restore(admm.Point(r.Iterate)) {
		r.startMean()
		return
	}
	r.toStart()
}

// toBest moves to the best snapshot if its objective is below the given objective of x. It does not move if
// the run has no goal, if the keeper does not store the best snapshot, or if r.loose is true: then
// objectives were computed with the y of the iterate. It returns the objective of the iterate.
func (r *Run) toBest(objective float64) float64 {
	if r.goal <= 0 || !r.keeper.Watched || r.loose {
		return objective
	}
	return r.keeper.ToBest(admm.Point(r.Iterate), objective)
}

// settle proves a gap at x and then calls toBest. If toBest moves, r.gap is then the gap of the new iterate.
// settle returns the objective of the iterate.
func (r *Run) settle(objective float64) float64 {
	r.gap = r.certify()
	best := r.toBest(objective)
	if best < objective {
		if r.gap = gap.AtObjective(r.gap, objective, best); r.gap > r.goal {
			r.gap = math.Min(r.gap, r.certify())
		}
	}
	return best
}

// WatchedSnapshot computes the snapshot at x, and compares the objective at x with the best objective
// so far. The snapshot costs a pass over the data, which the method must count. auto says that the step
// size is automatic. If the objective diverges or keeps rising with an automatic step size,
// Stats.StepHalvings says how often the method must halve the step size. WatchedSnapshot may then
// restore the best iterate; it computes the snapshot there and counts a pass for it. If the objective
// diverges with a given step size, or after the largest number of halvings, WatchedSnapshot returns a
// *DivergenceError.
func (r *Run) WatchedSnapshot(auto bool) error {
	k, objective := &r.keeper, r.takeSnapshot()
	k.Auto, k.Watched = auto, true
	if r.Stats.OuterIterations == 0 {
		r.start(objective)
		return nil
	}
	verdict := k.Judge(admm.Point(r.Iterate), objective, r.loose)
	r.Stats.StepHalvings = k.Halvings
	switch verdict {
	case admm.Restart:
		r.startMean()
		r.takeSnapshot()
		r.Spend(1)
	case admm.Lost:
		return r.Lost(objective)
	}
	return nil
}
