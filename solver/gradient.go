package solver

import (
	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/chunk"
)

// A fullGradient computes the gradient of the mean loss.
type fullGradient struct {
	chunk.Chunks
	prob    *Problem
	data    kernels.Rows
	kind    kernels.LossKind
	fused   bool
	partial [][]float64 // gradients of the runs but the first
	loss    []float64   // of the runs
	scaled  []float64   // ωᵢ φ'(aᵢ'x) with sample weights
	inv     float64     // 1/n, or 1/Σ ω
}

func newFullGradient(p *Problem, data kernels.Rows, threads int) *fullGradient {
	n, cols := p.Data.Dims()
	g := &fullGradient{Chunks: chunk.New(p.Data, threads), prob: p, data: data, inv: 1 / float64(n)}
	g.kind, g.fused = fusedLoss(p.loss())
	if p.SampleWeights != nil {
		var sum float64
		for _, v := range p.SampleWeights {
			sum += v
		}
		g.inv, g.fused, g.scaled = 1/sum, false, make([]float64, n)
	}
	g.loss = make([]float64, g.Count())
	for range g.Count() - 1 {
		g.partial = append(g.partial, make([]float64, cols))
	}
	return g
}

// at sets z to the gradient of the mean loss, marginᵢ = aᵢ'x and slopeᵢ =
// φ'(aᵢ'x), without sample weights, and returns the mean loss.
func (g *fullGradient) at(z, x, margin, slope []float64) float64 {
	g.Each(func(k, lo, hi int) {
		dst := z
		if k > 0 {
			dst = g.partial[k-1]
		}
		clear(dst)
		g.loss[k] = g.chunk(dst, x, margin, slope, lo, hi)
	})
	sum := g.loss[0]
	for k, part := range g.partial {
		sum += g.loss[k+1]
		kernels.Axpy(1, part, z)
	}
	for j := range z {
		z[j] *= g.inv
	}
	return float64(sum * g.inv)
}

func (g *fullGradient) chunk(z, x, margin, slope []float64, lo, hi int) float64 {
	rows := g.data
	rows.Ptr = rows.Ptr[lo : hi+1]
	label := g.prob.Labels[lo:hi]
	margin, slope = margin[lo:hi], slope[lo:hi]
	if g.fused {
		return kernels.MarginsGradient(z, margin, slope, label, rows, x, g.kind)
	}
	kernels.Margins(margin, rows, x)
	loss := g.prob.loss()
	sum := loss.Slopes(slope, margin, label)
	if g.scaled != nil {
		weights, scaled := g.prob.SampleWeights[lo:hi], g.scaled[lo:hi]
		sum = 0
		for i, v := range slope {
			scaled[i] = weights[i] * v
			sum += float64(weights[i] * loss.Value(margin[i], label[i]))
		}
		slope = scaled
	}
	kernels.Gradient(z, rows, slope)
	return sum
}

// fusedLoss returns the kernels' name of a loss they know.
func fusedLoss(l Loss) (kernels.LossKind, bool) {
	switch l.(type) {
	case Logistic:
		return kernels.LogisticLossKind, true
	case Squared:
		return kernels.SquaredLossKind, true
	}
	return 0, false
}
