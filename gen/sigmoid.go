package gen

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
)

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
	return e.logSum(f, e.keep(e, atLeastHalf, e.constantVec("one")))
}

// logSum returns log(1+f) + n ln 2, as logSum of package kernels does.
func (e *emitter) logSum(f, n vec) vec {
	// s = f/(2+f), z = s², and p is the polynomial in z with the coefficients log0 to log7.
	s := e.div(f, e.addK(f, "two"))
	z := e.mul(s, s)
	z2 := e.mul(z, z)
	p := e.polynomial8("log", z, z2)
	// The result is n ln2Hi + (f - (h - (s (h + z p) + n ln2Lo))) with h = f²/2, and s, z and p as above.
	// ln2Hi + ln2Lo is ln 2.
	h := e.mul(e.mulK(f, "half"), f)
	e.fma(p, z, h)
	e.fma(p, s, e.mulK(n, "ln2Lo"))
	sum := e.sub(f, e.sub(h, p))
	e.accK(sum, n, "ln2Hi")
	return sum
}

// polynomial8 returns the polynomial in x with 8 terms, from x⁰ to x⁷. The coefficient of the k-th power is
// the constant whose name is the given one followed by k. x2 is x².
func (e *emitter) polynomial8(name string, x, x2 vec) vec {
	linear := func(k int) vec { return e.linear(fmt.Sprint(name, k+1), fmt.Sprint(name, k), x) }
	p0, p01 := linear(2), linear(0)
	e.fma(p0, x2, p01)
	p1, p11 := linear(6), linear(4)
	e.fma(p1, x2, p11)
	e.fma(p1, e.mul(x2, x2), p0)
	return p1
}

// logNormal returns log y for positive normal numbers, as logNormal of package kernels does.
func (e *emitter) logNormal(y vec) vec {
	b := e.addBitsK(y, "sqrtHalfBias") // the exponent bits of b are n + 1023
	exponent := e.vector(e)
	e.VPSRLQ(operand.Imm(52), b, exponent)
	// With the integer n + 1023 in its last bits, 2^52 becomes 2^52 + n + 1023. To get n, subtract
	// 2^52 + 1023.
	n := e.subK(e.orK(exponent, "integerBits"), "integerBias")
	return e.logSum(e.subK(e.addBitsK(e.andK(b, "mantissaBits"), "sqrtHalf"), "one"), n)
}

// entropyTerm returns v log(v/s) - w, as EntropyTerm of package kernels does. The arguments are in memory,
// because AVX2 has too few registers; minusW is -w. scratch is memory for one vector. Lanes in which v is
// near s use the series of entropySeries; if all lanes do, the emitted code skips the logarithm. logRatio
// emits the code for log(v/s).
func (e *emitter) entropyTerm(v, s, minusW, scratch operand.Mem, logRatio func() vec) vec {
	load := func(m operand.Mem) vec { return e.load(e, m, nil) }
	relative := func() vec { return e.binary(e.VDIVPD, load(minusW), s) }
	isNear := func(x vec) mask {
		return e.compare(e, greater, e.andK(x, "absBits"), e.constantVec("entropyReach"))
	}
	x := relative()
	term := e.mul(e.mul(x, load(minusW)), e.polynomial8("entropy", x, e.mul(x, x)))
	allNear := e.label("near")
	e.jumpIfAll(e, isNear(x), allNear)
	e.VMOVUPD(term, scratch)
	t := logRatio()
	e.fma(t, load(v), load(minusW))
	t = e.max(e.zero(), t)
	e.VMOVAPD(e.choose(e, isNear(relative()), load(scratch), t), term)
	e.placeLabel(allNear)
	return term
}

// logRatio returns log(v/s), or the logarithm of the smallest normal number if v/s is below that number.
func (e *emitter) logRatio(v, s operand.Mem) vec {
	return e.logOrLeast(e.binary(e.VDIVPD, e.load(e, v, nil), s))
}

// logOrLeast returns log(x), or the logarithm of the smallest normal number if x is below that number.
func (e *emitter) logOrLeast(x vec) vec { return e.logNormal(e.max(x, e.constantVec("minNormal"))) }

// exp returns exp(t), as Exp of package kernels does.
func (e *emitter) exp(t vec) vec {
	x := e.expNeg(e.andK(t, "absBits"))
	return e.choose(e, e.compare(e, greater, e.zero(), t), e.div(e.constantVec("one"), x), x)
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
