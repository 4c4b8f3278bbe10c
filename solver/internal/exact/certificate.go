package exact

import (
	"math"

	"github.com/scas-admm/scas/solver/internal/gap"
	"github.com/scas-admm/scas/solver/internal/quad"
	"github.com/scas-admm/scas/solver/internal/term"
)

// pose makes the problem of bounds one with limits and ridges at the features that have them now.
func (s *Solver) pose() {
	q := &gap.Problem{Rows: gap.NewRows(quad.New(nil, s.p), s.limit, nil, nil), Ridge: s.ridge}
	q.Columns = s.facts.Columns
	if s.Nonnegative {
		q.Set = term.Nonnegative{}.Region(s.p)
	}
	if s.facts.apart != nil {
		q.Settled = s.facts.apart.Columns
	}
	q.Prepare()
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
	b := s.bounds.Prove(at, s.work.alpha, make([]float64, s.bounds.Rows.Len()), s.e, &s.work.tally, tol)
	if b.Gap < s.at.value {
		return b.Gap
	}
	return math.Min(b.Gap, s.bounds.Trivial(at, s.at.value))
}
