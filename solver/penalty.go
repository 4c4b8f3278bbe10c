package solver

import (
	"fmt"
	"math"
)

// A Penalty is g, a convex function of y with a cheap proximal map. Users may
// add their own.
type Penalty interface {
	// Value returns g(y); +Inf outside its domain.
	Value(y []float64) float64
	// Prox sets dst to the minimiser over u of g(u) + Σ (uⱼ − vⱼ)²/(2 stepⱼ).
	// dst may be the same slice as v. Unless Separable returns true, all steps
	// are equal.
	Prox(dst, v, step []float64)
	// Separable reports whether g is a sum of functions of single coordinates.
	Separable() bool
	// Scale is the order of magnitude of g's slopes, from which the automatic
	// rho is derived; zero if g has no scale, like an indicator: rho then follows
	// from the curvature of the loss.
	Scale() float64
	// Validate reports what is wrong with g as a function on R^q.
	Validate(q int) error
}

// A ConjugatePenalty is a Penalty with its convex conjugate, by which gaps can be proved
// if L2 > 0 or the domain is bounded. The penalties of this package are.
type ConjugatePenalty interface {
	Penalty
	// Conjugate returns g*(z) = sup over y of z'y − g(y); +Inf outside its domain.
	Conjugate(z []float64) float64
}

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

// Value implements Penalty.
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
		dst[j] = softThreshold(u, float64(step[j]*g.Limit(j)))
	}
}

// Conjugate implements ConjugatePenalty: 0 where |zⱼ| ≤ Limit(j), else +Inf.
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

// Validate implements Penalty.
func (g L1) Validate(q int) error {
	if err := checkCoefficient("L1.Lambda", g.Lambda); err != nil {
		return err
	}
	return checkWeights("L1.Weights", g.Weights, q)
}

// ElasticNet is g(y) = L1 Σ|yⱼ| + (L2/2) Σ yⱼ².
type ElasticNet struct {
	L1, L2 float64
}

// Value implements Penalty.
func (g ElasticNet) Value(y []float64) float64 {
	return L1{Lambda: g.L1}.Value(y) + SquaredL2{g.L2}.Value(y)
}

// Prox implements Penalty.
func (g ElasticNet) Prox(dst, v, step []float64) {
	for j, u := range v {
		dst[j] = softThreshold(u, float64(step[j]*g.L1)) / (1 + float64(step[j]*g.L2))
	}
}

// Conjugate implements ConjugatePenalty: Σ max(0, |zⱼ| − L1)²/(2 L2).
func (g ElasticNet) Conjugate(z []float64) float64 {
	var sum float64
	for _, v := range z {
		if over := math.Abs(v) - g.L1; over > 0 {
			sum += float64(over*over) / (2 * g.L2)
		}
	}
	return sum
}

// Separable returns true.
func (ElasticNet) Separable() bool { return true }

// Scale returns L1, or L2 if L1 is zero.
func (g ElasticNet) Scale() float64 {
	if g.L1 == 0 {
		return g.L2
	}
	return g.L1
}

// Validate implements Penalty.
func (g ElasticNet) Validate(int) error {
	if err := checkCoefficient("ElasticNet.L1", g.L1); err != nil {
		return err
	}
	return checkCoefficient("ElasticNet.L2", g.L2)
}

// SquaredL2 is g(y) = (Lambda/2) Σ yⱼ².
type SquaredL2 struct {
	Lambda float64
}

// Value implements Penalty.
func (g SquaredL2) Value(y []float64) float64 { return float64(0.5 * g.Lambda * sumSquares(y)) }

// Prox implements Penalty.
func (g SquaredL2) Prox(dst, v, step []float64) {
	for j, u := range v {
		dst[j] = u / (1 + float64(step[j]*g.Lambda))
	}
}

// Conjugate implements ConjugatePenalty: |z|²/(2 Lambda).
func (g SquaredL2) Conjugate(z []float64) float64 { return ElasticNet{L2: g.Lambda}.Conjugate(z) }

// Separable returns true.
func (SquaredL2) Separable() bool { return true }

// Scale returns Lambda.
func (g SquaredL2) Scale() float64 { return g.Lambda }

// Validate implements Penalty.
func (g SquaredL2) Validate(int) error { return checkCoefficient("SquaredL2.Lambda", g.Lambda) }

// Within is the indicator of Lower ≤ y ≤ Upper: zero inside, +Inf outside.
type Within struct {
	Lower, Upper float64 // may be infinite
}

// NonnegativeY is the indicator of y ≥ 0.
func NonnegativeY() Within { return Within{0, math.Inf(1)} }

// Value implements Penalty.
func (g Within) Value(y []float64) float64 {
	for _, v := range y {
		if !(v >= g.Lower && v <= g.Upper) {
			return math.Inf(1)
		}
	}
	return 0
}

// Prox is the projection.
func (g Within) Prox(dst, v, _ []float64) {
	for j, u := range v {
		dst[j] = math.Max(g.Lower, math.Min(u, g.Upper))
	}
}

// Conjugate implements ConjugatePenalty: Σ max(zⱼ Lower, zⱼ Upper).
func (g Within) Conjugate(z []float64) float64 {
	var sum float64
	for _, v := range z {
		sum += support(v, g.Lower, g.Upper)
	}
	return sum
}

// Separable returns true.
func (Within) Separable() bool { return true }

// Scale returns 0.
func (Within) Scale() float64 { return 0 }

// Validate implements Penalty.
func (g Within) Validate(int) error {
	if !(g.Lower <= g.Upper) {
		return fmt.Errorf("solver: Within{%v, %v} is empty; the lower bound must not exceed the upper", g.Lower, g.Upper)
	}
	return nil
}

func softThreshold(v, t float64) float64 {
	switch {
	case v > t:
		return v - t
	case v < -t:
		return v + t
	}
	return 0
}

func checkCoefficient(name string, v float64) error {
	if !(v >= 0) || math.IsInf(v, 0) {
		return fmt.Errorf("solver: %s = %v; it must be finite and not negative", name, v)
	}
	return nil
}

func checkWeights(name string, w []float64, want int) error {
	if w == nil {
		return nil
	}
	if len(w) != want {
		return fmt.Errorf("solver: %s has length %d; it needs one weight for each of %d", name, len(w), want)
	}
	for j, v := range w {
		if err := checkCoefficient(fmt.Sprintf("%s[%d]", name, j), v); err != nil {
			return err
		}
	}
	return nil
}
