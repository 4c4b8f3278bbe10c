package fenchel

import (
	"math"

	"github.com/scas-admm/scas/kernels"
)

// relativeEntropy returns q log(q/s) + (1−q) log((1−q)/(1−s)) for q in [0, 1] and
// rest = 1 − s. With w = q − s it is s k(w/s) + rest k(−w/rest), k(u) = (1+u) log(1+u)
// − u ≥ 0: the linear terms, which would cancel, are left out.
func relativeEntropy(q, s, rest float64) float64 {
	w := q - s
	return float64(s*surplus(w/s)) + float64(rest*surplus(-w/rest))
}

// negativeEntropy returns q log q + (1−q) log(1−q) for q in [0, 1].
func negativeEntropy(q float64) float64 {
	sum := 0.0
	if q > 0 {
		sum = float64(q * kernels.Log(q))
	}
	if q < 1 {
		sum += float64((1 - q) * kernels.Log(1-q))
	}
	return sum
}

// surplus returns k(u) = (1+u) log(1+u) − u for u ≥ −1, with a relative error below
// 1e-12; k(−1) = 1. Near zero it is the series Σ (−u)^m/(m(m−1)), m ≥ 2.
func surplus(u float64) float64 {
	if math.Abs(u) < 1.0/32 {
		s := math.FMA(-u, 1.0/90, 1.0/72)
		s = math.FMA(-u, s, 1.0/56)
		s = math.FMA(-u, s, 1.0/42)
		s = math.FMA(-u, s, 1.0/30)
		s = math.FMA(-u, s, 1.0/20)
		s = math.FMA(-u, s, 1.0/12)
		s = math.FMA(-u, s, 1.0/6)
		s = math.FMA(-u, s, 1.0/2)
		return float64(float64(u*u) * s)
	}
	v := 1 + u
	if !(v > 0) {
		return 1 // a rounding error beyond −1 at most
	}
	return math.Max(0, math.FMA(v, kernels.Log(v), -u))
}
