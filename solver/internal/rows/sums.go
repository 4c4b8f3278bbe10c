package rows

import (
	"slices"

	"github.com/scas-admm/scas/kernels"
)

// Sums are sums over samples with coefficients cᵢ = ωᵢ/Σω, run by run, and then over the
// processes of a team: cᵢ, Σω and what the methods return are those of all samples. They
// are not for concurrent use.
type Sums struct {
	Chunks
	Coef    []float64 // cᵢ
	Scratch []float64 // an entry per sample, without a meaning between calls
	All     Counts

	team     *Team
	weighted bool
	parts    []float64   // a number per run
	partial  [][]float64 // vectors of the runs but the first
}

// Counts are those of all processes.
type Counts struct{ Samples, Runs int }

// NewSums returns sums over n samples, weights nil for equal ones, and of vectors of up to
// p numbers.
func NewSums(t *Team, c Chunks, weights []float64, n, p int) *Sums {
	s := &Sums{team: t}
	for range c.Count() - 1 {
		s.partial = append(s.partial, make([]float64, p))
	}
	return s.Part(c, weights, n)
}

// Part returns sums over a part of the samples, in no more runs, which share vectors with
// s: one of both may be in use.
func (s *Sums) Part(c Chunks, weights []float64, n int) *Sums {
	all := []float64{total(weights, n), float64(n), float64(c.Count())}
	s.team.Sum(all)
	return &Sums{
		Chunks: c, team: s.team, Coef: coefficients(weights, n, all[0]), Scratch: make([]float64, n),
		All: Counts{int(all[1]), int(all[2])}, weighted: weights != nil,
		parts: make([]float64, c.Count()), partial: s.partial[:c.Count()-1],
	}
}

// coefficients returns those of n samples whose weights and those of others have that sum.
func coefficients(weights []float64, n int, sum float64) []float64 {
	if weights == nil {
		return slices.Repeat([]float64{1 / sum}, n)
	}
	c, inv := make([]float64, n), 1/sum
	for i, w := range weights {
		c[i] = w * inv
	}
	return c
}

// parted returns what do returns for each run, valid until the next call.
func (s *Sums) parted(do func(lo, hi int) float64) []float64 {
	s.Each(func(k, lo, hi int) { s.parts[k] = do(lo, hi) })
	return s.parts
}

// Least returns the least of what do returns for each run.
func (s *Sums) Least(do func(lo, hi int) float64) float64 {
	return s.team.Least(slices.Min(s.parted(do)))
}

// Over adds up what do returns for each run.
func (s *Sums) Over(do func(lo, hi int) float64) (sum float64) {
	for _, v := range s.parted(do) {
		sum += v
	}
	return s.team.Total(sum)
}

// Mean returns Σ cᵢ φ(tᵢ) and, unless slope is nil, sets it to φ'.
func (s *Sums) Mean(l Loss, slope, margin, label []float64) float64 {
	return s.Over(func(lo, hi int) float64 {
		var to []float64
		if slope != nil {
			to = slope[lo:hi]
		}
		return s.MeanOf(l, to, margin[lo:hi], label[lo:hi], lo)
	})
}

// MeanOf is the part of Mean of some samples, the first of which has number lo.
func (s *Sums) MeanOf(l Loss, slope, margin, label []float64, lo int) (sum float64) {
	if !s.weighted {
		return float64(l.Slopes(slope, margin, label) * s.Coef[0])
	}
	if slope != nil {
		l.Slopes(slope, margin, label)
	}
	for i, t := range margin {
		sum += float64(s.Coef[lo+i] * l.Value(t, label[i]))
	}
	return sum
}

// Margins sets dst = X x for the rows of X.
func (s *Sums) Margins(dst []float64, rows kernels.Rows, x []float64) {
	s.Each(func(_, lo, hi int) {
		part := rows
		part.Ptr = rows.Ptr[lo : hi+1]
		kernels.Margins(dst[lo:hi], part, x)
	})
}

// Gather sets dst to the sum of what do adds to vectors of zeros for each run, and returns
// the sum of what it returns.
func (s *Sums) Gather(dst []float64, do func(dst []float64, lo, hi int) float64) (sum float64) {
	s.Each(func(k, lo, hi int) {
		part := dst
		if k > 0 {
			part = s.partial[k-1][:len(dst)]
		}
		clear(part)
		s.parts[k] = do(part, lo, hi)
	})
	for _, part := range s.partial {
		kernels.Axpy(1, part[:len(dst)], dst)
	}
	for _, v := range s.parts {
		sum += v
	}
	return s.team.SumWith(dst, sum)
}

// Transposed sets dst = X'C alpha for the rows of X.
func (s *Sums) Transposed(dst []float64, rows kernels.Rows, alpha []float64) {
	s.Gather(dst, func(dst []float64, lo, hi int) float64 {
		part := rows
		part.Ptr = rows.Ptr[lo : hi+1]
		s.scale(alpha, lo, hi)
		kernels.Gradient(dst, part, s.Scratch[lo:hi])
		return 0
	})
}

// Scaled returns C alpha, which is the scratch.
func (s *Sums) Scaled(alpha []float64) []float64 {
	s.Each(func(_, lo, hi int) { s.scale(alpha, lo, hi) })
	return s.Scratch
}

func (s *Sums) scale(alpha []float64, lo, hi int) {
	for i := lo; i < hi; i++ {
		s.Scratch[i] = float64(alpha[i] * s.Coef[i])
	}
}
