package term

import (
	"fmt"
	"math"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/ending"
	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/sparse"
)

// Huber is φ(t; b) = r² if |r| ≤ Delta, and Delta(2|r| − Delta) otherwise, with r = b − t. φ*(α) is
// α b + α²/4 if |α| ≤ 2 Delta, and +Inf otherwise.
type Huber struct {
	// Delta is the |r| above which the loss is linear, in the unit of the labels. Zero means 1.35.
	Delta float64
}

func (h Huber) Traits() Traits {
	return Traits{
		LeastCurvatures: h.leastCurvatures,
		Name:            "huber", Help: "(label - margin)^2 up to DELTA, linear beyond; default 1.35",
		Argument: Argument{"DELTA", h.Delta, func(delta float64) Loss { return Huber{delta} }},
		Labels:   Numbers, DependsOnResidual: true, HasConjugate: true,
		StallAdvice: &ending.Advice{Why: "few labels may be near", Remedies: []sparse.Remedy{
			{Field: "Huber.Delta", To: "a larger number"},
			ending.AskForLess,
		}},
	}
}

func (Huber) LossKind() (kernels.LossKind, bool) { return 0, false }

func (h Huber) String() string {
	if h.Delta == 0 {
		return "huber"
	}
	return fmt.Sprintf("huber:%g", h.Delta)
}

func (h Huber) Validate(labels []float64) error {
	if !(h.Delta >= 0) || math.IsInf(h.Delta, 0) {
		return errorf("Huber.Delta = %v; it must be positive and finite, or 0 for 1.35", h.Delta)
	}
	return Numbers.validate("huber", labels)
}

func (h Huber) deltaOrDefault() float64 {
	if h.Delta == 0 {
		return 1.35
	}
	return h.Delta
}

func (h Huber) Value(margin, label float64) float64 {
	r, d := math.Abs(label-margin), h.deltaOrDefault()
	if r <= d {
		return float64(r * r)
	}
	return float64(d * (float64(2*r) - d))
}

func (h Huber) Slope(margin, label float64) float64 {
	return -2 * linalg.Clip(label-margin, h.deltaOrDefault())
}

func (h Huber) SecondDerivative(margin, _, label float64) float64 {
	if math.Abs(label-margin) <= h.deltaOrDefault() {
		return 2
	}
	return 0
}

func (Huber) Curvature() float64 { return 2 }

func (h Huber) Slopes(slope, margin, label []float64) float64 {
	return scalarSlopes(h, slope, margin, label)
}

// Curvatures implements Loss. Where φ is linear, the parabola of Loss.Curvatures has the curvature
// |φ'/(b − t)|, as in iteratively reweighted least squares.
func (h Huber) Curvatures(dst, _, margin, label []float64, damping float64) {
	delta := h.deltaOrDefault()
	for i, t := range margin {
		dst[i] = 2
		if r := math.Abs(t - label[i]); r > delta {
			dst[i] = damping * (2 * delta / r)
		}
	}
}

// Fenchel implements Loss. With r = b − t, the term of a sample is (r + α/2)² if |r| ≤ Delta, and otherwise
// (2Delta + s α)(|r| − (2Delta − s α)/4), where s is the sign of r.
func (h Huber) Fenchel(alpha, margin, label, weight []float64) float64 {
	var sum float64
	delta := h.deltaOrDefault()
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

func (h Huber) Conjugate(alpha, label float64) float64 {
	if math.Abs(alpha) > 2*h.deltaOrDefault() {
		return math.Inf(1)
	}
	return Squared{}.Conjugate(alpha, label)
}

func (h Huber) SlopeRange(float64) (lo, hi float64) {
	return -2 * h.deltaOrDefault(), 2 * h.deltaOrDefault()
}

// leastCurvatures implements Traits.LeastCurvatures. φ″ is 2 where |φ'| < 2 Delta.
func (h Huber) leastCurvatures(dst, slope, _ []float64) {
	largestSlope := 2 * h.deltaOrDefault()
	for i, v := range slope {
		dst[i] = max(0, min(2, float64(Steepest*(largestSlope-math.Abs(v)))))
	}
}
