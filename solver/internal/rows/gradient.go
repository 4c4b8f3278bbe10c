package rows

import (
	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/term"
)

// Data holds the samples of this process. Nil Weights mean equal weights. Means and gradients of the loss are
// over the samples of all processes of Team.
type Data struct {
	Team            *Team
	Rows            kernels.Rows
	Labels, Weights []float64
	Loss            term.Loss
}

// slice returns samples lo to hi−1.
func (d Data) slice(lo, hi int) Data {
	d.Rows = d.Rows.Slice(lo, hi)
	d.Labels = d.Labels[lo:hi]
	if d.Weights != nil {
		d.Weights = d.Weights[lo:hi]
	}
	return d
}

// MeanLoss returns the weighted mean of the losses at x.
func MeanLoss(c Chunks, d Data, x []float64) float64 {
	margins := make([]float64, len(d.Labels))
	g := newGatherer(nil, c, 0)
	sum := g.SumChunks(func(lo, hi int) float64 {
		chunk, margin := d.slice(lo, hi), margins[lo:hi]
		kernels.Margins(margin, chunk.Rows, x)
		if chunk.Weights == nil {
			return chunk.Loss.Slopes(nil, margin, chunk.Labels)
		}
		return chunk.weightedLoss(margin)
	})
	return d.Team.Mean(sum, d.Mass())
}

// MeanLossAtZero returns the result of MeanLoss at x = 0. It does not read the rows.
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

// MeanLabelAndSlope returns the weighted means of the labels and of the slopes at the given margins. If
// margin is nil, all margins are 0. It does not read the rows.
func (d Data) MeanLabelAndSlope(margin []float64) (label, slope float64) {
	var weight, t float64
	for i, b := range d.Labels {
		w := 1.0
		if d.Weights != nil {
			w = d.Weights[i]
		}
		if margin != nil {
			t = margin[i]
		}
		label += float64(w * b)
		slope += float64(w * d.Loss.Slope(t, b))
		weight += w
	}
	return d.Team.Mean(label, weight), d.Team.Mean(slope, weight)
}

// weightedLoss returns Σ ωᵢ φ(marginᵢ; labelᵢ), where ωᵢ is the weight of sample i.
func (d Data) weightedLoss(margin []float64) (sum float64) {
	for i, w := range d.Weights {
		sum += float64(w * d.Loss.Value(margin[i], d.Labels[i]))
	}
	return sum
}

// SlopeRMSAtZero returns the root mean square of the slopes at x = 0, without sample weights. It sets slope,
// which has an entry for each row of this process, to the slopes.
func SlopeRMSAtZero(d Data, slope []float64) float64 {
	clear(slope)
	d.Loss.Slopes(slope, slope, d.Labels)
	return d.Team.rms(slope)
}

// A Gradient computes the gradient of the mean loss. It is not safe for concurrent use.
type Gradient struct {
	gatherer
	data         Data
	kind         kernels.LossKind
	fused        bool      // true if kernels.MarginsGradient computes the gradient
	scaledSlopes []float64 // slopes times sample weights; nil if there are no weights
	invMass      float64   // 1 divided by the sum of Data.Mass over all processes
}

// NewGradient returns a Gradient for samples with p features.
func NewGradient(c Chunks, d Data, p int) *Gradient {
	kind, known := d.Loss.LossKind()
	g := &Gradient{gatherer: newGatherer(d.Team, c, p), data: d, kind: kind, fused: known && d.Weights == nil}
	g.invMass = 1 / d.Team.Total(d.Mass())
	if d.Weights != nil {
		g.scaledSlopes = make([]float64, len(d.Labels))
	}
	return g
}

// Compute returns the mean loss at x, and sets z to its gradient. It also sets margin to the margins of the
// samples of this process, and slope to their slopes φ', without sample weights.
func (g *Gradient) Compute(z, x, margin, slope []float64) float64 {
	sum := g.gather(z, func(z []float64, lo, hi int) float64 {
		return g.chunkGradient(z, x, margin, slope, lo, hi)
	})
	for j := range z {
		z[j] *= g.invMass
	}
	return float64(sum * g.invMass)
}

// Mass returns the sum of the sample weights of this process, or the number of its samples if there are no
// weights.
func (d Data) Mass() float64 { return Mass(d.Weights, len(d.Labels)) }

// Mass returns the sum of the weights, or n if weights is nil.
func Mass(weights []float64, n int) (sum float64) {
	if weights == nil {
		return float64(n)
	}
	for _, w := range weights {
		sum += w
	}
	return sum
}

func (g *Gradient) chunkGradient(z, x, margin, slope []float64, lo, hi int) float64 {
	chunk := g.data.slice(lo, hi)
	margin, slope = margin[lo:hi], slope[lo:hi]
	if g.fused {
		return kernels.MarginsGradient(z, margin, slope, chunk.Labels, chunk.Rows, x, g.kind)
	}
	kernels.Margins(margin, chunk.Rows, x)
	sum := chunk.Loss.Slopes(slope, margin, chunk.Labels)
	if g.scaledSlopes != nil {
		scaledSlopes := g.scaledSlopes[lo:hi]
		for i, v := range slope {
			scaledSlopes[i] = chunk.Weights[i] * v
		}
		sum, slope = chunk.weightedLoss(margin), scaledSlopes
	}
	kernels.Gradient(z, chunk.Rows, slope)
	return sum
}
