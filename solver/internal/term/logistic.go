package term

import (
	"math"

	"github.com/scas-admm/scas/kernels"
)

// Logistic is φ(t; b) = log(1 + exp(−b t)) with labels −1 and +1. With q = −b α, φ*(α) is
// q log q + (1−q) log(1−q) if 0 ≤ q ≤ 1, and +Inf otherwise.
type Logistic struct{}

func (Logistic) Traits() Traits {
	return Traits{
		Name: "logistic", Labels: Classes, Probability: kernels.Sigmoid, HasConjugate: true,
		ContinuousCurvature: true, MarginReach: 4, NeverZero: true,
		LeastCurvatures: logisticCurvatures,
	}
}

func (Logistic) LossKind() (kernels.LossKind, bool) { return kernels.LogisticLossKind, true }

func (l Logistic) String() string { return l.Traits().Name }

func (Logistic) Validate(labels []float64) error { return Classes.validate("logistic", labels) }

func (Logistic) Value(margin, label float64) float64 { return kernels.LogisticLoss(margin, label) }

func (Logistic) Slope(margin, label float64) float64 { return kernels.LogisticSlope(margin, label) }

func (Logistic) SecondDerivative(_, slope, label float64) float64 {
	q := float64(-label * slope)
	return float64(q * (1 - q))
}

// logisticCurvatures sets dst to φ″, which is a function of φ'.
func logisticCurvatures(dst, slope, label []float64) {
	for i, v := range slope {
		q := float64(-label[i] * v)
		dst[i] = float64(q * (1 - q))
	}
}

func (Logistic) Curvature() float64 { return 0.25 }

func (Logistic) Slopes(slope, margin, label []float64) float64 {
	return kernels.LogisticSlopes(slope, margin, label)
}

// If |φ'| is above nearOne, the difference 1 − |φ'| loses at least four digits.
const nearOne = 1 - 1e-4

// Curvatures implements Loss. At a margin t, the parabola of Loss.Curvatures has the curvature
// (σ(|t|) − ½)/|t|, with σ(t) = 1/(1 + exp(−t)), and ¼ if |t| ≤ 1e-3.
func (Logistic) Curvatures(dst, slope, margin, label []float64, damping float64) {
	for i, v := range slope {
		s := math.Abs(v)
		dst[i] = float64(s * (1 - s))
		if s > nearOne {
			dst[i] = float64(s * kernels.Sigmoid(float64(label[i]*margin[i])))
		}
	}
	if damping == 0 {
		return
	}
	for i, v := range dst {
		t, m := math.Abs(margin[i]), 0.25
		if t > 1e-3 {
			m = math.Abs(math.Abs(slope[i])-0.5) / t
		}
		dst[i] = math.FMA(damping, m-v, v)
	}
}

func (Logistic) Fenchel(alpha, margin, label, weight []float64) float64 {
	return kernels.LogisticFenchel(alpha, margin, label, weight)
}

func (Logistic) Conjugate(alpha, label float64) float64 {
	q := float64(-label * alpha)
	if !(q >= 0 && q <= 1) {
		return math.Inf(1)
	}
	return negativeEntropy(q)
}

func (Logistic) SlopeRange(label float64) (lo, hi float64) {
	if label > 0 {
		return -1, 0
	}
	return 0, 1
}

// negativeEntropy returns q log q + (1−q) log(1−q) for q in [0, 1].
func negativeEntropy(q float64) float64 {
	sum := 0.0
	if q > 0 {
		sum = float64(q * kernels.Log(q))
	}
	if q < 1 {
		sum += float64((1 - q) * kernels.Log(1-q))
	}
	return sum
}
