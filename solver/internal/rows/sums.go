package rows

import (
	"slices"

	"github.com/scas-admm/scas/kernels"
)

// Sums computes sums over the samples of all processes, first for each chunk and then for all
// processes. In weighted sums, sample i has the factor cᵢ = ωᵢ/Σω, where ωᵢ is its weight and
// Σω the sum of the weights in all processes. A Sums is not safe for concurrent use.
type Sums struct {
	Chunks
	Coef    []float64 // cᵢ for the samples of this process
	Scratch []float64 // scratch memory with an entry per sample
	All     Counts

	team     *Team
	weighted bool
	parts    []float64   // a number per chunk
	partial  [][]float64 // vectors of all chunks except the first
}

// Counts holds the numbers of samples and of chunks in all processes.
type Counts struct{ Samples, Chunks int }

// NewSums returns Sums over n samples of this process. Its vectors have at most p numbers. Nil
// weights mean equal weights.
func NewSums(t *Team, c Chunks, weights []float64, n, p int) *Sums {
	s := &Sums{team: t}
	for range c.Count() - 1 {
		s.partial = append(s.partial, make([]float64, p))
	}
	return s.Part(c, weights, n)
}

// Part returns Sums over n of the samples, with their chunks c and their weights. c has at most as
// many chunks as s. The result shares vectors with s, so only one of the two may be in use at a time.
func (s *Sums) Part(c Chunks, weights []float64, n int) *Sums {
	all := []float64{total(weights, n), float64(n), float64(c.Count())}
	s.team.Sum(all)
	return &Sums{
		Chunks: c, team: s.team, Coef: coefficients(weights, n, all[0]), Scratch: make([]float64, n),
		All: Counts{int(all[1]), int(all[2])}, weighted: weights != nil,
		parts: make([]float64, c.Count()), partial: s.partial[:c.Count()-1],
	}
}

// coefficients returns cᵢ for n samples. sum is Σω.
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

// parted returns the result of do for each chunk. The slice is valid until the next call.
func (s *Sums) parted(do func(lo, hi int) float64) []float64 {
	s.Each(func(k, lo, hi int) { s.parts[k] = do(lo, hi) })
	return s.parts
}

// Least returns the smallest result of do over all chunks.
func (s *Sums) Least(do func(lo, hi int) float64) float64 {
	return s.team.Least(slices.Min(s.parted(do)))
}

// Over returns the sum of the results of do over all chunks.
func (s *Sums) Over(do func(lo, hi int) float64) (sum float64) {
	for _, v := range s.parted(do) {
		sum += v
	}
	return s.team.Total(sum)
}

// Mean returns Σ cᵢ φ(tᵢ) and, unless slope is nil, sets slope to φ'.
func (s *Sums) Mean(l Loss, slope, margin, label []float64) float64 {
	return s.Over(func(lo, hi int) float64 {
		var to []float64
		if slope != nil {
			to = slope[lo:hi]
		}
		return s.MeanOf(l, to, margin[lo:hi], label[lo:hi], lo)
	})
}

// MeanOf returns the part of the sum in Mean that belongs to consecutive samples of this process.
// lo is the index of the first one.
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

// Margins sets dst = X x, where X has the given rows.
func (s *Sums) Margins(dst []float64, rows kernels.Rows, x []float64) {
	s.Each(func(_, lo, hi int) {
		part := rows
		part.Ptr = rows.Ptr[lo : hi+1]
		kernels.Margins(dst[lo:hi], part, x)
	})
}

// Gather calls do for each chunk, with a vector of zeros that do fills. It sets dst to the sum of
// these vectors, and returns the sum of the results of do.
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

// Transposed sets dst = X'C alpha, where X has the given rows and C = diag(cᵢ).
func (s *Sums) Transposed(dst []float64, rows kernels.Rows, alpha []float64) {
	s.Gather(dst, func(dst []float64, lo, hi int) float64 {
		part := rows
		part.Ptr = rows.Ptr[lo : hi+1]
		s.scale(alpha, lo, hi)
		kernels.Gradient(dst, part, s.Scratch[lo:hi])
		return 0
	})
}

// Scaled sets Scratch to the numbers cᵢ alphaᵢ, and returns it.
func (s *Sums) Scaled(alpha []float64) []float64 {
	s.Each(func(_, lo, hi int) { s.scale(alpha, lo, hi) })
	return s.Scratch
}

func (s *Sums) scale(alpha []float64, lo, hi int) {
	for i := lo; i < hi; i++ {
		s.Scratch[i] = float64(alpha[i] * s.Coef[i])
	}
}
