package solver

import (
	"runtime"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/scas-admm/scas/kernels"
)

// A fullGradient computes the gradient of the mean loss in chunks of rows that
// depend on the data alone, each with a sum of its own, added up in order: the
// bits are the same for any number of threads.
type fullGradient struct {
	prob    *Problem
	data    kernels.Rows
	kind    kernels.LossKind
	fused   bool
	bounds  []int // chunk k has rows bounds[k] to bounds[k+1]−1
	partial [][]float64
	loss    []float64
	threads int
	scaled  []float64 // ωᵢ φ'(aᵢ'x) with sample weights
	inv     float64   // 1/n, or 1/Σ ω
}

func newFullGradient(p *Problem, data kernels.Rows, threads int) *fullGradient {
	n, cols := p.Data.Dims()
	nnz := p.Data.NNZ()
	// A chunk must outweigh clearing and adding its own copy of the gradient.
	chunks := int(max(1, min(16, nnz/max(1<<17, 16*int64(cols)))))
	g := &fullGradient{prob: p, data: data, bounds: make([]int, chunks+1), loss: make([]float64, chunks), threads: threads}
	g.kind, g.fused = fusedLoss(p.loss())
	g.inv = 1 / float64(n)
	if p.SampleWeights != nil {
		var sum float64
		for _, v := range p.SampleWeights {
			sum += v
		}
		g.inv, g.fused, g.scaled = 1/sum, false, make([]float64, n)
	}
	if threads == 0 {
		g.threads = runtime.GOMAXPROCS(0)
	}
	for k := range chunks {
		target := nnz * int64(k) / int64(chunks)
		g.bounds[k] = sort.Search(n, func(r int) bool { return data.Ptr[r] >= target })
		if k > 0 {
			g.partial = append(g.partial, make([]float64, cols))
		}
	}
	g.bounds[chunks] = n
	return g
}

// at sets z to the gradient of the mean loss, marginᵢ = aᵢ'x and slopeᵢ =
// φ'(aᵢ'x), without sample weights, and returns the mean loss.
func (g *fullGradient) at(z, x, margin, slope []float64) float64 {
	do := func(k int) {
		dst := z
		if k > 0 {
			dst = g.partial[k-1]
		}
		clear(dst)
		g.loss[k] = g.chunk(dst, x, margin, slope, g.bounds[k], g.bounds[k+1])
	}
	if threads := min(g.threads, len(g.loss)); threads > 1 {
		var next atomic.Int64
		var wg sync.WaitGroup
		for range threads {
			wg.Go(func() {
				for k := int(next.Add(1) - 1); k < len(g.loss); k = int(next.Add(1) - 1) {
					do(k)
				}
			})
		}
		wg.Wait()
	} else {
		for k := range g.loss {
			do(k)
		}
	}
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
