package kernels

import "math"

// ExpNeg returns exp(-a) for a in [0, 708], within 1.25 ulp, and NaN for NaN.
// Larger a are taken as 708, to avoid subnormal results.
//
//	n = round(a/ln 2), r = n ln 2 - a, exp(-a) = 2^-n exp(r), |r| <= ln(2)/2
//
// The rounding adds 1.5*2^52 to -a/ln 2, so that the low bits of the sum hold -n. The exponent bias is
// added in the same step, so that 2^-n needs only a shift.
func ExpNeg(a float64) float64 {
	if a > expMax {
		a = expMax
	}
	t := math.FMA(a, negLog2E, expMagic)
	n := expMagic - t
	r := math.FMA(n, ln2Lo, math.FMA(n, ln2Hi, -a))
	r2 := float64(r * r)
	r4 := float64(r2 * r2)
	lo := math.FMA(math.FMA(exp1, r, exp0), r2, r)
	q0 := math.FMA(math.FMA(exp5, r, exp4), r2, math.FMA(exp3, r, exp2))
	q1 := math.FMA(math.FMA(exp9, r, exp8), r2, math.FMA(exp7, r, exp6))
	s := math.FMA(math.FMA(q1, r4, q0), r4, lo)
	power := math.Float64frombits(math.Float64bits(t) << 52)
	return math.FMA(s, power, power)
}

// Exp returns e^t, within 2 ulp if |t| <= 708, and NaN for NaN. It is constant above 708 and below -708.
func Exp(t float64) float64 {
	x := ExpNeg(math.Abs(t))
	if t > 0 {
		return 1 / x
	}
	return x
}

// logistic returns the derivative of the loss log(1+exp(-label*margin)) with respect to the margin, and the
// loss.
func logistic(margin, label float64) (slope, loss float64) {
	z := float64(label * margin)
	e := ExpNeg(math.Abs(z))
	neg := 0.0
	if z < 0 {
		neg = -z
	}
	return logisticSlopeAt(z, e, label), neg + log1pUnit(e)
}

// logisticSlopeAt returns the derivative of the logistic loss with respect to the margin. The caller
// gives z = label*margin and e = exp(-|z|).
func logisticSlopeAt(z, e, label float64) float64 {
	num := 1.0
	if z > 0 {
		num = e
	}
	return float64(-label*num) / (1 + e)
}

// LogisticSlope returns the derivative of the logistic loss
// log(1+exp(-label*margin)) with respect to the margin, for a label of -1 or
// +1. It is the scalar reference for the slopes of LogisticSlopes.
func LogisticSlope(margin, label float64) float64 {
	z := float64(label * margin)
	return logisticSlopeAt(z, ExpNeg(math.Abs(z)), label)
}

// LogisticLoss returns log(1+exp(-label*margin)) for a label of -1 or +1. It
// is the scalar reference for the losses that LogisticSlopes adds up.
func LogisticLoss(margin, label float64) float64 {
	_, loss := logistic(margin, label)
	return loss
}

// Sigmoid returns 1/(1+exp(-x)), the probability of the label +1 at margin x.
// Below x = -708 it stays at exp(-708), about 3e-308.
func Sigmoid(x float64) float64 {
	e := ExpNeg(math.Abs(x))
	num := e
	if x > 0 {
		num = 1
	}
	return num / (1 + e)
}

// EntropyTerm returns v log(v/s) - w for v = s + w, v >= 0 and s > 0. The result is not negative. The sum of
// such terms is the relative entropy of the numbers v and s, if the sum of the s is 1 and the sum of the w is
// 0. The relative error is below 1e-12, also for small w; the caller gives w because v - s can lose digits.
// s must be at least exp(-708), and v/s must not overflow.
func EntropyTerm(v, s, w float64) float64 {
	// v is s(1-x), so the result is s((1-x) log(1-x) + x).
	x := -w / s
	if math.Abs(x) < entropyReach {
		return float64(float64(x*-w) * entropySeries(x))
	}
	ratio := v / s
	if !(ratio > minNormal) {
		ratio = minNormal
	}
	t := math.FMA(v, logNormal(ratio, 0), -w)
	if 0 > t {
		t = 0
	}
	return t
}

// entropySeries returns ((1-x) log(1-x) + x)/x² for |x| < entropyReach. This is the sum of x^m/((m+1)(m+2))
// over all m >= 0; the terms from m = 8 on are less than 3e-14 of the sum and are left out.
func entropySeries(x float64) float64 {
	x2 := float64(x * x)
	p0 := math.FMA(math.FMA(entropy3, x, entropy2), x2, math.FMA(entropy1, x, entropy0))
	p1 := math.FMA(math.FMA(entropy7, x, entropy6), x2, math.FMA(entropy5, x, entropy4))
	return math.FMA(p1, float64(x2*x2), p0)
}

// logisticFenchel returns the Fenchel term of one sample (see LogisticFenchel), which is the relative entropy
//
//	q log(q/s) + r log(r/c),   q = -label*alpha,  r = 1-q,  s = |slope|,  c = 1-s
//
// Let z = label*margin, and w = q-s = c-r. The code computes w from s or from c: from the smaller of the two,
// because its rounding error is smaller. The logarithm of the smaller one is about -|z|. ExpNeg takes no
// number above expMax = 708, so for a larger |z| the computed logarithm is about -708. The variable beyond is
// then the difference, |z| - 708.
func logisticFenchel(alpha, margin, label float64) float64 {
	z, q := float64(label*margin), float64(-label*alpha)
	e := ExpNeg(math.Abs(z))
	r, s, c := 1-q, 1/(1+e), e/(1+e)
	w, factor := c-r, r // factor multiplies the logarithm of the smaller one
	if z > 0 {
		s, c = c, s
		w, factor = q-s, q
	}
	beyond := math.Abs(z) - expMax
	if 0 > beyond {
		beyond = 0
	}
	return EntropyTerm(q, s, w) + EntropyTerm(r, c, -w) + float64(factor*beyond)
}

// PoissonLoss returns q (log q - margin) - q + rate for a label q >= 0 and rate = Exp(margin), with 0 log 0 =
// 0. It is the scalar reference for the losses that PoissonSlopes adds up. The result is not negative. For
// |margin| <= 708 the error is small relative to the loss for the rounded rate, also where q is near the
// rate.
func PoissonLoss(margin, q float64) float64 { return poissonTerm(q, Exp(margin), margin) }

// poissonTerm is PoissonLoss for rate = Exp(margin).
func poissonTerm(q, rate, margin float64) float64 {
	w := q - rate
	if !(q > float64(farRatio*rate)) {
		return EntropyTerm(q, rate, w)
	}
	t := math.FMA(q, logNormal(max(q, minNormal), 0)-margin, -w)
	if 0 > t {
		t = 0
	}
	return t
}
