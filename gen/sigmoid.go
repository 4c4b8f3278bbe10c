package gen

import "github.com/mmcloughlin/avo/operand"

// linear returns FMA(c1, x, c0) for the constants with the names c1 and c0.
func (e *emitter) linear(c1, c0 string, x vec) vec {
	p := e.constantVec(c1)
	e.fmaK(p, x, c0)
	return p
}

// expNeg returns exp(-a) for a >= 0, as ExpNeg of package kernels defines it.
func (e *emitter) expNeg(a vec) vec {
	// n = round(a/ln 2), r = n ln 2 - a.
	a = e.min(e.constantVec("expMax"), a)
	t := e.constantVec("negLog2E")
	e.fmaK(t, a, "expMagic")
	n := e.sub(e.constantVec("expMagic"), t)
	r := e.constantVec("ln2Hi")
	e.VFMSUB213PD(a, n, r)
	e.accK(r, n, "ln2Lo")
	// exp(r) - 1 = r + r² Q(r), where Q is the polynomial with the coefficients exp0 to exp9.
	r2 := e.mul(r, r)
	lo := e.linear("exp1", "exp0", r)
	e.fma(lo, r2, r)
	q0, q01 := e.linear("exp5", "exp4", r), e.linear("exp3", "exp2", r)
	e.fma(q0, r2, q01)
	q1, q11 := e.linear("exp9", "exp8", r), e.linear("exp7", "exp6", r)
	e.fma(q1, r2, q11)
	r4 := e.mul(r2, r2)
	e.fma(q1, r4, q0)
	e.fma(q1, r4, lo)
	// exp(-a) = 2^-n + 2^-n (exp(r) - 1). The shift sets t to 2^-n.
	e.VPSLLQ(operand.Imm(52), t, t)
	e.fma(q1, t, t)
	return q1
}

// log1pUnit returns log(1+x) for x in [0, 1], as log1pUnit of package kernels does.
func (e *emitter) log1pUnit(x vec) vec {
	// If x < 1/2, f is x. Otherwise f is (x-1)/2, and ln 2 is added to the result.
	atLeastHalf := e.compare(e, greaterOrEqual, e.constantVec("half"), x)
	f := e.choose(e, atLeastHalf, e.mulK(e.subK(x, "one"), "half"), x)
	// s = f/(2+f), z = s², and p is the polynomial in z with the coefficients log0 to log7.
	s := e.div(f, e.addK(f, "two"))
	z := e.mul(s, s)
	z2 := e.mul(z, z)
	p0, p01 := e.linear("log3", "log2", z), e.linear("log1", "log0", z)
	e.fma(p0, z2, p01)
	p1, p11 := e.linear("log7", "log6", z), e.linear("log5", "log4", z)
	e.fma(p1, z2, p11)
	e.fma(p1, e.mul(z2, z2), p0)
	// The result is hi + (f - (h - (s (h + z p) + lo))) with h = f²/2, and s, z and p as above. hi + lo is
	// ln 2 if f = (x-1)/2, and 0 if f = x.
	h := e.mul(e.mulK(f, "half"), f)
	e.fma(p1, z, h)
	e.fma(p1, s, e.keep(e, atLeastHalf, e.constantVec("ln2Lo")))
	return e.add(e.keep(e, atLeastHalf, e.constantVec("ln2Hi")), e.sub(f, e.sub(h, p1)))
}

// logisticExp returns z = b*t and exp(-|z|) for margin t and label b.
func (e *emitter) logisticExp(t, b vec) (z, x vec) {
	z = e.mul(b, t)
	return z, e.expNeg(e.andK(z, "absBits"))
}

// logisticSlope returns -b x/(1+x) if z > 0 and -b/(1+x) otherwise, for x = exp(-|z|).
func (e *emitter) logisticSlope(z, x, b vec) vec {
	positive := e.compare(e, greater, e.zero(), z)
	num := e.choose(e, positive, x, e.constantVec("one"))
	return e.div(e.mul(e.xorK(b, "signBit"), num), e.addK(x, "one"))
}

// logisticLoss returns max(-z, 0) + log(1+x) for x = exp(-|z|).
func (e *emitter) logisticLoss(z, x vec) vec {
	zero := e.zero()
	return e.add(e.max(e.sub(zero, z), zero), e.log1pUnit(x))
}
