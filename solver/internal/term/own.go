package term

import (
	"math"

	"github.com/scas-admm/scas/kernels"
)

// ownLoss wraps a caller's own loss as a Loss.
type ownLoss struct {
	OwnLoss
	conjugate OwnConjugate // nil if the caller's loss has no conjugate
}

// ownAccuracy is the assumed largest relative error of the functions of a caller's loss.
const ownAccuracy = 0x1p-47

// Traits finds Labels, NeverZero and DependsOnResidual by calling the caller's methods, but only with labels
// that Validate accepts.
func (l ownLoss) Traits() Traits {
	t := Traits{Name: l.String(), HasConjugate: l.conjugate != nil, Accuracy: ownAccuracy}
	if l.Validate([]float64{0.5}) != nil {
		t.Labels = Classes
		const far = 30 // at this margin, a loss that becomes zero for large margins is assumed to be zero
		for _, b := range []float64{-1, 1} {
			t.NeverZero = t.NeverZero || l.Validate([]float64{b}) == nil && l.Slope(far*b, b) != 0
		}
		return t
	}
	t.DependsOnResidual = l.Validate([]float64{0, 4}) == nil
	for _, r := range []float64{-3, -0.5, 0.25, 2} {
		if t.DependsOnResidual {
			value, movedValue := l.Value(-r, 0), l.Value(4-r, 4)
			t.DependsOnResidual = math.Abs(value-movedValue) <= ownAccuracy*math.Abs(value)
		}
	}
	return t
}

func (ownLoss) LossKind() (kernels.LossKind, bool) { return 0, false }

func (l ownLoss) Slopes(slope, margin, label []float64) float64 {
	return scalarSlopes(l.OwnLoss, slope, margin, label)
}

// Curvatures implements Loss. The parabola of Loss.Curvatures has the curvature l.Curvature(). If this is
// +Inf, damping is ignored.
func (l ownLoss) Curvatures(dst, slope, margin, label []float64, damping float64) {
	maxCurvature := l.Curvature()
	for i, t := range margin {
		v := math.Max(0, math.Min(l.SecondDerivative(t, slope[i], label[i]), maxCurvature))
		if math.IsNaN(v) {
			v = maxCurvature
		}
		dst[i] = v
		if !math.IsInf(maxCurvature, 1) {
			dst[i] = math.FMA(damping, maxCurvature-v, v)
		}
	}
}

// Fenchel returns the weighted sum of φ(t) + φ*(α) − αt, plus an upper bound on its rounding error.
func (l ownLoss) Fenchel(alpha, margin, label, weight []float64) float64 {
	var sum float64
	for i, a := range alpha {
		t := margin[i]
		value, conjugate, product := l.Value(t, label[i]), l.Conjugate(a, label[i]), float64(a*t)
		size := math.Abs(value) + math.Abs(conjugate) + math.Abs(product)
		sum += float64(weight[i] * (math.Max(0, value+conjugate-product) + float64(ownAccuracy*size)))
	}
	return sum
}

func (l ownLoss) Conjugate(alpha, label float64) float64 {
	if l.conjugate == nil {
		return math.Inf(1)
	}
	return l.conjugate.Conjugate(alpha, label)
}

func (l ownLoss) SlopeRange(label float64) (lo, hi float64) {
	if l.conjugate == nil {
		return 0, 0
	}
	return l.conjugate.ConjugateDomain(label)
}

// ownPenalty wraps a caller's own penalty as a Penalty.
type ownPenalty struct {
	OwnPenalty
	conjugate PenaltyConjugate // nil if the caller's penalty has no conjugate
}

func (g ownPenalty) Conjugate(z []float64) float64 {
	if g.conjugate == nil {
		return math.Inf(1)
	}
	return g.conjugate.Conjugate(z)
}

func (ownPenalty) RowPenalty(int) (RowPenalty, bool) { return RowPenalty{}, false }

// ownSet wraps a caller's own set as a Set.
type ownSet struct {
	OwnSet
	support SupportFunction // nil if the caller's set has no support function
}

func (s ownSet) Support(u []float64) float64 {
	if s.support == nil {
		return math.Inf(1)
	}
	return s.support.Support(u)
}

func (ownSet) Region(int) Region { return nil }
