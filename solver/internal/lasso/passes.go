package lasso

import (
	"math"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/fenchel"
)

// margins sets dst = X x + o for rows of some columns, x having as many entries.
func (s *Solver) margins(dst []float64, a kernels.Rows, x []float64) {
	s.Margins(dst, a, x)
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
	_, logistic := s.Loss.(fenchel.Logistic)
	s.Each(func(_, lo, hi int) {
		s.Loss.Curvatures(s.work.curve[lo:hi], s.at.slope[lo:hi], s.at.margin[lo:hi], s.Labels[lo:hi], s.work.soft)
		if logistic && s.work.damp > 0 {
			s.dampen(lo, hi)
		}
	})
}

// dampen takes a part of the curvatures from parabolas that touch logistic losses and lie
// above them, (σ(|t|) − ½)/|t|: far from zero on the wrong side φ” is next to nothing where
// φ' is not, and a feature of such samples alone would go anywhere.
func (s *Solver) dampen(lo, hi int) {
	damp := s.work.damp
	for i := lo; i < hi; i++ {
		t, above := math.Abs(s.at.margin[i]), 0.25
		if t > 1e-3 {
			above = math.Abs(math.Abs(s.at.slope[i])-0.5) / t
		}
		v := s.work.curve[i]
		s.work.curve[i] = math.FMA(damp, above-v, v)
	}
}

// fenchel returns Σ cᵢ [φ(tᵢ) + φ*(αᵢ) − αᵢtᵢ].
func (s *Solver) fenchel(alpha []float64, at *state) float64 {
	return s.Over(func(lo, hi int) float64 {
		return s.Loss.Fenchel(alpha[lo:hi], at.slope[lo:hi], at.margin[lo:hi], s.Labels[lo:hi], s.Coef[lo:hi])
	})
}
