package kernels

import "math"

// Log returns log y for a positive finite y. math.Log is not used because its bits differ between
// architectures. Log(0) is about -709 and Log(+Inf) about 710, so a sum of logarithms stays finite if a
// product or quotient has underflowed or overflowed; smoothValue of package quadratic needs this. For a
// negative y or NaN the result is a number without meaning.
func Log(y float64) float64 {
	if y < minNormal {
		m, k := math.Frexp(y)
		return logNormal(m, float64(k))
	}
	return logNormal(y, 0)
}

const (
	minNormal = 0x1p-1022            // the smallest normal number
	sqrtHalf  = 0x1.6a09e667f3bcdp-1 // √½
)

// logNormal returns log(2^k y) for a positive normal number y. It writes y as 2^n (1+f) with √½ ≤ 1+f < √2.
func logNormal(y, k float64) float64 {
	const bias, mantissaBits = 1023 << 52, 1<<52 - 1
	sqrtHalfBits := math.Float64bits(sqrtHalf)
	b := math.Float64bits(y) + (bias - sqrtHalfBits) // the exponent bits of b are n + 1023
	f := math.Float64frombits(b&mantissaBits+sqrtHalfBits) - 1
	return logSum(f, float64(int(b>>52)-1023)+k)
}

// logSum returns log(1+f) + n ln 2 for an integer n and √½ ≤ 1+f ≤ 3/2. With s = f/(2+f),
//
//	log(1+f) = f - (f²/2 - s (f²/2 + R(s²))).
//
// This is the reduction of FreeBSD's s_log1p.c, with a polynomial R refitted to |s| <= 1/5.
func logSum(f, n float64) float64 {
	s := f / (f + 2)
	z := float64(s * s)
	z2 := float64(z * z)
	z4 := float64(z2 * z2)
	p0 := math.FMA(math.FMA(log3, z, log2), z2, math.FMA(log1, z, log0))
	p1 := math.FMA(math.FMA(log7, z, log6), z2, math.FMA(log5, z, log4))
	h := float64(float64(f*0.5) * f)
	hr := math.FMA(math.FMA(p1, z4, p0), z, h)
	return math.FMA(n, ln2Hi, f-(h-math.FMA(s, hr, float64(n*ln2Lo))))
}

// log1pUnit returns log(1+e) for e in [0, 1], within 0.9 ulp.
func log1pUnit(e float64) float64 {
	if e >= 0.5 {
		return logSum(float64((e-1)*0.5), 1)
	}
	return logSum(e, 0)
}
