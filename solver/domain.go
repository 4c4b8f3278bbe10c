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

// A SupportDomain is a Domain with its support function, which the proof of a gap needs. The domains of this
// package are SupportDomains.
type SupportDomain interface {
	Domain
	// Support returns the largest u'x over x in X, or +Inf if u'x has no upper bound.
	Support(u []float64) float64
}

// Box is the set {x : Lower ≤ x ≤ Upper}, coordinate by coordinate.
type Box struct {
	// Lower and Upper have a bound for each feature. An infinite bound leaves that side open.
	Lower, Upper []float64
}

// NewBox returns the box [lower, upper]^p.
func NewBox(p int, lower, upper float64) Box { return Box(term.NewBox(p, lower, upper)) }

func (d Box) Project(x []float64)         { term.Box(d).Project(x) }
func (d Box) Diameter() float64           { return term.Box(d).Diameter() }
func (d Box) Validate(p int) error        { return term.Box(d).Validate(p) }
func (d Box) Support(u []float64) float64 { return term.Box(d).Support(u) }

// Ball is the set {x : |x|₂ ≤ Radius}.
type Ball struct {
	Radius float64 // positive and finite
}

func (d Ball) Project(x []float64)         { term.Ball(d).Project(x) }
func (d Ball) Diameter() float64           { return term.Ball(d).Diameter() }
func (d Ball) Validate(p int) error        { return term.Ball(d).Validate(p) }
func (d Ball) Support(u []float64) float64 { return term.Ball(d).Support(u) }

// Nonnegative is the set {x : x ≥ 0}.
type Nonnegative struct{}

func (d Nonnegative) Project(x []float64)         { term.Nonnegative(d).Project(x) }
func (d Nonnegative) Diameter() float64           { return term.Nonnegative(d).Diameter() }
func (d Nonnegative) Validate(p int) error        { return term.Nonnegative(d).Validate(p) }
func (d Nonnegative) Support(u []float64) float64 { return term.Nonnegative(d).Support(u) }

// Simplex is the set {x : x ≥ 0, Σⱼ xⱼ = Total}.
type Simplex struct {
	Total float64 // the sum of the coordinates, positive and finite; 0 means 1
}

func (d Simplex) Project(x []float64)         { term.Simplex(d).Project(x) }
func (d Simplex) Diameter() float64           { return term.Simplex(d).Diameter() }
func (d Simplex) Validate(p int) error        { return term.Simplex(d).Validate(p) }
func (d Simplex) Support(u []float64) float64 { return term.Simplex(d).Support(u) }
