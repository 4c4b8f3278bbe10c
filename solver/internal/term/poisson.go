package term

import (
	"math"

	"github.com/scas-admm/scas/kernels"
)

// Poisson is φ(t; b) = e^t − b t − b + b log b for labels b ≥ 0, with 0 log 0 = 0. This is half the
// deviance of a count b whose expected value, the rate, is e^t. With q = b + α, φ*(α) is
// q log q − q + b − b log b if q ≥ 0, and +Inf otherwise.
type Poisson struct{}

func (Poisson) Traits() Traits {
	return Traits{
		Name: "poisson", Help: "the margin is the logarithm of the expected count", Labels: Counts,
		HasConjugate: true, ContinuousCurvature: true, MarginReach: 2, NeverZero: true,
		LeastCurvatures: poissonCurvatures,
	}
}

func (Poisson) LossKind() (kernels.LossKind, bool) { return 0, false }

func (l Poisson) String() string { return l.Traits().Name }

func (Poisson) Validate(labels []float64) error { return Counts.validate("poisson", labels) }

func (Poisson) Value(margin, label float64) float64 {
	return kernels.PoissonLoss(margin, label)
}

func (Poisson) Slope(margin, label float64) float64 { return kernels.Exp(margin) - label }

func (Poisson) SecondDerivative(margin, _, _ float64) float64 { return kernels.Exp(margin) }

// poissonCurvatures sets dst to φ″, which is a function of φ'.
func poissonCurvatures(dst, slope, label []float64) {
	for i, v := range slope {
		dst[i] = v + label[i]
	}
}

func (Poisson) Curvature() float64 { return math.Inf(1) }

func (Poisson) Slopes(slope, margin, label []float64) float64 {
	return kernels.PoissonSlopes(slope, margin, label)
}

// Curvatures implements Loss. If t is clearly below log b, the parabola in the comment of Loss.Curvatures has
// its minimum at log b, like φ. Otherwise its curvature is φ″.
func (Poisson) Curvatures(dst, slope, margin, label []float64, damping float64) {
	for i, t := range margin {
		dst[i] = kernels.Exp(t)
		if b := label[i]; damping > 0 && dst[i] < b {
			if distance := kernels.Log(b) - t; distance > 1e-3 {
				dst[i] = math.FMA(damping, -slope[i]/distance-dst[i], dst[i])
			}
		}
	}
}

func (Poisson) Fenchel(alpha, margin, label, weight []float64) float64 {
	return kernels.PoissonFenchel(alpha, margin, label, weight)
}

// Conjugate implements Loss. Its last formula equals the formula of φ* in the comment of Poisson, but fewer
// digits cancel in it.
func (Poisson) Conjugate(alpha, label float64) float64 {
	const farRatio = 16 // above this ratio of q and the label, few digits cancel in the formula of φ*
	switch q := label + alpha; {
	case !(q >= 0):
		return math.Inf(1)
	case q == 0:
		return label - qLogQ(label)
	case q > farRatio*label:
		return qLogQ(q) - q + label - qLogQ(label)
	}
	return kernels.EntropyTerm(label+alpha, label, alpha) + float64(alpha*kernels.Log(label))
}

func (Poisson) SlopeRange(label float64) (lo, hi float64) { return -label, math.Inf(1) }

// qLogQ returns q log q for q ≥ 0.
func qLogQ(q float64) float64 {
	if q == 0 {
		return 0
	}
	return float64(q * kernels.Log(q))
}
