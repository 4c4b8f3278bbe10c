package solver

import "github.com/scas-admm/scas/solver/penalty"

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

// The penalties of package penalty.
type (
	// L1 is Lambda Σⱼ Weightsⱼ |yⱼ|.
	L1 = penalty.L1
	// ElasticNet is L1 Σ Weightsⱼ |yⱼ| + (L2/2) Σ yⱼ².
	ElasticNet = penalty.ElasticNet
	// SquaredL2 is (Lambda/2) Σ yⱼ².
	SquaredL2 = penalty.SquaredL2
	// GroupL2 is Lambda Σ_k Weights_k |y_{Groups_k}|₂, the group lasso.
	GroupL2 = penalty.GroupL2
	// Within is the indicator of Lower ≤ y ≤ Upper.
	Within = penalty.Within
)

// NonnegativeY is the indicator of y ≥ 0.
func NonnegativeY() Within { return penalty.NonnegativeY() }
