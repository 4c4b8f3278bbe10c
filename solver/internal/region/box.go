package region

import (
	"math"

	"github.com/scas-admm/scas/kernels"
)

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

// Inside implements Domain.
func (b Box) Inside(x, typical []float64) {
	for j, v := range x {
		lo, hi := b.Lower[j], b.Upper[j]
		width := math.Min(hi-lo, typical[j]+math.Abs(v))
		if x[j] = lo; hi > lo {
			x[j] = math.Max(lo+float64(margin*width), math.Min(v, hi-float64(margin*width)))
		}
	}
}

// Terms implements Domain.
func (b Box) Terms(int) (count int) {
	for j, lo := range b.Lower {
		if b.Held(j) {
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

// Held implements Domain.
func (b Box) Held(j int) bool { return !(b.Upper[j] > b.Lower[j]) }

// Settle implements Domain.
func (Box) Settle([]float64) bool { return false }

// Flat implements Domain.
func (Box) Flat() bool { return false }

// Bounded implements Domain.
func (b Box) Bounded() bool {
	for j, lo := range b.Lower {
		if math.IsInf(b.Upper[j]-lo, 0) {
			return false
		}
	}
	return true
}

// Barrier implements Domain.
func (b Box) Barrier(x []float64) float64 {
	var sum float64
	for j, v := range x {
		if b.Held(j) {
			continue
		}
		if lo := b.Lower[j]; !math.IsInf(lo, 0) {
			sum -= kernels.Log(v - lo)
		}
		if hi := b.Upper[j]; !math.IsInf(hi, 0) {
			sum -= kernels.Log(hi - v)
		}
	}
	return sum
}

// Derivatives implements Domain.
func (b Box) Derivatives(g, h, x []float64, tau float64) float64 {
	for j, v := range x {
		if b.Held(j) {
			continue
		}
		// At an infinite bound the terms are zero.
		under, over := 1/(v-b.Lower[j]), 1/(b.Upper[j]-v)
		g[j] += float64(tau * (over - under))
		h[j] += float64(tau * (float64(under*under) + float64(over*over)))
	}
	return 0
}

// Room implements Domain.
func (b Box) Room(x, d []float64) float64 {
	length := 1.0
	for j, v := range x {
		if !b.Held(j) {
			length = Shorten(length, v-b.Lower[j], d[j])
			length = Shorten(length, b.Upper[j]-v, -d[j])
		}
	}
	return length
}

// Snap implements Domain. It does not move exact zeros of the box, nor coordinates without
// curvature.
func (b Box) Snap(x, curvature []float64, tau float64) {
	for j, v := range x {
		under, over := v-b.Lower[j], b.Upper[j]-v
		switch least := math.Min(under, over); {
		case v == 0 || curvature[j] == 0 || b.Held(j) || !(float64(float64(least*least)*curvature[j]) < tau):
		case under < over:
			x[j] = b.Lower[j]
		default:
			x[j] = b.Upper[j]
		}
		x[j] = math.Max(b.Lower[j], math.Min(x[j], b.Upper[j])) // zeros and ties may be outside
	}
}

// Excess implements Domain.
func (b Box) Excess(e, errors, x []float64, mu float64) float64 {
	var sum float64
	for j, v := range x {
		sum += b.ExcessAt(j, e[j], errors[j], v, mu)
	}
	return sum
}

// ExcessAt is the part of coordinate j.
func (b Box) ExcessAt(j int, e, off, x, mu float64) float64 {
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
