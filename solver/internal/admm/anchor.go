package admm

// An Anchor is the proximal term (c/2)|w − v|² of an inner loop, where v is the x at which the loop starts.
// If inner loops draw from different rows, the term keeps their results close to each other (SCOPE; Zhao,
// Xiang, Shi, Gao, Li 2017). With data in memory v is the snapshot. In an outer iteration with several
// batches, only the first inner loop starts at the snapshot; v of the next one is the x that it leaves.
// InnerLoop.Ridge must include c.
type Anchor struct {
	Weight float64   // c, the proximal weight
	centre []float64 // v
}

const (
	// Smallest and largest c that RestoreAfterRise sets, in units of Curvature·Row² (see Scales).
	minWeight, maxWeight = 0.03, 10
	// Factors of c after a clear rise of the objective, and after a new best objective.
	increaseWeight, decreaseWeight = 3, 0.7
	// Smallest clear rise above the best objective, in units of Keeper.Scale.
	clearRise = 0.01
)

// RestoreAfterRise increases the proximal weight and restores the best iterate if the objective at the
// iterate is clearly above the best objective. It does nothing if the iterate has diverged (Keeper.Lost), or
// if the new weight would be too large. It returns false if it restores no iterate.
func (s *OuterLoop) RestoreAfterRise(objective float64) bool {
	unit := s.Curvature * float64(s.RowNorm*s.RowNorm)
	weight := max(float64(minWeight*unit), float64(increaseWeight*s.Anchor.Weight))
	if !(objective > s.Keeper.Best+float64(clearRise*s.Keeper.Scale)) || s.Keeper.Lost(objective) ||
		weight > maxWeight*unit {
		return false
	}
	s.Anchor.Weight = weight
	return s.Keeper.Restore(s.Point)
}

// Relax decreases the proximal weight.
func (a *Anchor) Relax() { a.Weight *= decreaseWeight }
