package exact

import (
	"slices"

	"github.com/scas-admm/scas/solver/internal/gap"
)

// poseBounds finds the free features, and sets s.bounds, the problem for which gaps are proved, with the current
// limits and ridges.
func (s *Solver) poseBounds() {
	penalty := gap.NewPenalty(s.A, s.limit, s.Square, s.Groups)
	s.findFree(penalty)
	q := &gap.Problem{Penalty: penalty, Ridge: s.ridge, Set: s.Set, Columns: s.columns}
	q.Prepare()
	s.bounds = q
	s.rows.setBounds(q)
}

// proveGap returns an upper bound of P(x) − P* that the current dual point or the dual point 0 proves. It
// also sets s.e to X'Cα. The caller must call s.rows.tally before. If the bound exceeds tol because of
// rounding errors, proveGap may compute it again, more accurately.
func (s *Solver) proveGap(tol float64) float64 {
	z := make([]float64, s.bounds.Penalty.Len())
	if s.coupled != nil {
		z = s.coupled.z
	}
	b := s.rows.prove(s.x, z, s.e, tol)
	// The loss at gram.base was computed from the rows, which is more accurate than from the Gram matrix.
	if s.gram != nil && slices.Equal(s.x, s.gram.base.X) {
		s.current.loss = s.gram.base.Loss
		s.current.value = s.value(s.current.loss)
	}
	if b.Gap < s.current.value {
		return b.Gap
	}
	if trivialGap := s.rows.trivialGap(s.x, s.current.value); !(b.Gap < trivialGap) {
		return trivialGap
	}
	return b.Gap
}
