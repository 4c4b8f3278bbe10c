package admm

// RetryFactor is the factor by which a *DivergenceError proposes to reduce the step size.
const RetryFactor = 4

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

// A Keeper is a Watcher that keeps a copy of the best iterate.
type Keeper struct {
	Watcher
	Auto    bool // the step size is automatic: it may be halved
	Watched bool // the objective is computed at every snapshot
	// Kept is the best iterate or, if Watched is false, the last iterate for which Lost returned false.
	// Kept.X is nil if no iterate is kept.
	Kept Point
}

// Begin starts a run at the given iterate. objective is the objective at the iterate. Watcher.Scale becomes
// |objective|, or scale if scale is larger.
func (k *Keeper) Begin(iterate Point, objective, scale float64) {
	k.Start(objective, scale)
	k.Keep(iterate)
}

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

// Judge compares the objective at a snapshot with the best objective so far, and keeps the best iterate. If
// the verdict is Restart, it restores the best iterate, and the caller must compute the snapshot again.
// infeasible is the argument of Watcher.JudgeObjective.
func (k *Keeper) Judge(iterate Point, objective float64, infeasible bool) Verdict {
	verdict := k.JudgeObjective(objective, k.Auto, infeasible)
	switch verdict {
	case Best:
		k.Keep(iterate)
	case Restart:
		k.Restore(iterate)
	}
	return verdict
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
