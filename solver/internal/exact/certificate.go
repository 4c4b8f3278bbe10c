package exact

import (
	"slices"

	"github.com/scas-admm/scas/solver/internal/gap"
)

// poseBounds finds the free features, and sets s.bounds, the problem for which gaps are proved, with the
// current limits and ridges. If the free features have changed, it also finds the samples that they separate.
func (s *Solver) poseBounds() {
	penalty, free := gap.NewPenalty(s.A, s.limit, s.Square, s.Groups), []int32{}
	for j, r := range s.ridge {
		if r == 0 && !penalty.Touches(j) {
			free = append(free, int32(j))
		}
	}
	if s.free == nil || !slices.Equal(free, s.free) {
		s.free = free
		s.rows.separate(func(j int) (above, below bool) {
			_, isFree := slices.BinarySearch(free, int32(j))
			above, below = s.unboundedSides(j)
			return isFree && above, isFree && below
		})
	}
	s.bounds = &gap.Problem{Penalty: penalty, Ridge: s.ridge, Set: s.Set, Columns: s.columns}
	s.bounds.Prepare()
	s.rows.setBounds(s.bounds)
}

// proveGap returns an upper bound of P(x) − P* that the current dual point or the dual point 0 proves. It
// also sets s.e to X'Cα. The caller must call s.rows.tally before. If the bound exceeds tol because of
// rounding errors, proveGap may compute it again, more accurately.
func (s *Solver) proveGap(tol float64) float64 {
	b := s.rows.prove(s.x, s.z, s.e, tol)
	// The loss at gram.base was computed from the rows, which is more accurate than from the Gram matrix.
	if s.gram != nil && slices.Equal(s.x, s.gram.base.X) {
		s.current.loss = s.gram.base.Loss
		s.current.value = s.model.value(s.current.loss)
	}
	if b.Gap < s.current.value {
		return b.Gap
	}
	if trivialGap := s.rows.trivialGap(s.x, s.current.value); !(b.Gap < trivialGap) {
		return trivialGap
	}
	return b.Gap
}

// tally estimates the gap at the present point, and keeps what the next step needs of the estimate.
func (s *Solver) tally() *gap.Tally {
	t := s.rows.tally()
	s.work.alphaSize, s.work.fenchel = t.Size, t.Fenchel
	return t
}
