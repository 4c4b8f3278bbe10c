package rows

import (
	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse/pages"
)

// A gatherer adds the results of the chunks, in the order of the chunks, and then the sums of all processes.
type gatherer struct {
	Chunks
	team         *Team
	chunkNumbers []float64   // the number that each chunk contributes to a sum
	chunkVectors [][]float64 // the vector that each chunk except the first contributes to a sum
}

// newGatherer returns a gatherer for sums of vectors of length at most p.
func newGatherer(t *Team, c Chunks, p int) gatherer {
	g := gatherer{Chunks: c, team: t, chunkNumbers: make([]float64, c.Count())}
	for range c.Count() - 1 {
		g.chunkVectors = append(g.chunkVectors, make([]float64, p))
	}
	return g
}

// SumChunks returns the sum of the results of do over the chunks of all processes.
func (g *gatherer) SumChunks(do func(lo, hi int) float64) float64 {
	g.Each(func(k, lo, hi int) { g.chunkNumbers[k] = do(lo, hi) })
	return g.team.Total(g.sum())
}

func (g *gatherer) sum() (sum float64) {
	for _, v := range g.chunkNumbers {
		sum += v
	}
	return sum
}

// gather calls the function do for each chunk, with a zero vector to which do must add the vector of the
// chunk. gather sets dst to the sum of these vectors over all processes, and returns the sum of the results
// of do.
func (g *gatherer) gather(dst []float64, do func(dst []float64, lo, hi int) float64) float64 {
	g.Each(func(k, lo, hi int) {
		part := dst
		if k > 0 {
			part = g.chunkVectors[k-1][:len(dst)]
		}
		clear(part)
		g.chunkNumbers[k] = do(part, lo, hi)
	})
	for _, part := range g.chunkVectors {
		kernels.Axpy(1, part[:len(dst)], dst)
	}
	return g.team.SumWith(dst, g.sum())
}

// Sums computes sums over the samples of all processes. In weighted sums, sample i has the factor cᵢ: its
// weight divided by the sum of the weights in all processes. A Sums is not safe for concurrent use.
type Sums struct {
	gatherer
	MeanWeights []float64 // cᵢ for the samples of this process
	Scratch     []float64 // scratch memory with an entry for each sample of this process
	Totals      Counts

	weighted bool // true if there are sample weights
}

// Counts holds the number of samples and the number of chunks in all processes.
type Counts struct{ Samples, Chunks int }

// NewSums returns a Sums for the n samples of this process, and for sums of vectors of length at most p. Nil
// weights mean equal weights.
func NewSums(t *Team, c Chunks, weights []float64, n, p int) *Sums {
	totals := []float64{Mass(weights, n), float64(n), float64(c.Count())}
	t.Sum(totals)
	s := &Sums{
		gatherer: newGatherer(t, c, p), MeanWeights: pages.Make[float64](n),
		Scratch: pages.Make[float64](n), Totals: Counts{int(totals[1]), int(totals[2])}, weighted: weights != nil,
	}
	for i := range s.MeanWeights {
		s.MeanWeights[i] = 1 / totals[0]
	}
	for i, w := range weights {
		s.MeanWeights[i] *= w
	}
	return s
}

// Mean returns Σ cᵢ φ(marginᵢ; labelᵢ) over the samples of all processes. It sets slope to the slopes φ' of
// the samples of this process, unless slope is nil.
func (s *Sums) Mean(l term.Loss, slope, margin, label []float64) float64 {
	return s.SumChunks(func(lo, hi int) (sum float64) {
		var dst []float64
		if slope != nil {
			dst = slope[lo:hi]
		}
		if !s.weighted {
			return float64(l.Slopes(dst, margin[lo:hi], label[lo:hi]) * s.MeanWeights[0])
		}
		if slope != nil {
			l.Slopes(dst, margin[lo:hi], label[lo:hi])
		}
		for i := lo; i < hi; i++ {
			sum += float64(s.MeanWeights[i] * l.Value(margin[i], label[i]))
		}
		return sum
	})
}

// Margins sets dst = X x, where X has the given rows of this process.
func (s *Sums) Margins(dst []float64, rows kernels.Rows, x []float64) {
	s.Each(func(_, lo, hi int) { kernels.Margins(dst[lo:hi], rows.Slice(lo, hi), x) })
}

// MulTrans sets dst = X'C alpha, summed over all processes. X has the given rows of this process, and C is
// the diagonal matrix with the numbers in the field MeanWeights. It overwrites Scratch.
func (s *Sums) MulTrans(dst []float64, rows kernels.Rows, alpha []float64) {
	s.gather(dst, func(dst []float64, lo, hi int) float64 {
		s.scale(alpha, lo, hi)
		kernels.Gradient(dst, rows.Slice(lo, hi), s.Scratch[lo:hi])
		return 0
	})
}

// Scaled sets Scratch to the numbers MeanWeightsᵢ alphaᵢ, and returns it.
func (s *Sums) Scaled(alpha []float64) []float64 {
	s.Each(func(_, lo, hi int) { s.scale(alpha, lo, hi) })
	return s.Scratch
}

func (s *Sums) scale(alpha []float64, lo, hi int) {
	for i := lo; i < hi; i++ {
		s.Scratch[i] = float64(alpha[i] * s.MeanWeights[i])
	}
}
