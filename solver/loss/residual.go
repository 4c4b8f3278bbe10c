package loss

import (
	"fmt"
	"math"
)

// Huber is φ(t; b) = r² for |r| ≤ Delta and Delta(2|r| − Delta) beyond, r = b −
// t: Squared where the residual is small, linear where it is large.
type Huber struct {
	// Delta > 0 is where the two meet; zero means 1.35, in units of the labels.
	Delta float64
}

// Width returns Delta, 1.35 for zero.
func (h Huber) Width() float64 {
	if h.Delta == 0 {
		return 1.35
	}
	return h.Delta
}

// Slopes returns the sum of the losses and, unless slope is nil, sets the derivatives.
func (h Huber) Slopes(slope, margin, label []float64) float64 {
	return slopes(h, slope, margin, label)
}

// Slope returns φ'(margin; label).
func (h Huber) Slope(margin, label float64) float64 {
	d := h.Width()
	return -2 * math.Max(-d, math.Min(label-margin, d))
}

// Value returns φ(margin; label).
func (h Huber) Value(margin, label float64) float64 {
	r, d := math.Abs(label-margin), h.Width()
	if r <= d {
		return float64(r * r)
	}
	return float64(d * (float64(2*r) - d))
}

// SecondDerivative returns 2 where the loss is quadratic, else 0.
func (h Huber) SecondDerivative(margin, _, label float64) float64 {
	if math.Abs(label-margin) <= h.Width() {
		return 2
	}
	return 0
}

// Curvature returns 2.
func (Huber) Curvature() float64 { return 2 }

// String returns "huber".
func (Huber) String() string { return "huber" }

// Validate reports the first label that the loss cannot take.
func (h Huber) Validate(labels []float64) error {
	if !(h.Delta >= 0) || math.IsInf(h.Delta, 0) {
		return fmt.Errorf("solver: Huber.Delta = %v; it must be positive and finite, or 0 for 1.35", h.Delta)
	}
	return validateReal(labels)
}

// SquaredHinge is φ(t; b) = max(0, 1 − b t)² with labels −1 and +1.
type SquaredHinge struct{}

// Slopes returns the sum of the losses and, unless slope is nil, sets the derivatives.
func (l SquaredHinge) Slopes(slope, margin, label []float64) float64 {
	return slopes(l, slope, margin, label)
}

// Slope returns φ'(margin; label).
func (SquaredHinge) Slope(margin, label float64) float64 {
	return -2 * label * math.Max(0, 1-float64(label*margin))
}

// Value returns φ(margin; label).
func (SquaredHinge) Value(margin, label float64) float64 {
	r := math.Max(0, 1-float64(label*margin))
	return float64(r * r)
}

// SecondDerivative returns 2 where the loss is positive, else 0.
func (SquaredHinge) SecondDerivative(margin, _, label float64) float64 {
	if label*margin < 1 {
		return 2
	}
	return 0
}

// Curvature returns 2.
func (SquaredHinge) Curvature() float64 { return 2 }

// String returns "squared-hinge".
func (SquaredHinge) String() string { return "squared-hinge" }

// Validate reports the first label that the loss cannot take.
func (SquaredHinge) Validate(labels []float64) error { return validateBinary("squared-hinge", labels) }

// slopes is Slopes from functions of one margin.
func slopes(l scalar, slope, margin, label []float64) float64 {
	var sum float64
	for i, t := range margin {
		sum += l.Value(t, label[i])
		if slope != nil {
			slope[i] = l.Slope(t, label[i])
		}
	}
	return sum
}

type scalar interface {
	Value(margin, label float64) float64
	Slope(margin, label float64) float64
}
