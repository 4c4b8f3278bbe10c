// Package penalty has the penalties g of y that package solver names: solver.L1 is L1, and
// so on. They are solver.ConjugatePenalty.
package penalty

import (
	"cmp"
	"math"

	"github.com/scas-admm/scas/solver/internal/check"
	"github.com/scas-admm/scas/solver/internal/quad"
)

// L1 is the penalty g(y) = Lambda Σⱼ Weightsⱼ |yⱼ|.
type L1 struct {
	// Lambda ≥ 0 scales the whole penalty.
	Lambda float64
	// Weights has one non-negative entry per coordinate of y, zero leaving that
	// coordinate unpenalised; nil means all ones.
	Weights []float64
}

// Limit returns Lambda·Weightsⱼ, the bound of |betaⱼ|.
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

// Prox is the soft threshold at step·Lambda·Weights.
func (g L1) Prox(dst, v, step []float64) {
	for j, u := range v {
		dst[j] = quad.SoftThreshold(u, float64(step[j]*g.Limit(j)))
	}
}

// Conjugate is 0 where |zⱼ| ≤ Limit(j), else +Inf.
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

// Validate reports what is wrong with g on R^q.
func (g L1) Validate(q int) error {
	if err := check.Coefficient("L1.Lambda", g.Lambda); err != nil {
		return err
	}
	return check.Weights("L1.Weights", g.Weights, q)
}

// ElasticNet is g(y) = L1 Σ Weightsⱼ |yⱼ| + (L2/2) Σ yⱼ².
type ElasticNet struct {
	L1, L2 float64
	// Weights are of the absolute values alone: one non-negative entry per coordinate of y;
	// nil means all ones.
	Weights []float64
}

// Absolute is the first part.
func (g ElasticNet) Absolute() L1 { return L1{g.L1, g.Weights} }

// Value returns g(y).
func (g ElasticNet) Value(y []float64) float64 {
	return g.Absolute().Value(y) + SquaredL2{g.L2}.Value(y)
}

// Prox is the proximal map.
func (g ElasticNet) Prox(dst, v, step []float64) {
	g.Absolute().Prox(dst, v, step)
	for j, u := range dst {
		dst[j] = u / (1 + float64(step[j]*g.L2))
	}
}

// Conjugate is Σ max(0, |zⱼ| − L1 Weightsⱼ)²/(2 L2).
func (g ElasticNet) Conjugate(z []float64) float64 {
	var sum float64
	absolute := g.Absolute()
	for j, v := range z {
		if over := math.Abs(v) - absolute.Limit(j); over > 0 {
			sum += float64(over*over) / (2 * g.L2)
		}
	}
	return sum
}

// Separable returns true.
func (ElasticNet) Separable() bool { return true }

// Scale returns L1 times the mean weight, or L2 if that is zero.
func (g ElasticNet) Scale() float64 {
	if scale := g.Absolute().Scale(); scale != 0 {
		return scale
	}
	return g.L2
}

// Validate reports what is wrong with g on R^q.
func (g ElasticNet) Validate(q int) error {
	if err := cmp.Or(check.Coefficient("ElasticNet.L1", g.L1), check.Weights("ElasticNet.Weights", g.Weights, q)); err != nil {
		return err
	}
	return check.Coefficient("ElasticNet.L2", g.L2)
}

// SquaredL2 is g(y) = (Lambda/2) Σ yⱼ².
type SquaredL2 struct {
	Lambda float64
}

// Value returns g(y).
func (g SquaredL2) Value(y []float64) float64 { return float64(0.5 * g.Lambda * quad.SumSquares(y)) }

// Prox is the proximal map.
func (g SquaredL2) Prox(dst, v, step []float64) {
	for j, u := range v {
		dst[j] = u / (1 + float64(step[j]*g.Lambda))
	}
}

// Conjugate is |z|²/(2 Lambda).
func (g SquaredL2) Conjugate(z []float64) float64 { return ElasticNet{L2: g.Lambda}.Conjugate(z) }

// Separable returns true.
func (SquaredL2) Separable() bool { return true }

// Scale returns Lambda.
func (g SquaredL2) Scale() float64 { return g.Lambda }

// Validate reports what is wrong with g on R^q.
func (g SquaredL2) Validate(int) error { return check.Coefficient("SquaredL2.Lambda", g.Lambda) }
