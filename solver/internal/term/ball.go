package term

import (
	"math"

	"github.com/scas-admm/scas/solver/internal/linalg"
)

// Ball is {x : |x|₂ ≤ Radius}.
type Ball struct {
	Radius float64
}

func (b Ball) Project(x []float64) {
	if norm := linalg.Norm(x); norm > b.Radius {
		linalg.Scale(x, b.Radius/norm)
	}
}

func (b Ball) Diameter() float64 { return 2 * b.Radius }

func (b Ball) Validate(int) error {
	if !(b.Radius > 0) || math.IsInf(b.Radius, 0) {
		return errorf("Ball.Radius = %v; it must be positive and finite", b.Radius)
	}
	return nil
}

func (b Ball) Support(u []float64) float64 { return float64(b.Radius * linalg.Norm(u)) }

func (b Ball) Region(int) Region { return b }

func (b Ball) Bounds(int) Bounds { return Bounds{Radius: b.Radius} }

func (b Ball) Excess(e, errors, x []float64, mu float64) float64 {
	if mu > 0 {
		return ridgeExcess(b, e, errors, x, mu)
	}
	var product, size, error2 float64
	for j, v := range e {
		product += float64(v * x[j])
		size += math.Abs(float64(v * x[j]))
		error2 = math.FMA(errors[j], errors[j], error2)
	}
	norm := linalg.Norm(e)
	rounding := float64(float64(len(x)+8) * roundoff * (size + float64(b.Radius*norm)))
	return math.Max(0, float64(b.Radius*norm)+product) + float64(2*b.Radius*math.Sqrt(error2)) + rounding
}
