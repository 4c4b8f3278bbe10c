package term

import "math"

// An OwnSet is a closed convex set X. It may be a caller's own type. The methods are documented at
// solver.Domain, which is the same interface.
type OwnSet interface {
	Project(x []float64)
	Diameter() float64
	Validate(p int) error
}

// A SupportFunction is the support function of a set.
type SupportFunction interface {
	// Support returns the supremum of u'x over x in X, which may be +Inf.
	Support(u []float64) float64
}

// A Set is a set X with everything that other packages need.
type Set interface {
	OwnSet
	SupportFunction
	// Region returns X as a Region of R^p, or nil if only the methods of OwnSet and SupportFunction are
	// known.
	Region(p int) Region
}

// A Region is a set X in R^p together with its part of the duality gap, Excess. It is a Box, a Ball or a
// Simplex; every product of intervals is a Box.
type Region interface {
	// Project replaces x by the nearest point of X.
	Project(x []float64)
	// Bounds returns the inequalities and the equation that define X in R^p.
	Bounds(p int) Bounds
	// Excess returns an upper bound of h(x) + h*(−e) + e'x, where x is in X, and h is (mu/2)|x|² on X and
	// +Inf elsewhere. The bound also holds if each eⱼ is changed by at most errorsⱼ.
	Excess(e, errors, x []float64, mu float64) float64
}

// Bounds describes the set {x : Lower ≤ x ≤ Upper, |x|₂ ≤ Radius, Σ xⱼ = Total}.
type Bounds struct {
	Lower, Upper []float64 // entries may be infinite; nil means that there are no bounds
	Radius       float64   // zero means that |x|₂ has no bound
	Total        float64   // zero means that Σ xⱼ may have any value
}

var setTypes = typesOf[Set](Box{}, Ball{}, Nonnegative{}, Simplex{})

// SetOf returns d as a Set; a caller's own set is wrapped. Nil means R^p, and is returned as nil.
func SetOf(d OwnSet) Set {
	if d == nil {
		return nil
	}
	if d, ok := asTerm[Set](setTypes, d); ok {
		return d
	}
	support, _ := d.(SupportFunction)
	return ownSet{d, support}
}

// roundoff is the unit roundoff of float64.
const roundoff = 0x1p-53

// ridgeExcess implements Excess for mu > 0. Let a be the point of X nearest to −e/mu. ridgeExcess returns
// (mu/2)|x − a|² plus the result of Excess for e + mu a and mu = 0.
func ridgeExcess(d Region, e, errors, x []float64, mu float64) float64 {
	var distance2 float64
	a, r, rErrors := make([]float64, len(x)), make([]float64, len(x)), make([]float64, len(x))
	for j, v := range e {
		a[j] = -v / mu
	}
	d.Project(a)
	for j, v := range x {
		u := v - a[j]
		distance2 += float64(u * u)
		r[j] = math.FMA(mu, a[j], e[j])
		rErrors[j] = errors[j] + float64(2*roundoff*math.Abs(r[j]))
	}
	return float64(float64(0.5*mu*distance2)*(1+float64(float64(len(x)+4)*roundoff))) +
		d.Excess(r, rErrors, x, 0)
}

// support returns the maximum of u v over lower ≤ v ≤ upper.
func support(u, lower, upper float64) float64 {
	switch {
	case u > 0:
		return float64(u * upper)
	case u < 0:
		return float64(u * lower)
	}
	return 0
}
