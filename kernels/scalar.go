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

// log1pUnit returns log(1+e) for e in [0, 1], within 0.9 ulp.
//
// If e < 1/2, then f = e; otherwise f = (e-1)/2, and ln 2 is added to the result. With s = f/(2+f),
// log(1+f) = f - (f²/2 - s (f²/2 + R(s²))). This is the reduction of FreeBSD's s_log1p.c, with a
// polynomial R refitted to |s| <= 1/5.
func log1pUnit(e float64) float64 {
	f, hi, lo := e, 0.0, 0.0
	if e >= 0.5 {
		f, hi, lo = float64((e-1)*0.5), ln2Hi, ln2Lo
	}
	s := f / (f + 2)
	z := float64(s * s)
	z2 := float64(z * z)
	z4 := float64(z2 * z2)
	p0 := math.FMA(math.FMA(log3, z, log2), z2, math.FMA(log1, z, log0))
	p1 := math.FMA(math.FMA(log7, z, log6), z2, math.FMA(log5, z, log4))
	h := float64(float64(f*0.5) * f)
	hr := math.FMA(math.FMA(p1, z4, p0), z, h)
	return hi + (f - (h - math.FMA(s, hr, lo)))
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
	slope, _ := logistic(margin, label)
	return slope
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
