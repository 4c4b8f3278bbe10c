package admm

import "math"

// RetryFactor is the factor by which a *DivergenceError proposes to reduce the step size.
const RetryFactor = 4

const (
	// An iterate is lost if its objective is more than lostRise·Keeper.Scale above Keeper.First.
	lostRise = 9
	// patience is the number of rises without a new best objective after which an automatic step size is
	// halved.
	patience = 5
	// If maxVainHalvings halvings bring no new best objective, they are undone.
	maxVainHalvings = 2
	// maxHalvings is the largest number of halvings of an automatic step size.
	maxHalvings = 30
	// An objective is a rise if it is above Previous, and above Best by more than
	// riseTolerance·(First − Best). For these names see Keeper.
	riseTolerance = 1e-3
)

// A Point holds x, y and beta.
type Point struct {
	X, Y, Dual []float64
}

// Set copies X, Y and Dual of source into the slices of p, which must have the same lengths. If a slice of
// source is nil, the slice of p does not change.
func (p Point) Set(source Point) {
	copy(p.X, source.X)
	copy(p.Y, source.Y)
	copy(p.Dual, source.Dual)
}

// A Verdict says how the run must proceed.
type Verdict int

// The verdicts about an iterate.
const (
	Fine    Verdict = iota
	Best            // the iterate is the best so far: store it
	Restart         // restore the best iterate
	Lost            // end the run
)

// A Keeper judges the objectives of a run, and keeps a copy of the best iterate.
type Keeper struct {
	Auto    bool // the step size is automatic: it may be halved
	Watched bool // the objective is computed at every snapshot
	// Kept is the best iterate or, if Watched is false, the last iterate for which Lost returned false.
	// Kept.X is nil if no iterate is kept.
	Kept Point

	Halvings int     // number of times that an automatic step size must be halved
	Improved bool    // there was a new best objective after the start
	First    float64 // the objective at the start
	Scale    float64 // the unit of objectives, see Begin
	Best     float64 // the best objective so far
	Previous float64 // the objective that was judged last
	Rises    int     // number of rises since Best or Halvings changed
	// Vain is the number of halvings after rises since Best was set. It is maxVainHalvings+1
	// after they are undone.
	Vain int
}

// Begin starts a run at the given iterate. objective is the objective at the iterate. Scale becomes
// |objective|, or scale if scale is larger.
func (k *Keeper) Begin(iterate Point, objective, scale float64) {
	*k = Keeper{
		Auto: k.Auto, Watched: k.Watched, Kept: k.Kept,
		First: objective, Best: objective, Previous: objective, Scale: math.Max(math.Abs(objective), scale),
	}
	k.Keep(iterate)
}

// Keep copies the iterate to Kept.
func (k *Keeper) Keep(iterate Point) {
	k.Kept.X = append(k.Kept.X[:0], iterate.X...)
	k.Kept.Y = append(k.Kept.Y[:0], iterate.Y...)
	k.Kept.Dual = append(k.Kept.Dual[:0], iterate.Dual...)
}

// Restore copies Kept to the iterate. It returns false and does nothing if no iterate is kept.
func (k *Keeper) Restore(iterate Point) bool {
	iterate.Set(k.Kept)
	return k.Kept.X != nil
}

// Lost reports whether an objective is NaN, or so large that the iterate is useless.
func (k *Keeper) Lost(objective float64) bool {
	return !(objective <= k.First+float64(lostRise*k.Scale)) || math.IsInf(objective, 1)
}

// worseRise is the smallest clear rise above First, in units of Scale. Smaller rises are usual.
const worseRise = 0.01

// Worse reports whether an objective is clearly above First.
func (k *Keeper) Worse(objective float64) bool {
	return objective > k.First+float64(worseRise*k.Scale)
}

// Judge compares the objective at a snapshot with the best objective so far, and keeps the best iterate. If
// the verdict is Restart, it restores the best iterate, and the caller must compute the snapshot again.
// infeasible is true if the point may violate a constraint of the problem. Its objective then only shows
// divergence: every point that is not lost counts as the best.
func (k *Keeper) Judge(iterate Point, objective float64, infeasible bool) Verdict {
	verdict := k.judgeObjective(objective, infeasible)
	switch verdict {
	case Best:
		k.Keep(iterate)
	case Restart:
		k.Restore(iterate)
	}
	return verdict
}

// judgeObjective returns the verdict of Judge about the next objective.
//
// ADMM does not decrease the objective in every iteration, above all after a warm start. So maxVainHalvings
// halvings without a new best objective are undone. Afterwards, rises do not halve the step size until there
// is a new best objective.
func (k *Keeper) judgeObjective(objective float64, infeasible bool) Verdict {
	maxChange := float64(riseTolerance * (k.First - k.Best))
	rose := objective > k.Previous && objective > k.Best+maxChange
	k.Previous = objective
	switch lost := k.Lost(objective); {
	case lost && (!k.Auto || k.Halvings >= maxHalvings):
		return Lost
	case lost:
		k.Halvings++
		k.Rises = 0
		return Restart
	case infeasible || objective < k.Best:
		k.Best, k.Rises, k.Vain, k.Improved = objective, 0, 0, true
		return Best
	case k.Auto && rose:
		return k.countRise()
	}
	return Fine
}

// countRise counts a rise of the objective, may change Halvings, and returns the verdict.
func (k *Keeper) countRise() Verdict {
	k.Rises++
	if k.Rises < patience || k.Vain > maxVainHalvings {
		return Fine
	}
	k.Rises = 0
	k.Vain++
	if k.Vain > maxVainHalvings {
		k.Halvings -= maxVainHalvings
		return Fine
	}
	k.Halvings++
	if k.Improved {
		return Restart
	}
	return Fine
}

// RestoreBest restores the best iterate if objective, the value at the current iterate, is above the best
// objective. It returns the objective at the iterate afterwards.
func (k *Keeper) RestoreBest(iterate Point, objective float64) float64 {
	if k.Kept.X == nil || objective <= k.Best {
		return objective
	}
	k.Restore(iterate)
	return k.Best
}
