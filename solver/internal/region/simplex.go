package region

import (
	"cmp"
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/quad"
)

// Simplex is {x : x ≥ 0, Σ x = Total}.
type Simplex struct{ Total float64 }

// Inside implements Domain.
func (s Simplex) Inside(x, _ []float64) {
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
	quad.Scale(x, s.Total/sum)
}

// drift is how much of itself the sum of a simplex may lose to rounding.
const drift = 1e-13

// Settle implements Domain.
func (s Simplex) Settle(x []float64) bool {
	if math.Abs(quad.Sum(x)-s.Total) <= drift*s.Total {
		return false
	}
	s.normalise(x)
	return true
}

// Terms implements Domain.
func (Simplex) Terms(p int) int { return p }

// Held implements Domain.
func (Simplex) Held(int) bool { return false }

// Flat implements Domain.
func (Simplex) Flat() bool { return true }

// Bounded implements Domain.
func (Simplex) Bounded() bool { return true }

// Barrier implements Domain.
func (Simplex) Barrier(x []float64) float64 {
	var sum float64
	for _, v := range x {
		sum -= kernels.Log(v)
	}
	return sum
}

// Derivatives implements Domain.
func (Simplex) Derivatives(g, h, x []float64, tau float64) float64 {
	for j, v := range x {
		g[j] -= tau / v
		h[j] += tau / v / v
	}
	return 0
}

// Room implements Domain.
func (Simplex) Room(x, d []float64) float64 {
	length := 1.0
	for j, v := range x {
		length = Shorten(length, v, d[j])
	}
	return length
}

// Snap implements Domain.
func (s Simplex) Snap(x, curvature []float64, tau float64) {
	largest := slices.Max(x)
	for j, v := range x {
		if v < largest && float64(float64(v*v)*curvature[j]) < tau {
			x[j] = 0
		}
	}
	s.normalise(x)
}

// Excess implements Domain.
func (s Simplex) Excess(e, errors, x []float64, mu float64) float64 {
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
		float64(float64(len(x))*rounding*float64(s.Total*math.Abs(least)))
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
	u, total := slices.Clone(x), float64(unit*s.Total)
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
