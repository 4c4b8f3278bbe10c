// Package pass goes over all the data: the mean loss and its gradient, by several
// goroutines and with the same bits for any number of them.
package pass

import "github.com/scas-admm/scas/kernels"

// A Loss is φ as a function of margins and labels.
type Loss interface {
	// Slopes returns Σ φ(marginᵢ; labelᵢ) and, unless slope is nil, sets slopeᵢ to
	// the derivative.
	Slopes(slope, margin, label []float64) (sum float64)
	Value(margin, label float64) float64
}

// Data are the samples: rows, one label a row, and weights or nil.
type Data struct {
	Rows            kernels.Rows
	Labels, Weights []float64
	Loss            Loss
	Kind            kernels.LossKind // of a fused loss
	Fused           bool             // the kernels know the loss
}

// slice returns the samples from lo to hi−1.
func (d Data) slice(lo, hi int) Data {
	d.Rows.Ptr = d.Rows.Ptr[lo : hi+1]
	d.Labels = d.Labels[lo:hi]
	if d.Weights != nil {
		d.Weights = d.Weights[lo:hi]
	}
	return d
}

// MeanLoss returns the weighted mean of the losses at x. margin is scratch, with an
// entry per row.
func MeanLoss(c Chunks, d Data, x, margin []float64) float64 {
	sums, weights := make([]float64, c.Count()), make([]float64, c.Count())
	c.Each(func(k, lo, hi int) {
		part, margin := d.slice(lo, hi), margin[lo:hi]
		kernels.Margins(margin, part.Rows, x)
		if part.Weights == nil {
			sums[k], weights[k] = part.Loss.Slopes(nil, margin, part.Labels), float64(hi-lo)
			return
		}
		sums[k] = part.weighted(margin)
		for _, w := range part.Weights {
			weights[k] += w
		}
	})
	var sum, weight float64
	for k, v := range sums {
		sum += v
		weight += weights[k]
	}
	return sum / weight
}

// weighted returns Σ ωᵢ φ(marginᵢ; labelᵢ).
func (d Data) weighted(margin []float64) (sum float64) {
	for i, w := range d.Weights {
		sum += float64(w * d.Loss.Value(margin[i], d.Labels[i]))
	}
	return sum
}

// A Gradient computes the gradient of the mean loss. It is not for concurrent use.
type Gradient struct {
	Chunks
	data    Data
	fused   bool        // the kernels know the loss, and there are no weights
	partial [][]float64 // gradients of the runs but the first
	loss    []float64   // of the runs
	scaled  []float64   // ωᵢ φ'(aᵢ'x) with sample weights
	inv     float64     // 1/n, or 1/Σ ω
}

// NewGradient returns one for the samples of p features.
func NewGradient(c Chunks, d Data, p int) *Gradient {
	n := len(d.Labels)
	g := &Gradient{Chunks: c, data: d, inv: 1 / float64(n), fused: d.Fused && d.Weights == nil}
	if d.Weights != nil {
		var sum float64
		for _, v := range d.Weights {
			sum += v
		}
		g.inv, g.scaled = 1/sum, make([]float64, n)
	}
	g.loss = make([]float64, g.Count())
	for range g.Count() - 1 {
		g.partial = append(g.partial, make([]float64, p))
	}
	return g
}

// At sets z to the gradient of the mean loss, marginᵢ = aᵢ'x and slopeᵢ = φ'(aᵢ'x),
// without sample weights, and returns the mean loss.
func (g *Gradient) At(z, x, margin, slope []float64) float64 {
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

func (g *Gradient) chunk(z, x, margin, slope []float64, lo, hi int) float64 {
	part := g.data.slice(lo, hi)
	margin, slope = margin[lo:hi], slope[lo:hi]
	if g.fused {
		return kernels.MarginsGradient(z, margin, slope, part.Labels, part.Rows, x, part.Kind)
	}
	kernels.Margins(margin, part.Rows, x)
	sum := part.Loss.Slopes(slope, margin, part.Labels)
	if g.scaled != nil {
		scaled := g.scaled[lo:hi]
		for i, v := range slope {
			scaled[i] = part.Weights[i] * v
		}
		sum, slope = part.weighted(margin), scaled
	}
	kernels.Gradient(z, part.Rows, slope)
	return sum
}
