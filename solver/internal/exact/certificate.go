package exact

import (
	"github.com/scas-admm/scas/solver/internal/gap"
)

// pose makes the problem of bounds one with limits and ridges at the features that have them now.
func (s *Solver) pose() {
	q := &gap.Problem{Rows: gap.NewRows(s.A, s.limit, s.Square, s.Groups), Ridge: s.ridge, Set: s.Set, Columns: s.facts.Columns}
	if s.facts.apart != nil {
		q.Settled = s.facts.apart.Columns
	}
	q.Prepare()
	if s.coupled != nil {
		s.coupled.pose(q.Rows)
	}
	s.bounds = gap.Memory{Problem: q, Sums: s.Sums, Team: s.Team, Data: s.Data, Sparse: s.Rows, Loss: s.Loss, Labels: s.Labels}
}

// point returns the point for a bound.
func (s *Solver) point() *gap.Point {
	return &gap.Point{X: s.x, Margin: s.at.margin, Slope: s.at.slope, Loss: s.at.loss}
}

// certify returns a bound of P(x) − P*, by alpha, of which the tally is there, or by 0. It leaves
// X'C alpha in e.
func (s *Solver) certify(tol float64) float64 {
	at := s.point()
	z := make([]float64, s.bounds.Rows.Len())
	if s.coupled != nil {
		z = s.coupled.z
	}
	b := s.bounds.Prove(at, s.work.alpha, z, s.e, &s.work.tally, tol)
	if b.Gap < s.at.value {
		return b.Gap
	}
	if least := s.bounds.Trivial(at, s.at.value); !(b.Gap < least) {
		return least
	}
	return b.Gap
}
