package exact

import (
	"slices"

	"github.com/scas-admm/scas/solver/internal/gap"
)

// poseBounds makes the problem of bounds one with limits and ridges at the features that have them now.
func (s *Solver) poseBounds() {
	q := &gap.Problem{Penalty: gap.NewPenalty(s.A, s.limit, s.Square, s.Groups), Ridge: s.ridge, Set: s.Set, Columns: s.summary.Columns}
	if s.summary.apart != nil {
		q.Vanishing = s.summary.apart.Columns
	}
	q.Prepare()
	s.bounds = q
	s.rows.setBounds(q)
}

// certify returns a bound of P(x) − P*, by α, of which the tally is there, or by 0. It leaves
// X'Cα in e.
func (s *Solver) proveGap(tol float64) float64 {
	z := make([]float64, s.bounds.Penalty.Len())
	if s.coupled != nil {
		z = s.coupled.z
	}
	b := s.rows.prove(s.x, z, s.e, tol)
	if s.gram != nil && slices.Equal(s.x, s.gram.base.X) { // a visit has found the loss, which H gives but for its roundings
		s.at.loss = s.gram.base.Loss
		s.at.value = s.value(s.at.loss)
	}
	if b.Gap < s.at.value {
		return b.Gap
	}
	if least := s.rows.trivial(s.x, s.at.value); !(b.Gap < least) {
		return least
	}
	return b.Gap
}
