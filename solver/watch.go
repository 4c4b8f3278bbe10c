package solver

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/solver/internal/admm"
	"github.com/scas-admm/scas/solver/internal/gap"
)

// recordStart stores the iterate and the given objective in r.keeper, and sets Stats.Constants.Radius.
func (r *Run) recordStart(objective float64) {
	r.keeper.Begin(admm.Point(r.Iterate), objective, r.Problem.lossAtZero())
	r.Stats.Constants.Radius = r.Problem.radius(r.product.Algebra, objective)
}

// restore sets the iterate to the iterate that r.keeper has stored, or to the start if none is stored. Then
// it begins a new Run.Mean.
func (r *Run) restore() {
	if r.keeper.Restore(admm.Point(r.Iterate)) {
		r.startMean()
		return
	}
	r.moveToStart()
}

// moveToBest replaces the iterate by the best snapshot, if the snapshot has a smaller objective. objective is
// the objective of the iterate. moveToBest does nothing if there is no goal, if the method does not call
// WatchedSnapshot, or if r.loose is true. It returns the objective of the iterate that remains.
func (r *Run) moveToBest(objective float64) float64 {
	if r.goal <= 0 || !r.keeper.Watched || r.loose {
		return objective
	}
	k := r.keeper
	if r.Samples.rounded && k.Kept.X != nil { // k.Best is the objective for the rounded data
		k.Best = r.Problem.Evaluate(k.Kept.X).Objective
	}
	return k.RestoreBest(admm.Point(r.Iterate), objective)
}

// settleAtBest calls moveToBest, and sets r.gap to a gap of the iterate that remains. objective is the
// objective of the iterate before the call. settleAtBest returns the objective of the iterate that remains.
// The time limit does not end its proofs.
func (r *Run) settleAtBest(objective float64) float64 {
	r.gap = r.certify(r.canceled)
	x := slices.Clone(r.X)
	bestObjective := r.moveToBest(objective)
	if bestObjective < objective {
		rounding := r.lossError(x, objective) + r.lossError(r.X, bestObjective)
		r.gap = gap.GapAtObjective(r.gap, objective, bestObjective, rounding)
		if r.gap > r.goal {
			r.gap = math.Min(r.gap, r.certify(r.canceled))
		}
	}
	return bestObjective
}

// lossError bounds the error of the computed mean loss at x that rounding of the margins causes. loss is the
// mean loss or a larger number, such as the objective.
func (r *Run) lossError(x []float64, loss float64) float64 {
	p := r.Problem
	return gap.LossErrorOf(p.team(), p.Data, x, loss, p.loss().Curvature())
}

// WatchedSnapshot computes the snapshot at x, and compares the objective at x with the best objective
// so far. The snapshot costs a pass over the data, which the method must count. auto is true if the step
// size is automatic. WatchedSnapshot sets Stats.StepHalvings to the number of times that the method must
// halve an automatic step size, because the objective diverged or kept rising. It may also restore the
// best iterate; then it computes the snapshot there and counts a pass for it. If the objective diverges
// with a given step size, or after the largest number of halvings, WatchedSnapshot returns a
// *DivergenceError.
func (r *Run) WatchedSnapshot(auto bool) error {
	k, objective := &r.keeper, r.takeSnapshot()
	if !k.Watched && r.Stats.OuterIterations > 0 {
		// checkCheaply has stored x, but k.Best is the objective at the start
		k.Keep(admm.Point(r.start()))
	}
	k.Auto, k.Watched = auto, true
	if r.Stats.OuterIterations == 0 {
		r.recordStart(objective)
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
