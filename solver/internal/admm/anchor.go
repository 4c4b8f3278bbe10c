package admm

// An Anchor adds c(w − x_t) to the gradient of a step. It keeps inner loops together that draw
// from rows which differ (SCOPE; Zhao, Xiang, Shi, Gao, Li 2017): those of ranks, for which c
// is fixed, or of batches of a file, for which c follows from what the batches did. Fixed
// points are the same. The plan has c in its ridge.
type Anchor struct {
	Pull float64   // c
	at   []float64 // x_t; empty without a pull
}

const (
	firstPull, mostPull = 0.03, 10 // of the curvature of the loss times the mean of |aᵢ|²
	morePull, lessPull  = 3, 0.7   // factors of c: after an iteration that led astray, and after a best one
	astray              = 0.01     // how far above the best objective that is, in units of that at zero
)

// Tame restores the best iterate if the objective has clearly risen, and strengthens the
// anchor. It reports whether it did. An objective beyond all bounds, or a pull that is as
// strong as it may be, is left to the Keeper, which halves the step size.
func (s *OuterLoop) Tame(objective float64) bool {
	unit := s.Curvature * float64(s.Row*s.Row)
	pull := max(float64(firstPull*unit), float64(morePull*s.Anchor.Pull))
	if !(objective > s.Keeper.Best+float64(astray*s.Keeper.Scale)) || s.Keeper.Lost(objective) || pull > mostPull*unit {
		return false
	}
	s.Anchor.Pull = pull
	return s.Keeper.Restore(s.Point)
}

// Relax weakens the anchor, after an iteration that led to the best objective so far.
func (a *Anchor) Relax() { a.Pull *= lessPull }
