package term

import (
	"math"

	"github.com/scas-admm/scas/kernels"
)

// Logistic is φ(t; b) = log(1 + exp(−b t)) with labels −1 and +1. With q = −b α, φ*(α) is
// q log q + (1−q) log(1−q) if 0 ≤ q ≤ 1, and +Inf otherwise.
type Logistic struct{}

func (Logistic) Traits() Traits {
	return Traits{Name: "logistic", Labels: Classes, Probability: kernels.Sigmoid, HasConjugate: true, ContinuousCurvature: true, MarginReach: 4, NeverZero: true, CurvatureOfSlope: logisticCurvatureOfSlope}
}

func (Logistic) LossKind() (kernels.LossKind, bool) { return kernels.LogisticLossKind, true }

func (l Logistic) String() string { return l.Traits().Name }

func (Logistic) Validate(labels []float64) error { return Classes.validate("logistic", labels) }

func (Logistic) Value(margin, label float64) float64 { return kernels.LogisticLoss(margin, label) }

func (Logistic) Slope(margin, label float64) float64 { return kernels.LogisticSlope(margin, label) }

func (Logistic) SecondDerivative(_, slope, label float64) float64 {
	return logisticCurvatureOfSlope(slope, label)
}

func logisticCurvatureOfSlope(slope, label float64) float64 {
	q := float64(-label * slope)
	return float64(q * (1 - q))
}

func (Logistic) Curvature() float64 { return 0.25 }

func (Logistic) Slopes(slope, margin, label []float64) float64 {
	return kernels.LogisticSlopes(slope, margin, label)
}

const (
	nearOne         = 1 - 1e-4 // if |φ'| is above nearOne, the difference 1 − |φ'| loses at least four digits
	tinyProbability = 1e-280   // Fenchel does not divide by smaller numbers
)

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

// Fenchel implements Loss. The term of a sample is the relative entropy of q = −b α and s = |φ'(t)|, see
// relativeEntropy.
func (Logistic) Fenchel(alpha, slope, margin, label, weight []float64) float64 {
	var sum float64
	for i, a := range alpha {
		s, q := math.Abs(slope[i]), -label[i]*a
		complement := 1 - s
		if s > nearOne {
			complement = kernels.Sigmoid(float64(label[i] * margin[i]))
		}
		v := 0.0
		if math.Min(s, complement) > tinyProbability {
			v = relativeEntropy(q, s, complement)
		} else {
			v = math.Max(0, kernels.LogisticLoss(margin[i], label[i])+float64(float64(q*label[i])*margin[i])+negativeEntropy(q))
		}
		sum += float64(weight[i] * v)
	}
	return sum
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

// relativeEntropy returns q log(q/s) + (1−q) log((1−q)/(1−s)) for q in [0, 1]; complement is 1 − s. With
// w = q − s, the result equals s·surplus(w/s) + (1−s)·surplus(−w/(1−s)), in which no large terms cancel.
func relativeEntropy(q, s, complement float64) float64 {
	w := q - s
	return float64(s*surplus(w/s)) + float64(complement*surplus(-w/complement))
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

// surplus returns (1+u) log(1+u) − u for u ≥ −1, with a relative error below 1e-12. Near u = 0 it sums the
// series Σ (−u)^m/(m(m−1)) over m ≥ 2.
func surplus(u float64) float64 {
	if math.Abs(u) < 1.0/32 {
		s := math.FMA(-u, 1.0/90, 1.0/72)
		s = math.FMA(-u, s, 1.0/56)
		s = math.FMA(-u, s, 1.0/42)
		s = math.FMA(-u, s, 1.0/30)
		s = math.FMA(-u, s, 1.0/20)
		s = math.FMA(-u, s, 1.0/12)
		s = math.FMA(-u, s, 1.0/6)
		s = math.FMA(-u, s, 1.0/2)
		return float64(float64(u*u) * s)
	}
	v := 1 + u
	if !(v > 0) {
		return 1 // u is −1, or below it by rounding
	}
	return math.Max(0, math.FMA(v, kernels.Log(v), -u))
}
