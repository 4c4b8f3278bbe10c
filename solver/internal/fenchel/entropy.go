package fenchel

import "math"

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
		sum = float64(q * Log(q))
	}
	if q < 1 {
		sum += float64((1 - q) * Log(1-q))
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
	return math.Max(0, math.FMA(v, Log(v), -u))
}

// Log returns log y for a positive finite y, by the reduction y = 2^k (1+f) and
// the polynomial of FreeBSD's e_log.c. It is written out because the library's uses
// other instructions on other machines.
func Log(y float64) float64 {
	m, k := parts(y)
	if m < math.Sqrt2/2 {
		m *= 2
		k--
	}
	f := m - 1
	s := f / (2 + f)
	z := float64(s * s)
	r := math.FMA(1.479819860511658591e-01, z, 1.531383769920937332e-01)
	r = math.FMA(r, z, 1.818357216161805012e-01)
	r = math.FMA(r, z, 2.222219843214978396e-01)
	r = math.FMA(r, z, 2.857142874366239149e-01)
	r = math.FMA(r, z, 3.999999999940941908e-01)
	r = math.FMA(r, z, 6.666666666666735130e-01)
	r = float64(r * z)
	half := float64(float64(0.5*f) * f)
	e := float64(k)
	const hi, lo = 6.93147180369123816490e-01, 1.90821492927058770002e-10
	return math.FMA(e, hi, -((half - math.FMA(s, half+r, float64(e*lo))) - f))
}

// parts is math.Frexp for positive finite y, in line for normal ones.
func parts(y float64) (m float64, k int) {
	const exponent, half = 0x7ff << 52, 0x3fe << 52
	b := math.Float64bits(y)
	if b < 1<<52 {
		return math.Frexp(y)
	}
	return math.Float64frombits(b&^exponent | half), int(b>>52) - 0x3fe
}
