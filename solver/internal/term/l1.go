package term

import (
	"math"

	"github.com/scas-admm/scas/solver/internal/linalg"
)

// L1 is the penalty g(y) = Lambda Σⱼ Weightsⱼ |yⱼ|.
type L1 struct {
	Lambda float64
	// Weights has one non-negative entry for each coordinate of y. Nil means ones.
	Weights []float64
}

// Limit returns Lambda·Weightsⱼ, the largest absolute value of the multiplier of yⱼ.
func (g L1) Limit(j int) float64 {
	if g.Weights == nil {
		return g.Lambda
	}
	return float64(g.Lambda * g.Weights[j])
}

func (g L1) Value(y []float64) float64 {
	var sum float64
	for j, v := range y {
		if g.Weights != nil {
			v = float64(v * g.Weights[j])
		}
		sum += math.Abs(v)
	}
	return float64(g.Lambda * sum)
}

func (g L1) Prox(dst, v, step []float64) {
	for j, u := range v {
		dst[j] = linalg.SoftThreshold(u, float64(step[j]*g.Limit(j)))
	}
}

func (g L1) Conjugate(z []float64) float64 {
	for j, v := range z {
		if math.Abs(v) > g.Limit(j) {
			return math.Inf(1)
		}
	}
	return 0
}

func (L1) Separable() bool { return true }

func (g L1) Scale() float64 {
	if g.Weights == nil {
		return g.Lambda
	}
	var sum float64
	for _, w := range g.Weights {
		sum += w
	}
	return g.Lambda * (sum / float64(len(g.Weights)))
}

func (g L1) Validate(q int) error {
	if err := checkFactor("L1.Lambda", g.Lambda); err != nil {
		return err
	}
	return CheckWeights("L1.Weights", g.Weights, q)
}

func (g L1) RowPenalty(q int) (RowPenalty, bool) {
	limit := make([]float64, q)
	for j := range limit {
		limit[j] = g.Limit(j)
	}
	return RowPenalty{Limit: limit}, true
}
