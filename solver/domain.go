package solver

import "github.com/scas-admm/scas/solver/domain"

// A Domain is a closed convex set X with a cheap Euclidean projection, the
// operator π_X of the paper.
type Domain interface {
	// Project replaces x by the point of X nearest to it.
	Project(x []float64)
	// Diameter is D = max |u − v| over u, v in X, used by the step sizes of
	// Theorem 1; +Inf if X is unbounded.
	Diameter() float64
	// Validate reports whether the set is not empty and lives in R^p.
	Validate(p int) error
}

// A SupportDomain is a Domain with its support function, by which gaps can be proved if
// it is bounded. The domains of this package are.
type SupportDomain interface {
	Domain
	// Support returns the largest u'x over x in X; +Inf if there is none.
	Support(u []float64) float64
}

// The sets of package domain.
type (
	// Box is {x : Lower ≤ x ≤ Upper}, coordinate by coordinate.
	Box = domain.Box
	// Ball is {x : |x|₂ ≤ Radius}.
	Ball = domain.Ball
	// Nonnegative is {x : x ≥ 0}.
	Nonnegative = domain.Nonnegative
	// Simplex is {x : x ≥ 0, Σ xⱼ = Total}.
	Simplex = domain.Simplex
)

// NewBox returns the box [lower, upper]^p.
func NewBox(p int, lower, upper float64) Box { return domain.NewBox(p, lower, upper) }
