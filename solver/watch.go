package solver

import (
	"math"

	"github.com/scas-admm/scas/solver/internal/admm"
	"github.com/scas-admm/scas/solver/internal/gap"
)

// start fixes the objective at the start.
func (r *Run) start(objective float64) {
	r.keeper.Begin(admm.Point(r.Iterate), objective, r.Problem.lossAtZero())
	r.Stats.Constants.Radius = r.Problem.radius(r.A.Algebra, objective)
}

// restore goes back to the iterate that was kept, from which averages start anew.
func (r *Run) restore() {
	if r.keeper.Restore(admm.Point(r.Iterate)) {
		r.startMean()
		return
	}
	r.toStart()
}

// toBest goes back to the best snapshot where a goal asks for the objective and it is
// below the given one, of x; it returns that of x then.
func (r *Run) toBest(objective float64) float64 {
	if r.goal <= 0 || !r.keeper.Watched || r.loose {
		return objective
	}
	return r.keeper.ToBest(admm.Point(r.Iterate), objective)
}

// settle proves what it can of x, whose objective is given, goes to the best snapshot
// where that is below it, and returns the objective there.
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
