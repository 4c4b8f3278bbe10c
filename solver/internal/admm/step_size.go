package admm

import (
	"math"

	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

// CurvatureRows is how many rows a RowCurvature looks at, about.
const CurvatureRows = 4096

// A RowCurvature has |aᵢ|² of a regular sample of the rows.
type RowCurvature struct {
	norms   []float64
	stride  int
	weights []float64
}

// NewRowCurvature samples the rows of x. weights, one per row of x, may be nil.
func NewRowCurvature(x *sparse.CSR, weights []float64) *RowCurvature {
	n, _ := x.Dims()
	c := &RowCurvature{stride: max(1, n/CurvatureRows), weights: weights}
	for i := 0; i < n; i += c.stride {
		var sum float64
		_, val := x.Row(i)
		for _, v := range val {
			sum += float64(v * v)
		}
		c.norms = append(c.norms, sum)
	}
	return c
}

// At returns what stochastic steps meet at a snapshot, given the margins and slopes of the rows
// and their labels. Where φ” jumps, as it may within the inner loop, its bound takes its place.
func (c *RowCurvature) At(loss term.Loss, margin, slope, labels []float64) float64 {
	if !loss.Traits().ContinuousCurvature {
		return c.met(func(int) float64 { return loss.Curvature() })
	}
	return c.met(func(i int) float64 { return loss.SecondDerivative(margin[i], slope[i], labels[i]) })
}

// met returns Σ hᵢ² / Σ hᵢ with hᵢ = φ”(aᵢ'x_t) |aᵢ|², given φ” of a row. A stochastic step along aᵢ overshoots by the
// factor η hᵢ, so the mean square of the iterate in a direction v contracts if η E[hᵢ²
// cos²] < 2 E[hᵢ cos²]; weighting by hᵢ itself keeps a few long rows among many short
// ones, or a few uncertain samples among many settled ones, in the bound.
func (c *RowCurvature) met(second func(i int) float64) float64 {
	var sum, sum2 float64
	for k, norm2 := range c.norms {
		i := k * c.stride
		h := float64(second(i) * norm2)
		weighted := h
		if c.weights != nil {
			weighted = float64(c.weights[i] * h)
		}
		sum += weighted
		sum2 += float64(weighted * h)
	}
	if sum == 0 {
		return 0
	}
	return sum2 / sum
}

// A StepSize is what an automatic step size follows from.
type StepSize struct {
	Met       float64 // what RowCurvature.At gives at the snapshot
	Mean      float64 // smoothness of the mean loss, for batches
	Batch     int     // samples of a step
	Mu        float64 // what of mu is not in the stiffness
	Factor    float64 // in units of the inverse curvature
	Stiffness float64 // largest eigenvalue of K, the deterministic part of a step
	Lazy      bool    // coordinates may be lazy: η times the stiffness stays below 1/2
}

// Eta returns the step size. The mean of b samples meets the curvature of the mean loss,
// and 1/b of what a single sample meets beyond it.
func (s StepSize) Eta() float64 {
	curvature := s.Met
	if s.Batch > 1 {
		b := float64(s.Batch)
		curvature = float64(curvature/b) + float64((1-1/b)*s.Mean)
	}
	curvature += s.Mu
	eta := math.Inf(1)
	if curvature > 0 {
		eta = s.Factor / curvature
	}
	most := 1.0 // the deterministic part of the step is stable below 2
	if s.Lazy {
		most = 0.499
	}
	return math.Min(eta, most/s.Stiffness)
}

// lastFactor is the step size in units of the inverse curvature met. The inner loop is
// stable below 2 and its mean converges fastest, near the optimum, at 1 to 1.6.
const lastFactor = 1.5

// StepFactor is StepSize.Factor after so many outer iterations with n samples of p features. Far
// from the optimum the noise of steps is what is left of the objective, so that the first
// of many dual updates are shorter; with few rows for a feature these hardly meet, and it
// does not matter.
func StepFactor(n, p, outer int, many bool) float64 {
	if 4*p > n || !many {
		return lastFactor
	}
	return math.Min(lastFactor, 0.7+float64(0.2*float64(outer)))
}

// maxDualUpdates is K where dual updates are cheap.
const maxDualUpdates = 40

// DualUpdates returns K for so many inner steps of so many operations: products with A
// stay cheaper than they are, and every block is longer than a few steps.
func DualUpdates(steps, ofStep, ofUpdate float64) int {
	k := math.Min(float64(steps*ofStep)/ofUpdate, steps/8)
	return int(math.Max(1, math.Min(k, maxDualUpdates)))
}
