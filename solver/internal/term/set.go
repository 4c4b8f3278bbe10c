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
	// ZerosStay reports whether a point of X stays in X if any of its coordinates are set to
	// zero. This need not hold for the coordinates except.
	ZerosStay() (except []int32, ok bool)
	// Part returns the part of X in which all other coordinates are zero, as a set of the given
	// coordinates. It may be called only if ZerosStay is true.
	Part(coordinates []int32) Set
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

// A Region is X in R^p with a self-concordant barrier, and with the part of the duality gap that
// belongs to X.
type Region interface {
	// Box returns X if it is a product of intervals.
	Box() (box Box, ok bool)
	// Project replaces x by the nearest point.
	Project(x []float64)
	// Inside moves x into the interior, away from the boundary; typical has the usual sizes of
	// coordinates.
	Inside(x, typical []float64)
	// Terms is the parameter of the barrier on R^p.
	Terms(p int) int
	// Barrier returns the barrier at a point of the interior.
	Barrier(x []float64) float64
	// Derivatives adds τ times the gradient of the barrier at x to g, and τ times the diagonal
	// of its Hessian to h. The rest of τ times the Hessian is outer x x'.
	Derivatives(g, h, x []float64, tau float64) (outer float64)
	// Outer reports whether outer may be other than zero.
	Outer() bool
	// Room returns the longest step, at most 1, that stays in X.
	Room(x, d []float64) float64
	// Held reports whether coordinate j has the same value in all points of X.
	Held(j int) bool
	// Flat reports whether Σ x is the same for all points of X.
	Flat() bool
	// Snap moves a coordinate to its bound if τ times the curvature of the barrier exceeds the
	// curvature of the loss, which is given for each coordinate. Then it projects x to X.
	Snap(x, curvature []float64, tau float64)
	// Settle corrects Σ x if X is flat and rounding has changed the sum. It reports whether it
	// changed x.
	Settle(x []float64) bool
	// Excess returns h(x) + h*(−e) + e'x, with h(x) = (mu/2)|x|² on X, for a point x of X. This is
	// the part of the duality gap that belongs to X, and is never negative. It is for the worst
	// e that lies within the given errors.
	Excess(e, errors, x []float64, mu float64) float64
	// Bounded reports whether Excess is finite for every e where mu = 0.
	Bounded() bool
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

const (
	// inset is the distance of a start from the boundary, relative to the size of the set, or to
	// the size of the coordinates if a bound is infinite.
	inset = 1e-2
	// rounding is the relative error of one operation.
	rounding = 0x1p-53
)

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

// Shorten returns the largest s, at most length, for which at + s·step is not negative.
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
