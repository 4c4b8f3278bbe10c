package solver

import (
	"math"

	"github.com/scas-admm/scas/solver/internal/term"
)

// A Penalty is a convex function g(y) whose proximal map can be computed with little work. It may
// be your own.
type Penalty interface {
	// Value returns g(y), or +Inf outside its domain.
	Value(y []float64) float64
	// Prox sets dst to the minimiser over u of g(u) + Σ (uⱼ − vⱼ)²/(2 stepⱼ).
	// dst may be the same slice as v. Unless Separable returns true, all steps
	// are equal.
	Prox(dst, v, step []float64)
	// Separable reports whether g is a sum of functions of single coordinates.
	Separable() bool
	// Scale returns the order of magnitude of the slopes of g, from which the automatic rho
	// follows. It returns zero if g has no scale, such as an indicator. Then rho follows from the
	// curvature of the loss.
	Scale() float64
	// Validate returns an error if g is not valid on R^q.
	Validate(q int) error
}

// A ConjugatePenalty is a Penalty with its convex conjugate. With it, gaps can be proved if L2 > 0
// or the domain is bounded. The penalties of this package are ConjugatePenalties.
type ConjugatePenalty interface {
	Penalty
	// Conjugate returns g*(z) = sup over y of z'y − g(y), or +Inf outside its domain.
	Conjugate(z []float64) float64
}

// L1 is the penalty g(y) = Lambda Σⱼ Weightsⱼ |yⱼ|. Its fields are
//
//	Lambda  float64   // not negative; 0 is no penalty
//	Weights []float64 // not negative, one for each coordinate of y; nil means all ones
type L1 = term.L1

// ElasticNet is the penalty g(y) = L1 Σⱼ Weightsⱼ |yⱼ| + (L2/2) Σⱼ yⱼ². Its fields are
//
//	L1, L2  float64   // not negative; 0 leaves that part out
//	Weights []float64 // of the absolute values alone, as in the type L1
type ElasticNet = term.ElasticNet

// SquaredL2 is the penalty g(y) = (Lambda/2) Σⱼ yⱼ². Its one field is
//
//	Lambda float64 // not negative; 0 is no penalty
type SquaredL2 = term.SquaredL2

// GroupL2 is the penalty g(y) = Lambda Σ_k Weights_k |y_{Groups_k}|₂ of the group lasso. Its
// fields are
//
//	Lambda  float64   // not negative; 0 is no penalty
//	Groups  [][]int   // disjoint sets of coordinates; those in none are not penalised
//	Weights []float64 // not negative, one for each group; nil means the square roots of their sizes
type GroupL2 = term.GroupL2

// Within is the indicator of Lower ≤ yⱼ ≤ Upper for every j: zero inside, +Inf outside. Its
// fields are
//
//	Lower, Upper float64 // may be infinite; with both 0, y must be 0
type Within = term.Within

// NonnegativeY is the indicator of y ≥ 0.
func NonnegativeY() Within { return Within{Lower: 0, Upper: math.Inf(1)} }
