package lasso

import (
	"math"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/newton"
)

// margins sets dst = X x + o for rows of some columns, x having as many entries.
func (s *Solver) margins(dst []float64, a kernels.Rows, x []float64) {
	s.chunks.Each(func(_, lo, hi int) {
		rows, part := a, dst[lo:hi]
		rows.Ptr = rows.Ptr[lo : hi+1]
		kernels.Margins(part, rows, x)
		if s.Offset != nil {
			kernels.Axpy(1, s.Offset[lo:hi], part)
		}
	})
}

// losses returns Σ cᵢ φ(tᵢ) and, unless slope is nil, sets it to φ'.
func (s *Solver) losses(margin, slope []float64) float64 {
	s.chunks.Each(func(k, lo, hi int) {
		part, label := margin[lo:hi], s.Labels[lo:hi]
		var to []float64
		if slope != nil {
			to = slope[lo:hi]
		}
		sum := 0.0
		if s.Weights == nil {
			sum = float64(s.Loss.Slopes(to, part, label) * s.coef[0])
		} else {
			if to != nil {
				s.Loss.Slopes(to, part, label)
			}
			for i, t := range part {
				sum += float64(s.coef[lo+i] * s.Loss.Value(t, label[i]))
			}
		}
		s.work.parts[k] = sum
	})
	return s.total()
}

// total adds up the numbers of the chunks.
func (s *Solver) total() (sum float64) {
	for _, v := range s.work.parts {
		sum += v
	}
	return sum
}

// transposed sets dst = X'C alpha for rows of some columns.
func (s *Solver) transposed(dst []float64, a kernels.Rows, alpha []float64) {
	s.chunks.Each(func(k, lo, hi int) {
		rows, scaled, part := a, s.work.scaled[lo:hi], dst
		rows.Ptr = rows.Ptr[lo : hi+1]
		for i := range scaled {
			scaled[i] = alpha[lo+i] * s.coef[lo+i]
		}
		if k > 0 {
			part = s.work.partial[k-1][:len(dst)]
		}
		clear(part)
		kernels.Gradient(part, rows, scaled)
	})
	for _, part := range s.work.partial {
		kernels.Axpy(1, part[:len(dst)], dst)
	}
}

// curvatures sets work.curve to φ” at the point.
func (s *Solver) curvatures() {
	_, logistic := s.Loss.(newton.Logistic)
	s.chunks.Each(func(_, lo, hi int) {
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
	s.chunks.Each(func(k, lo, hi int) {
		s.work.parts[k] = s.Loss.Fenchel(alpha[lo:hi], at.slope[lo:hi], at.margin[lo:hi], s.Labels[lo:hi], s.coef[lo:hi])
	})
	return s.total()
}
