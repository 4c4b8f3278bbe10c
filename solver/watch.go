package solver

import (
	"math"

	"github.com/scas-admm/scas/solver/internal/admm"
	"github.com/scas-admm/scas/solver/internal/gap"
)

// start records the objective at the start.
func (r *Run) start(objective float64) {
	r.keeper.Begin(admm.Point(r.Iterate), objective, r.Problem.lossAtZero())
	r.Stats.Constants.Radius = r.Problem.radius(r.A.Algebra, objective)
}

// restore goes back to the iterate that was kept, or to the start, and begins a new mean.
func (r *Run) restore() {
	if r.keeper.Restore(admm.Point(r.Iterate)) {
		r.startMean()
		return
	}
	r.toStart()
}

// toBest goes back to the best snapshot if there is a goal and the objective of that snapshot is below
// the given objective of x. It returns the objective of the point where the run is then.
func (r *Run) toBest(objective float64) float64 {
	if r.goal <= 0 || !r.keeper.Watched || r.loose {
		return objective
	}
	return r.keeper.ToBest(admm.Point(r.Iterate), objective)
}

// settle proves a gap of x, whose objective is given, and goes to the best snapshot if its objective is
// lower. It returns the objective of the point where the run is then.
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

// WatchedSnapshot takes the snapshot at x, and compares the objective there with the best so far. The
// snapshot costs a pass over the data, which the method counts. If the objective diverges with a
// step size that was set, the error is a *DivergenceError. If it diverges or keeps rising with an
// automatic step size, Stats.StepHalvings says how often the method must halve that; the run may
// go back to the best iterate then, takes the snapshot there and counts a pass for it.
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
