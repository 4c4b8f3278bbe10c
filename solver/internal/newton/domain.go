package newton

import (
	"cmp"
	"math"
	"slices"
)

// A Domain is the closed convex set X of a problem, with a self-concordant barrier for
// its inside and what its support function makes of a dual point. Box, Ball and
// Simplex are all there are.
type Domain interface {
	// inside moves x well into the interior; typical is what coordinates are like in
	// size.
	inside(x, typical []float64)
	// terms is the parameter of the barrier on R^p.
	terms(p int) int
	// barrier returns the barrier at a point of the interior.
	barrier(x []float64) float64
	// derivatives adds τ times gradient and diagonal of the Hessian of the barrier at x
	// to g and h; outer times x x' completes the Hessian.
	derivatives(g, h, x []float64, tau float64) (outer float64)
	// room returns the longest step, at most 1, that stays in X.
	room(x, d []float64) float64
	// held reports whether X leaves coordinate j no choice, and flat whether Σ x does
	// not change in X.
	held(j int) bool
	flat() bool
	// snap moves coordinates to bounds near which the barrier has more curvature than
	// the objective, whose Hessian's diagonal is given, and returns to X.
	snap(x, curvature []float64, tau float64)
	// settle undoes what rounding has done to Σ x where X is flat, and reports whether it
	// had to.
	settle(x []float64) bool
	// excess returns h(x) + h*(−e) + e'x ≥ 0, h(x) = (mu/2)|x|² on X, for x in X and the
	// worst e within the errors given: what a dual point leaves open.
	excess(e, errors, x []float64, mu float64) float64
	// bounded reports whether excess is finite for every e where mu = 0.
	bounded() bool
}

// Box is {x : Lower ≤ x ≤ Upper}; bounds may be infinite.
type Box struct{ Lower, Upper []float64 }

// NewBox returns [lower, upper]^p.
func NewBox(p int, lower, upper float64) Box {
	b := Box{make([]float64, p), make([]float64, p)}
	for j := range p {
		b.Lower[j], b.Upper[j] = lower, upper
	}
	return b
}

// domain returns that of the problem.
func (f *Finisher) domain() Domain {
	if f.Domain == nil {
		return NewBox(f.p, math.Inf(-1), math.Inf(1))
	}
	return f.Domain
}

// margin is how far inside a start is put, as a part of the set's size or, where a side
// is open, of the size of coordinates.
const margin = 1e-2

func (b Box) inside(x, typical []float64) {
	for j, v := range x {
		lo, hi := b.Lower[j], b.Upper[j]
		width := math.Min(hi-lo, typical[j]+math.Abs(v))
		if x[j] = lo; hi > lo {
			x[j] = math.Max(lo+margin*width, math.Min(v, hi-margin*width))
		}
	}
}

func (b Box) terms(int) (count int) {
	for j, lo := range b.Lower {
		if b.held(j) {
			continue
		}
		if !math.IsInf(lo, 0) {
			count++
		}
		if !math.IsInf(b.Upper[j], 0) {
			count++
		}
	}
	return count
}

func (b Box) held(j int) bool     { return !(b.Upper[j] > b.Lower[j]) }
func (Box) settle([]float64) bool { return false }
func (Box) flat() bool            { return false }

func (b Box) bounded() bool {
	for j, lo := range b.Lower {
		if math.IsInf(b.Upper[j]-lo, 0) {
			return false
		}
	}
	return true
}

func (b Box) barrier(x []float64) float64 {
	var sum float64
	for j, v := range x {
		if b.held(j) {
			continue
		}
		if lo := b.Lower[j]; !math.IsInf(lo, 0) {
			sum -= logarithm(v - lo)
		}
		if hi := b.Upper[j]; !math.IsInf(hi, 0) {
			sum -= logarithm(hi - v)
		}
	}
	return sum
}

func (b Box) derivatives(g, h, x []float64, tau float64) float64 {
	for j, v := range x {
		if b.held(j) {
			continue
		}
		// At an infinite bound the terms are zero.
		under, over := 1/(v-b.Lower[j]), 1/(b.Upper[j]-v)
		g[j] += float64(tau * (over - under))
		h[j] += float64(tau * (float64(under*under) + float64(over*over)))
	}
	return 0
}

func (b Box) room(x, d []float64) float64 {
	length := 1.0
	for j, v := range x {
		if !b.held(j) {
			length = shorten(length, v-b.Lower[j], d[j])
			length = shorten(length, b.Upper[j]-v, -d[j])
		}
	}
	return length
}

