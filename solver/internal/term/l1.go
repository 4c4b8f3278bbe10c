package term

import (
	"math"

	"github.com/scas-admm/scas/solver/internal/linalg"
)

// L1 is the penalty g(y) = Lambda Σⱼ Weightsⱼ |yⱼ|.
type L1 struct {
	// Lambda ≥ 0 scales the whole penalty.
	Lambda float64
	// Weights has one non-negative entry for each coordinate of y. Coordinates of weight zero are not
	// penalised. Nil means ones.
	Weights []float64
}

// Limit returns Lambda·Weightsⱼ. This is the largest |betaⱼ| that the multiplier betaⱼ can have.
func (g L1) Limit(j int) float64 {
	if g.Weights == nil {
		return g.Lambda
	}
	return float64(g.Lambda * g.Weights[j])
}

// Value returns g(y).
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

// Prox sets dst to the proximal map of g at v: entry j is the soft threshold of vⱼ at stepⱼ·Limit(j).
func (g L1) Prox(dst, v, step []float64) {
	for j, u := range v {
		dst[j] = linalg.SoftThreshold(u, float64(step[j]*g.Limit(j)))
	}
}

// Conjugate returns 0 if |zⱼ| ≤ Limit(j) for all j, and +Inf otherwise.
func (g L1) Conjugate(z []float64) float64 {
	for j, v := range z {
		if math.Abs(v) > g.Limit(j) {
			return math.Inf(1)
		}
	}
	return 0
}

// Separable returns true.
func (L1) Separable() bool { return true }

// Scale returns Lambda times the mean weight.
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

// Validate returns an error unless Lambda and the weights are finite and not negative, and Weights has
// length q or is nil.
func (g L1) Validate(q int) error {
	if err := checkCoefficient("L1.Lambda", g.Lambda); err != nil {
		return err
	}
	return CheckWeights("L1.Weights", g.Weights, q)
}

// Rows implements Penalty.
func (g L1) Rows(q int) (Rows, bool) {
	limit := make([]float64, q)
	for j := range limit {
		limit[j] = g.Limit(j)
	}
	return Rows{Limit: limit}, true
}
