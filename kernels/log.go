package kernels

import "math"

// Log returns log y for a positive finite y, by the reduction y = 2^k (1+f) and the
// polynomial of FreeBSD's e_log.c. math.Log is not used because its bits differ between
// architectures.
func Log(y float64) float64 {
	m, k := frexp(y)
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
	halfSquare := float64(float64(0.5*f) * f)
	e := float64(k)
	const hi, lo = 6.93147180369123816490e-01, 1.90821492927058770002e-10
	return math.FMA(e, hi, -((halfSquare - math.FMA(s, halfSquare+r, float64(e*lo))) - f))
}

// frexp is math.Frexp for positive finite y, without a function call if y is a normal number.
func frexp(y float64) (m float64, k int) {
	const exponentBits, halfBits = 0x7ff << 52, 0x3fe << 52
	b := math.Float64bits(y)
	if b < 1<<52 {
		return math.Frexp(y)
	}
	return math.Float64frombits(b&^exponentBits | halfBits), int(b>>52) - 0x3fe
}
