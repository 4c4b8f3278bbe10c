package solver

import "github.com/scas-admm/scas/solver/internal/term"

// A Domain is a closed convex set X onto which points can be projected with little work. The paper
// calls the projection π_X.
type Domain interface {
	// Project replaces x by the point of X nearest to it.
	Project(x []float64)
	// Diameter returns D = max |u − v| over u, v in X, or +Inf if X is unbounded. The step sizes of
	// Theorem 1 use it.
	Diameter() float64
	// Validate returns an error unless X is a non-empty set in R^p.
	Validate(p int) error
}

// A SupportDomain is a Domain with its support function. With it, gaps can be proved if the domain
// is bounded. The domains of this package are SupportDomains.
type SupportDomain interface {
	Domain
	// Support returns the largest u'x over x in X, or +Inf if there is none.
	Support(u []float64) float64
}

// Box is the set {x : Lower ≤ x ≤ Upper}, coordinate by coordinate. Its fields are
//
//	Lower, Upper []float64 // a bound for each feature; an infinite one leaves that side open
type Box = term.Box

// NewBox returns the box [lower, upper]^p.
func NewBox(p int, lower, upper float64) Box { return term.NewBox(p, lower, upper) }

// Ball is the set {x : |x|₂ ≤ Radius}. Its one field is
//
//	Radius float64 // above 0
type Ball = term.Ball

// Nonnegative is the set {x : x ≥ 0}. It has no fields.
type Nonnegative = term.Nonnegative

// Simplex is the set {x : x ≥ 0, Σⱼ xⱼ = Total}. Its one field is
//
//	Total float64 // the sum; 0 means 1
type Simplex = term.Simplex
