// Package fenchel has losses with their convex conjugates φ*, and Fenchel's inequality φ(t) + φ*(α) ≥ α t
// evaluated without cancellation: what certificates are made of.
package fenchel

import (
	"math"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/loss"
)

// A Loss is φ(t; b), vectorised over samples: all slices of a call have one length.
type Loss interface {
	// Slopes returns Σ φ and, unless slope is nil, sets it to φ'.
	Slopes(slope, margin, label []float64) (sum float64)
	// Value returns φ(margin; label).
	Value(margin, label float64) float64
	// Curvatures sets dst to φ'' + soft (m − φ''), m the curvature of a parabola that
	// touches φ and lies above it; slope is what Slopes gives. Losses that are flat
	// nowhere take soft for 0.
	Curvatures(dst, slope, margin, label []float64, soft float64)
	// Fenchel returns Σ weight [φ(t) + φ*(α) − α t], as a sum of terms that are
	// not negative and lose nothing to cancellation. α is in the domain of φ*;
	// slope is φ'(t).
	Fenchel(alpha, slope, margin, label, weight []float64) float64
	// Domain is where φ*(·; label) is finite, an interval that contains 0.
	Domain(label float64) (lo, hi float64)
}

// Squared is φ(t; b) = (b − t)², φ*(α) = αb + α²/4.
type Squared struct{ loss.Squared }

// Curvatures implements Loss.
func (Squared) Curvatures(dst, _, _, _ []float64, _ float64) {
	for i := range dst {
		dst[i] = 2
	}
}

// Fenchel sums (t − b − α/2)².
func (Squared) Fenchel(alpha, _, margin, label, weight []float64) float64 {
	var sum float64
	for i, a := range alpha {
		d := margin[i] - label[i] - float64(a/2)
		sum += float64(weight[i] * float64(d*d))
	}
	return sum
}

// Domain implements Loss.
func (Squared) Domain(float64) (lo, hi float64) { return math.Inf(-1), math.Inf(1) }

// Huber is r² for |r| ≤ Delta and Delta(2|r| − Delta) beyond, r = b − t. φ* is that
// of Squared on |α| ≤ 2 Delta.
type Huber struct{ loss.Huber }

// NewHuber returns that of the given Delta.
func NewHuber(delta float64) Huber { return Huber{loss.Huber{Delta: delta}} }

// Curvatures implements Loss.
func (h Huber) Curvatures(dst, _, margin, label []float64, soft float64) {
	delta := h.Width()
	for i, t := range margin {
		dst[i] = 2
		if r := math.Abs(t - label[i]); r > delta {
			dst[i] = soft * (2 * delta / r) // φ'/r, as in reweighted least squares
		}
	}
}

// Fenchel sums (r + α/2)² where |r| ≤ Delta, else (2Delta ± α)(|r| − (2Delta ∓ α)/4),
// the upper sign for r > 0.
func (h Huber) Fenchel(alpha, _, margin, label, weight []float64) float64 {
	var sum float64
	delta := h.Width()
	for i, a := range alpha {
		r := label[i] - margin[i]
		if math.Abs(r) <= delta {
			d := r + float64(a/2)
			sum += float64(weight[i] * float64(d*d))
			continue
		}
		a = float64(math.Copysign(1, r) * a)
		sum += float64(weight[i] * float64((float64(2*delta)+a)*(math.Abs(r)-float64((float64(2*delta)-a)/4))))
	}
	return sum
}

// Domain implements Loss.
func (h Huber) Domain(float64) (lo, hi float64) { return -2 * h.Width(), 2 * h.Width() }

// SquaredHinge is max(0, 1 − b t)² with labels −1 and +1; φ*(α) = −q + q²/4 with
// q = −b α ≥ 0.
type SquaredHinge struct{ loss.SquaredHinge }

// Curvatures implements Loss.
func (SquaredHinge) Curvatures(dst, _, margin, label []float64, soft float64) {
	for i, t := range margin {
		dst[i] = 2 * soft
		if label[i]*t < 1 {
			dst[i] = 2
		}
	}
}

// Fenchel sums (r − q/2)² with r = 1 − b t where that is positive, else q²/4 − q r.
func (SquaredHinge) Fenchel(alpha, _, margin, label, weight []float64) float64 {
	var sum float64
	for i, a := range alpha {
		r, q := 1-float64(label[i]*margin[i]), -label[i]*a
		d := r - float64(q/2)
		v := float64(d * d)
		if r <= 0 {
			v = float64(float64(q*q)/4) - float64(q*r)
		}
		sum += float64(weight[i] * v)
	}
	return sum
}

// Domain implements Loss.
func (SquaredHinge) Domain(label float64) (lo, hi float64) {
	if label > 0 {
		return math.Inf(-1), 0
	}
	return 0, math.Inf(1)
}

// Logistic is log(1 + exp(−b t)) with labels −1 and +1; φ* is the negative entropy
// of q = −b α in [0, 1].
type Logistic struct{ loss.Logistic }

// Curvatures implements Loss.
func (Logistic) Curvatures(dst, slope, margin, label []float64, _ float64) {
	for i, v := range slope {
		s := math.Abs(v)
		dst[i] = float64(s * (1 - s))
		if s > nearOne {
			dst[i] = float64(s * kernels.Sigmoid(float64(label[i]*margin[i])))
		}
	}
}

// Fenchel sums the relative entropy of q and s = σ(−b t); see relativeEntropy.
func (Logistic) Fenchel(alpha, slope, margin, label, weight []float64) float64 {
	var sum float64
	for i, a := range alpha {
		s, q := math.Abs(slope[i]), -label[i]*a
		rest := 1 - s
		if s > nearOne {
			rest = kernels.Sigmoid(float64(label[i] * margin[i]))
		}
		v := 0.0
		if math.Min(s, rest) > tinyProbability {
			v = relativeEntropy(q, s, rest)
		} else {
			v = math.Max(0, kernels.LogisticLoss(margin[i], label[i])+float64(float64(q*label[i])*margin[i])+negativeEntropy(q))
		}
		sum += float64(weight[i] * v)
	}
	return sum
}

// Domain implements Loss.
func (Logistic) Domain(label float64) (lo, hi float64) {
	if label > 0 {
		return -1, 0
	}
	return 0, 1
}

const (
	nearOne         = 1 - 1e-4 // beyond it, 1 − s has lost four digits
	tinyProbability = 1e-280   // below it, kernels round a probability to exp(−708)
)
