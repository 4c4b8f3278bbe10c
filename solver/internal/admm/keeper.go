package admm

// RetryFactor is what a run whose step size diverged proposes to divide it by.
const RetryFactor = 4

// A Point is x, y and beta.
type Point struct {
	X, Y, Dual []float64
}

// Set copies from, whose slices have the same lengths or are nil.
func (p Point) Set(from Point) {
	copy(p.X, from.X)
	copy(p.Y, from.Y)
	copy(p.Dual, from.Dual)
}

// A Keeper is a Watcher that keeps an iterate to return to.
type Keeper struct {
	Watcher
	Auto    bool  // the step size is automatic: it may be halved
	Watched bool  // the objectives at snapshots are known, and Kept is the best snapshot
	Kept    Point // before there is a snapshot, an iterate that is not lost; X is nil before there is any
}

// Begin makes the start the best iterate. scale is that of objectives, see Watcher.Start.
func (k *Keeper) Begin(at Point, objective, scale float64) {
	k.Start(objective, scale)
	k.Keep(at)
}

// Keep copies the iterate.
func (k *Keeper) Keep(at Point) {
	k.Kept.X = append(k.Kept.X[:0], at.X...)
	k.Kept.Y = append(k.Kept.Y[:0], at.Y...)
	k.Kept.Dual = append(k.Kept.Dual[:0], at.Dual...)
}

// Restore sets the iterate to the one that was kept, and reports whether there is one.
func (k *Keeper) Restore(at Point) bool {
	at.Set(k.Kept)
	return k.Kept.X != nil
}

// Judge compares the objective at a snapshot with the best so far, keeps the iterate if it is
// the best, and restores the best one where the verdict is Restart. The caller then takes the
// snapshot again. loose is that of See.
func (k *Keeper) Judge(at Point, objective float64, loose bool) Verdict {
	verdict := k.See(objective, k.Auto, loose)
	switch verdict {
	case Best:
		k.Keep(at)
	case Restart:
		k.Restore(at)
	}
	return verdict
}

// ToBest restores the best iterate unless the given objective, that of the present one, is as
// low: ADMM does not descend. It returns the objective of the iterate then.
func (k *Keeper) ToBest(at Point, objective float64) float64 {
	if k.Kept.X == nil || objective <= k.Best {
		return objective
	}
	k.Restore(at)
	return k.Best
}
