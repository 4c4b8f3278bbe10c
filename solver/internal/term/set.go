package term

import "math"

// An OwnSet is a closed convex set X as a caller writes it. It is solver.Domain, which says
// what its methods return.
type OwnSet interface {
	Project(x []float64)
	Diameter() float64
	Validate(p int) error
}

// A SupportFunction is that of a set.
type SupportFunction interface {
	// Support returns the largest u'x over x in X; +Inf if there is none.
	Support(u []float64) float64
}

// A Set is X with all that the package knows of it.
type Set interface {
	OwnSet
	SupportFunction
	// Shape returns X in R^p as the inner loop takes it.
	Shape(p int) Shape
	// Region returns X in R^p as the exact solvers take it, nil if they do not take it.
	Region(p int) Region
}

// A Shape is a set to which the kernels project. The zero value means that only Set.Project
// knows the set.
type Shape struct {
	Lower, Upper []float64 // a box
	Radius       float64   // a ball
}

// A Region is X in R^p, with the part of the duality gap that belongs to X.
type Region interface {
	// Box returns X if it is a product of intervals.
	Box() (box Box, ok bool)
	// Project replaces x by the nearest point.
	Project(x []float64)
	// Walls returns what bounds X in R^p.
	Walls(p int) Walls
	// Excess returns h(x) + h*(−e) + e'x, with h(x) = (mu/2)|x|² on X, for a point x of X. This is
	// the part of the duality gap that belongs to X, and is never negative. It is for the worst
	// e that lies within the given errors.
	Excess(e, errors, x []float64, mu float64) float64
	// Bounded reports whether Excess is finite for every e where mu = 0.
	Bounded() bool
}

// Walls are what bounds a set: {x : Lower ≤ x ≤ Upper, |x| ≤ Radius, Σ xⱼ = Total}.
type Walls struct {
	Lower, Upper []float64 // may be infinite; nil for none
	Radius       float64   // zero for none
	Total        float64   // zero for none
}

// sets lists the sets of the package.
var sets = []Set{Box{}, Ball{}, Nonnegative{}, Simplex{}}

// SetOf returns d as a Set: itself if it is a set of this package, else wrapped. nil means R^p
// and is returned as nil.
func SetOf(d OwnSet) Set {
	if d == nil {
		return nil
	}
	if known, ok := known(sets, d); ok {
		return known
	}
	if wrapped, ok := d.(ownSet); ok {
		return wrapped
	}
	support, _ := d.(SupportFunction)
	return ownSet{d, support}
}

// rounding is the relative error of one operation.
const rounding = 0x1p-53

// strongExcess bounds Excess for mu > 0. The bound is (mu/2)|x − a|² plus the excess of
// r = e + mu a for mu = 0. It holds for every a, and is tight if a is the point of X nearest to −e/mu.
func strongExcess(d Region, a, e, errors, x []float64, mu float64) float64 {
	var apart float64
	r, off := make([]float64, len(x)), make([]float64, len(x))
	for j, v := range x {
		u := v - a[j]
		apart += float64(u * u)
		r[j] = math.FMA(mu, a[j], e[j])
		off[j] = errors[j] + float64(2*rounding*math.Abs(r[j]))
	}
	return float64(float64(0.5*mu*apart)*(1+float64(float64(len(x)+4)*rounding))) + d.Excess(r, off, x, 0)
}

// support returns the largest u v over lower ≤ v ≤ upper.
func support(u, lower, upper float64) float64 {
	switch {
	case u > 0:
		return float64(u * upper)
	case u < 0:
		return float64(u * lower)
	}
	return 0
}