func (b Box) snap(x, curvature []float64, tau float64) {
	for j, v := range x {
		under, over := v-b.Lower[j], b.Upper[j]-v
		switch least := math.Min(under, over); {
		case b.held(j) || !(float64(float64(least*least)*curvature[j]) < tau):
		case under < over:
			x[j] = b.Lower[j]
		default:
			x[j] = b.Upper[j]
		}
		x[j] = math.Max(b.Lower[j], math.Min(x[j], b.Upper[j])) // zeros and ties may be outside
	}
}

func (b Box) excess(e, errors, x []float64, mu float64) float64 {
	var sum float64
	for j, v := range x {
		sum += b.excessAt(j, e[j], errors[j], v, mu)
	}
	return sum
}

// excessAt is the part of coordinate j.
func (b Box) excessAt(j int, e, off, x, mu float64) float64 {
	lo, hi := b.Lower[j], b.Upper[j]
	if mu > 0 {
		at := math.Max(lo, math.Min(-e/mu, hi))
		d := x - at
		return float64(float64(0.5*mu)*float64(d*d)) + math.Max(0, float64(math.FMA(mu, at, e)*d)) +
			float64(off*math.Abs(d)) + float64(off*off)/(2*mu)
	}
	return math.Max(part(e+off, x-lo), part(off-e, hi-x))
}

// part returns max(0, e) room, zero if e is not positive.
func part(e, room float64) float64 {
	if !(e > 0) {
		return 0
	}
	if room <= 0 {
		return 0
	}
	return e * room
}

// Ball is {x : |x|₂ ≤ Radius}.
type Ball struct{ Radius float64 }

func (b Ball) inside(x, _ []float64) { b.shrink(x, 1-margin) }

// shrink brings |x| to at most part times the radius.
func (b Ball) shrink(x []float64, part float64) {
	if norm := norm2(x); norm > part*b.Radius {
		scale(x, part*b.Radius/norm)
	}
}

func (Ball) terms(int) int         { return 2 }
func (Ball) held(int) bool         { return false }
func (Ball) settle([]float64) bool { return false }
func (Ball) flat() bool            { return false }
func (Ball) bounded() bool         { return true }

// left returns R² − |x|².
func (b Ball) left(x []float64) float64 {
	norm := norm2(x)
	return float64((b.Radius - norm) * (b.Radius + norm))
}

func (b Ball) barrier(x []float64) float64 { return -logarithm(b.left(x)) }

func (b Ball) derivatives(g, h, x []float64, tau float64) float64 {
	c := 2 * tau / b.left(x)
	for j, v := range x {
		g[j] += float64(c * v)
		h[j] += c
	}
	return float64(c * c / tau)
}

// room solves |x + s d| = R for s.
func (b Ball) room(x, d []float64) float64 {
	var xd, dd float64
	for j, v := range d {
		xd += float64(v * x[j])
		dd += float64(v * v)
	}
	left := b.left(x)
	if dd == 0 {
		return 1
	}
	q := math.Sqrt(math.FMA(xd, xd, float64(dd*left)))
	s := (q - xd) / dd
	if xd > 0 {
		s = left / (q + xd)
	}
	return math.Min(1, s)
}

// snap moves x to the sphere if the barrier keeps it from there.
func (b Ball) snap(x, curvature []float64, tau float64) {
	norm := norm2(x)
	gap, most := b.Radius-norm, 0.0
	for _, c := range curvature {
		most = math.Max(most, c)
	}
	if norm > 0 && float64(gap*float64(gap*most)) < tau {
		scale(x, b.Radius/norm)
	}
	b.shrink(x, 1)
}

func (b Ball) excess(e, errors, x []float64, mu float64) float64 {
	if mu > 0 {
		at := make([]float64, len(x))
		for j, v := range e {
			at[j] = -v / mu
		}
		b.shrink(at, 1)
		return strongExcess(b, at, e, errors, x, mu)
	}
	var inner, size, off float64
	for j, v := range e {
		inner += float64(v * x[j])
		size += math.Abs(float64(v * x[j]))
		off = math.FMA(errors[j], errors[j], off)
	}
	norm := norm2(e)
	rounding := float64(float64(len(x)+8) * unit * (size + float64(b.Radius*norm)))
	return math.Max(0, float64(b.Radius*norm)+inner) + float64(2*b.Radius*math.Sqrt(off)) + rounding
}

