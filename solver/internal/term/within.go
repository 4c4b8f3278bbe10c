package term

import (
	"math"
)

// Within is g(y) = 0 if Lower ≤ yⱼ ≤ Upper for all j, and +Inf otherwise.
type Within struct {
	Lower, Upper float64 // may be infinite
}

func (g Within) Value(y []float64) float64 {
	for _, v := range y {
		if !(v >= g.Lower && v <= g.Upper) {
			return math.Inf(1)
		}
	}
	return 0
}

func (g Within) Prox(dst, v, _ []float64) {
	for j, u := range v {
		dst[j] = math.Max(g.Lower, math.Min(u, g.Upper))
	}
}

// Conjugate returns Σ max(zⱼ Lower, zⱼ Upper), with 0·∞ = 0.
func (g Within) Conjugate(z []float64) float64 {
	var sum float64
	for _, v := range z {
		sum += support(v, g.Lower, g.Upper)
	}
	return sum
}

func (Within) Separable() bool { return true }

func (Within) Scale() float64 { return 0 }

func (g Within) Validate(int) error {
	if !holdsNumber(g.Lower, g.Upper) {
		return errorf("Within{%v, %v} is empty; there must be a finite number between the bounds",
			g.Lower, g.Upper)
	}
	return nil
}

func (g Within) RowPenalty(q int) (RowPenalty, bool) {
	return RowPenalty{Limit: make([]float64, q), Within: &g}, true
}
