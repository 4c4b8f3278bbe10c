package term

import (
	"math"

	"github.com/scas-admm/scas/kernels"
)

// Squared is φ(t; b) = (b − t)², without a factor ½, as in the paper of SCAS-ADMM. φ*(α) is α b + α²/4.
type Squared struct{}

func (Squared) Traits() Traits {
	return Traits{
		LeastCurvatures: func(dst, _, _ []float64) { Squared{}.Curvatures(dst, nil, nil, nil, 0) },
		Name:            "squared", Help: "(label - margin)^2 without a factor 1/2",
		Labels: Numbers, DependsOnResidual: true, HasConjugate: true,
		ConstantCurvature: true, ContinuousCurvature: true,
	}
}

func (Squared) LossKind() (kernels.LossKind, bool) { return kernels.SquaredLossKind, true }

func (l Squared) String() string { return l.Traits().Name }

func (Squared) Validate(labels []float64) error { return Numbers.validate("squared", labels) }

func (Squared) Value(margin, label float64) float64 {
	return float64((label - margin) * (label - margin))
}

func (Squared) Slope(margin, label float64) float64 { return 2 * (margin - label) }

func (Squared) SecondDerivative(_, _, _ float64) float64 { return 2 }

func (Squared) Curvature() float64 { return 2 }

func (Squared) Slopes(slope, margin, label []float64) float64 {
	return kernels.SquaredSlopes(slope, margin, label)
}

func (Squared) Curvatures(dst, _, _, _ []float64, _ float64) {
	for i := range dst {
		dst[i] = 2
	}
}

// Fenchel returns the weighted sum of (t − b − α/2)².
func (Squared) Fenchel(alpha, margin, label, weight []float64) float64 {
	var sum float64
	for i, a := range alpha {
		d := margin[i] - label[i] - float64(a/2)
		sum += float64(weight[i] * float64(d*d))
	}
	return sum
}

func (Squared) Conjugate(alpha, label float64) float64 {
	return float64(alpha*label) + float64(float64(alpha*alpha)/4)
}

func (Squared) SlopeRange(float64) (lo, hi float64) { return math.Inf(-1), math.Inf(1) }
