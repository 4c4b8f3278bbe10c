package exact

import (
	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/term"
)

// marginsAt sets dst = X x + o, given x over the columns of the working set.
func (s *Solver) marginsAt(dst, x []float64) {
	s.set.margins(s.Sums, dst, x)
	if s.Offset != nil {
		kernels.Axpy(1, s.Offset, dst)
	}
}

// margins sets dst = X x + o.
func (s *Solver) margins(dst, x []float64) {
	s.Margins(dst, s.Rows, x)
	if s.Offset != nil {
		kernels.Axpy(1, s.Offset, dst)
	}
}

// losses returns Σ cᵢ φ(tᵢ) and, unless slope is nil, sets it to φ'.
func (s *Solver) losses(margin, slope []float64) float64 {
	return s.Mean(s.Loss, slope, margin, s.Labels)
}

// curvatures sets work.curve to φ” at the point.
func (s *Solver) curvatures() {
	damping := term.Damping{Flat: s.work.soft, Tail: s.work.damp}
	s.Each(func(_, lo, hi int) {
		s.Loss.Curvatures(s.work.curve[lo:hi], s.at.slope[lo:hi], s.at.margin[lo:hi], s.Labels[lo:hi], damping)
	})
}

// reach returns how far margins may move before curvatures say little, 0 for any distance.
func (s *Solver) reach() float64 { return s.Loss.Traits().Reach }
