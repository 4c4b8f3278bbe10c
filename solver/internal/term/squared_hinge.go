package term

import (
	"math"

	"github.com/scas-admm/scas/kernels"
)

// SquaredHinge is φ(t; b) = max(0, 1 − b t)² with labels −1 and +1. With q = −b α, φ*(α) is q²/4 − q if
// q ≥ 0, and +Inf otherwise.
type SquaredHinge struct{}

func (SquaredHinge) Traits() Traits {
	return Traits{
		Name: "squared-hinge", Labels: Classes, HasConjugate: true,
		LeastCurvatures: leastHingeCurvatures,
	}
}

func (SquaredHinge) LossKind() (kernels.LossKind, bool) { return 0, false }

func (l SquaredHinge) String() string { return l.Traits().Name }

func (SquaredHinge) Validate(labels []float64) error {
	return Classes.validate("squared-hinge", labels)
}

func (SquaredHinge) Value(margin, label float64) float64 {
	r := math.Max(0, 1-float64(label*margin))
	return float64(r * r)
}

func (SquaredHinge) Slope(margin, label float64) float64 {
	return -2 * label * math.Max(0, 1-float64(label*margin))
}

func (SquaredHinge) SecondDerivative(margin, _, label float64) float64 {
	if label*margin < 1 {
		return 2
	}
	return 0
}

func (SquaredHinge) Curvature() float64 { return 2 }

func (l SquaredHinge) Slopes(slope, margin, label []float64) float64 {
	return scalarSlopes(l, slope, margin, label)
}

// Curvatures implements Loss. The parabola of Loss.Curvatures has the curvature 2.
func (SquaredHinge) Curvatures(dst, _, margin, label []float64, damping float64) {
	for i, t := range margin {
		dst[i] = 2 * damping
		if label[i]*t < 1 {
			dst[i] = 2
		}
	}
}

// Fenchel returns a weighted sum. Let r = 1 − b t and q = −b α. The term of a sample is (r − q/2)² if r > 0,
// and otherwise q²/4 − q r.
func (SquaredHinge) Fenchel(alpha, margin, label, weight []float64) float64 {
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

func (SquaredHinge) Conjugate(alpha, label float64) float64 {
	q := float64(-label * alpha)
	if !(q >= 0) {
		return math.Inf(1)
	}
	return float64(float64(q*q)/4) - q
}

func (SquaredHinge) SlopeRange(label float64) (lo, hi float64) {
	if label > 0 {
		return math.Inf(-1), 0
	}
	return 0, math.Inf(1)
}

// leastHingeCurvatures implements Traits.LeastCurvatures. φ″ is 2 where φ' is not 0.
func leastHingeCurvatures(dst, slope, label []float64) {
	for i, v := range slope {
		dst[i] = max(0, min(2, float64(-Steepest*label[i]*v)))
	}
}
