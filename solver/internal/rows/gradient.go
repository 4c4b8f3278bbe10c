package rows

import (
	"math"

	"github.com/scas-admm/scas/kernels"
)

// A Loss is the part of term.Loss that the package needs.
type Loss interface {
	Slopes(slope, margin, label []float64) (sum float64)
	Value(margin, label float64) float64
	Kernel() (kind kernels.LossKind, ok bool)
	SlopeRange(label float64) (lo, hi float64)
}

// Data holds the samples of this process: rows, one label a row, and weights or nil. Other
// processes of the team have other samples; means and gradients are over all samples.
type Data struct {
	Team            *Team
	Rows            kernels.Rows
	Labels, Weights []float64
	Loss            Loss
}

// slice returns samples lo to hi−1.
func (d Data) slice(lo, hi int) Data {
	d.Rows.Ptr = d.Rows.Ptr[lo : hi+1]
	d.Labels = d.Labels[lo:hi]
	if d.Weights != nil {
		d.Weights = d.Weights[lo:hi]
	}
	return d
}

// MeanLoss returns the weighted mean of the losses at x. margin is scratch memory with an
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
	return d.Team.Mean(sum, weight)
}

// MeanLossAtZero returns MeanLoss at x = 0, without reading the rows.
func MeanLossAtZero(d Data) float64 {
	var zero [1024]float64
	var sum, weight float64
	for lo := 0; lo < len(d.Labels) && d.Weights == nil; lo += len(zero) {
		labels := d.Labels[lo:min(lo+len(zero), len(d.Labels))]
		sum += d.Loss.Slopes(nil, zero[:len(labels)], labels)
		weight += float64(len(labels))
	}
	for i, w := range d.Weights {
		sum += float64(w * d.Loss.Value(0, d.Labels[i]))
		weight += w
	}
	return d.Team.Mean(sum, weight)
}

// weighted returns Σ ωᵢ φ(marginᵢ; labelᵢ).
func (d Data) weighted(margin []float64) (sum float64) {
	for i, w := range d.Weights {
		sum += float64(w * d.Loss.Value(margin[i], d.Labels[i]))
	}
	return sum
}

// SlopeAtZero returns the root mean square of φ'(0), without weights. slope is scratch
// memory with an entry per row.
func SlopeAtZero(d Data, slope []float64) float64 {
	clear(slope)
	d.Loss.Slopes(slope, slope, d.Labels)
	var sum float64
	for _, v := range slope {
		sum += float64(v * v)
	}
	return math.Sqrt(d.Team.Mean(sum, float64(len(slope))))
}

// A Gradient computes the gradient of the mean loss. It is not safe for concurrent use.
type Gradient struct {
	Chunks
	data    Data
	kind    kernels.LossKind
	fused   bool        // package kernels has the loss, as kind, and there are no weights
	partial [][]float64 // gradients of all chunks except the first
	loss    []float64   // losses of the chunks
	scaled  []float64   // ωᵢ φ'(aᵢ'x) with sample weights
	inv     float64     // 1/n, or 1/Σ ω
}

// NewGradient returns a Gradient for samples with p features.
func NewGradient(c Chunks, d Data, p int) *Gradient {
	kind, known := d.Loss.Kernel()
	g := &Gradient{Chunks: c, data: d, kind: kind, fused: known && d.Weights == nil}
	g.inv = 1 / d.Team.Total(d.Mass())
	if d.Weights != nil {
		g.scaled = make([]float64, len(d.Labels))
	}
	g.loss = make([]float64, g.Count())
	for range g.Count() - 1 {
		g.partial = append(g.partial, make([]float64, p))
	}
	return g
}

// At sets z to the gradient of the mean loss at x, marginᵢ = aᵢ'x, and slopeᵢ = φ'(aᵢ'x), without
// sample weights. It returns the mean loss.
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
	sum = g.data.Team.SumWith(z, sum)
	for j := range z {
		z[j] *= g.inv
	}
	return float64(sum * g.inv)
}

// Mass returns the sum of the sample weights, or the number of samples if they have no
// weights.
func (d Data) Mass() float64 { return total(d.Weights, len(d.Labels)) }

// total returns the sum of the weights, or n if they are nil.
func total(weights []float64, n int) (sum float64) {
	if weights == nil {
		return float64(n)
	}
	for _, w := range weights {
		sum += w
	}
	return sum
}

func (g *Gradient) chunk(z, x, margin, slope []float64, lo, hi int) float64 {
	part := g.data.slice(lo, hi)
	margin, slope = margin[lo:hi], slope[lo:hi]
	if g.fused {
		return kernels.MarginsGradient(z, margin, slope, part.Labels, part.Rows, x, g.kind)
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
