package solver

import (
	"runtime"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/sparse"
)

// A chunking cuts the rows of the data into runs that depend on the data alone.
// Sums are taken run by run and added up in order, so the bits are the same for
// any number of threads.
type chunking struct {
	bounds  []int // run k has rows bounds[k] to bounds[k+1]−1
	threads int
}

// newChunking makes runs that outweigh clearing and adding a vector with an
// entry per column.
func newChunking(x *sparse.CSR, threads int) chunking {
	n, cols := x.Dims()
	nnz := x.NNZ()
	chunks := int(max(1, min(16, nnz/max(1<<17, 16*int64(cols)))))
	c := chunking{bounds: make([]int, chunks+1), threads: threads}
	if threads == 0 {
		c.threads = runtime.GOMAXPROCS(0)
	}
	ptr := x.Rows(0, n).Ptr
	for k := range chunks {
		target := nnz * int64(k) / int64(chunks)
		c.bounds[k] = sort.Search(n, func(r int) bool { return ptr[r] >= target })
	}
	c.bounds[chunks] = n
	return c
}

func (c chunking) count() int { return len(c.bounds) - 1 }

// each calls do for every run, on up to c.threads goroutines.
func (c chunking) each(do func(k, lo, hi int)) {
	call := func(k int) { do(k, c.bounds[k], c.bounds[k+1]) }
	threads := min(c.threads, c.count())
	if threads <= 1 {
		for k := range c.count() {
			call(k)
		}
		return
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range threads {
		wg.Go(func() {
			for k := int(next.Add(1) - 1); k < c.count(); k = int(next.Add(1) - 1) {
				call(k)
			}
		})
	}
	wg.Wait()
}

// A fullGradient computes the gradient of the mean loss.
type fullGradient struct {
	chunking
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
	g := &fullGradient{chunking: newChunking(p.Data, threads), prob: p, data: data, inv: 1 / float64(n)}
	g.kind, g.fused = fusedLoss(p.loss())
	if p.SampleWeights != nil {
		var sum float64
		for _, v := range p.SampleWeights {
			sum += v
		}
		g.inv, g.fused, g.scaled = 1/sum, false, make([]float64, n)
	}
	g.loss = make([]float64, g.count())
	for range g.count() - 1 {
		g.partial = append(g.partial, make([]float64, cols))
	}
	return g
}

// at sets z to the gradient of the mean loss, marginᵢ = aᵢ'x and slopeᵢ =
// φ'(aᵢ'x), without sample weights, and returns the mean loss.
func (g *fullGradient) at(z, x, margin, slope []float64) float64 {
	g.each(func(k, lo, hi int) {
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