// strongExcess bounds excess for mu > 0 by (mu/2)|x − a|² + the excess of r = e + mu a
// without mu, which holds for every a; it is tight for the point of X nearest to −e/mu.
func strongExcess(d Domain, a, e, errors, x []float64, mu float64) float64 {
	var apart float64
	r, off := make([]float64, len(x)), make([]float64, len(x))
	for j, v := range x {
		u := v - a[j]
		apart += float64(u * u)
		r[j] = math.FMA(mu, a[j], e[j])
		off[j] = errors[j] + float64(2*unit*math.Abs(r[j]))
	}
	return float64(0.5*mu*apart)*(1+float64(len(x)+4)*unit) + d.excess(r, off, x, 0)
}

// Simplex is {x : x ≥ 0, Σ x = Total}.
type Simplex struct{ Total float64 }

func (s Simplex) inside(x, _ []float64) {
	least := margin * s.Total / float64(len(x))
	for j, v := range x {
		x[j] = math.Max(v, least)
	}
	s.normalise(x)
}

func (s Simplex) normalise(x []float64) {
	var sum float64
	for _, v := range x {
		sum += v
	}
	scale(x, s.Total/sum)
}

// drift is how much of itself the sum of a simplex may lose to rounding.
const drift = 1e-13

func (s Simplex) settle(x []float64) bool {
	if math.Abs(sum(x)-s.Total) <= drift*s.Total {
		return false
	}
	s.normalise(x)
	return true
}

func (Simplex) terms(p int) int { return p }
func (Simplex) held(int) bool   { return false }
func (Simplex) flat() bool      { return true }
func (Simplex) bounded() bool   { return true }

func (Simplex) barrier(x []float64) float64 {
	var sum float64
	for _, v := range x {
		sum -= logarithm(v)
	}
	return sum
}

func (Simplex) derivatives(g, h, x []float64, tau float64) float64 {
	for j, v := range x {
		g[j] -= tau / v
		h[j] += tau / v / v
	}
	return 0
}

func (Simplex) room(x, d []float64) float64 {
	length := 1.0
	for j, v := range x {
		length = shorten(length, v, d[j])
	}
	return length
}

func (s Simplex) snap(x, curvature []float64, tau float64) {
	largest := slices.Max(x)
	for j, v := range x {
		if v < largest && float64(float64(v*v)*curvature[j]) < tau {
			x[j] = 0
		}
	}
	s.normalise(x)
}

func (s Simplex) excess(e, errors, x []float64, mu float64) float64 {
	if mu > 0 {
		at := make([]float64, len(x))
		for j, v := range e {
			at[j] = -v / mu
		}
		s.Project(at)
		return strongExcess(s, at, e, errors, x, mu)
	}
	least, off := math.Inf(1), 0.0
	for j, v := range e {
		least = math.Min(least, v)
		off = math.Max(off, errors[j])
	}
	var sum, total float64
	for j, v := range x {
		sum += float64(v * (e[j] - least))
		total += v
	}
	return sum + float64(math.Abs(total-s.Total)*math.Abs(least)) + float64(2*s.Total*off) +
		float64(float64(len(x))*unit*float64(s.Total*math.Abs(least)))
}

// Project replaces x by the nearest point, by sorting (Held, Wolfe and Crowder 1974). What
// matters is how far coordinates are from the largest: however large that is, the sum is
// the set's but for roundings.
func (s Simplex) Project(x []float64) {
	largest, unit := slices.Max(x), 1.0
	if s.Total > 0x1p900 {
		unit = 0x1p-100 // sums of such numbers might overflow
	}
	for j, v := range x {
		x[j] = unit * math.Max(v-largest, -2*s.Total) // those as far below it as Total are zero
	}
	u, total := slices.Clone(x), unit*s.Total
	slices.SortFunc(u, func(a, b float64) int { return cmp.Compare(b, a) })
	sum, shift := 0.0, 0.0
	for k, v := range u {
		sum += v
		if t := (sum - total) / float64(k+1); v > t {
			shift = t
		}
	}
	for j, v := range x {
		x[j] = math.Max(v-shift, 0) / unit
	}
}

// norm2 returns |v|₂.
func norm2(v []float64) float64 {
	var sum float64
	for _, u := range v {
		sum = math.FMA(u, u, sum)
	}
	return math.Sqrt(sum)
}
