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
	// ZerosStay reports whether points are known to stay in X when coordinates are made
	// zero, with the exception of some.
	ZerosStay() (except []int32, ok bool)
	// Part returns X for some coordinates, the others being zero. ZerosStay is true.
	Part(coordinates []int32) Set
	// Shape returns X in R^p as the inner loop takes it.
	Shape(p int) Shape
	// Region returns X in R^p as the exact solvers take it, nil if they do not take it.
	Region(p int) Region
}

// A Shape is a set that the kernels project to; in its zero value, one that is known by
// Set.Project alone.
type Shape struct {
	Lower, Upper []float64 // a box
	Radius       float64   // a ball
}

// A Region is X in R^p with a self-concordant barrier for its inside, and with what its
// support function makes of a dual point.
type Region interface {
	// Box returns X if it is a product of intervals.
	Box() (box Box, ok bool)
	// Project replaces x by the nearest point.
	Project(x []float64)
	// Inside moves x well into the interior; typical has the usual sizes of coordinates.
	Inside(x, typical []float64)
	// Terms is the parameter of the barrier on R^p.
	Terms(p int) int
	// Barrier returns the barrier at a point of the interior.
	Barrier(x []float64) float64
	// Derivatives adds τ times gradient and diagonal of the Hessian of the barrier at x
	// to g and h; outer times x x' completes the Hessian.
	Derivatives(g, h, x []float64, tau float64) (outer float64)
	// Outer reports whether outer may be other than zero.
	Outer() bool
	// Room returns the longest step, at most 1, that stays in X.
	Room(x, d []float64) float64
	// Held reports whether X leaves coordinate j no choice, and Flat whether Σ x does
	// not change in X.
	Held(j int) bool
	Flat() bool
	// Snap moves coordinates to bounds near which the barrier has more curvature than
	// the loss, which is given for each, and returns to X.
	Snap(x, curvature []float64, tau float64)
	// Settle undoes what rounding has done to Σ x where X is flat, and reports whether it
	// had to.
	Settle(x []float64) bool
	// Excess returns h(x) + h*(−e) + e'x ≥ 0, h(x) = (mu/2)|x|² on X, for x in X and the
	// worst e within the errors given: what a dual point leaves open.
	Excess(e, errors, x []float64, mu float64) float64
	// Bounded reports whether Excess is finite for every e where mu = 0.
	Bounded() bool
}

// sets lists the sets of the package.
var sets = []Set{Box{}, Ball{}, Nonnegative{}, Simplex{}}

// SetOf returns d as the package knows it; nil is R^p, and stays nil.
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

const (
	// inset is how far inside a start is put, as a part of the set's size or, where a side
	// is open, of the size of coordinates.
	inset = 1e-2
	// rounding is the relative error of one operation.
	rounding = 0x1p-53
)

// strongExcess bounds Excess for mu > 0 by (mu/2)|x − a|² + the excess of r = e + mu a
// without mu, which holds for every a; it is tight for the point of X nearest to −e/mu.
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

// Shorten returns the length of a step, at most the one given, along which at stays positive
// or zero.
func Shorten(length, at, step float64) float64 {
	if step < 0 && at < -step*length {
		return -at / step
	}
	return length
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
