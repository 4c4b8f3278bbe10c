package kernels

// Package gen reads the numbers below. The polynomials are minimax fits. Their coefficients come from a
// Remez exchange in 60-digit decimal arithmetic and are rounded to float64.

const (
	expMax   = 708                   // in exp(-a), a larger a is taken as 708, to avoid subnormal results
	expMagic = 0x1.8p52 + 1023       // adding 1.5*2^52 rounds to an integer; 1023 is the exponent bias
	negLog2E = -0x1.71547652b82fep+0 // -1.4426950408889634
	ln2Hi    = 0x1.62e42fefa38p-1    // 0.69314718055989033: ln 2 cut to 42 bits, so that n*ln2Hi is exact
	ln2Lo    = 0x1.ef35793c7673p-45  // 5.4979230187083712e-14
)

// The coefficients of a polynomial Q(r) for (exp(r)-1-r)/r² on |r| <= ln(2)/2. In exact arithmetic,
// 1 + r + r² Q(r) differs from exp(r) by at most 9.7e-18.
const (
	exp0 = 0x1.000000000000bp-01 // 0.50000000000000122
	exp1 = 0x1.5555555555561p-03 // 0.16666666666666699
	exp2 = 0x1.5555555550039p-05 // 0.04166666666651548
	exp3 = 0x1.111111110d63cp-07 // 0.0083333333333072065
	exp4 = 0x1.6c16c185a5b38p-10 // 0.001388888894700192
	exp5 = 0x1.a01a01bae197dp-13 // 0.00019841269917382143
	exp6 = 0x1.a019969778d4bp-16 // 2.4801489954995743e-05
	exp7 = 0x1.71dddfcd47b9bp-19 // 2.7557216301233543e-06
	exp8 = 0x1.28b04614baa7bp-22 // 2.7631276226675723e-07
	exp9 = 0x1.af85858a5c6a8p-26 // 2.5117861160304372e-08
)

// The coefficients of a polynomial P(s²) for (log((1+s)/(1-s))-2s)/s³ on s² <= 1/25. In exact
// arithmetic, s² times the error of P(s²) is at most 6.8e-19.
const (
	log0 = 0x1.555555555554fp-01 // 0.66666666666666596
	log1 = 0x1.999999999c0f7p-02 // 0.40000000000055941
	log2 = 0x1.24924921ec0dcp-02 // 0.28571428556007361
	log3 = 0x1.c71c7488d8a84p-03 // 0.22222224276182001
	log4 = 0x1.745c4c7afa1adp-03 // 0.18181667089744505
	log5 = 0x1.3b358bac524dcp-03 // 0.15391072387345772
	log6 = 0x1.0dcf13e1fdebp-03  // 0.13174262555525251
	log7 = 0x1.1b69eb849b37ep-03 // 0.13838562010223748
)

// If q is above farRatio times the rate, poissonTerm takes log q - margin in place of log(q/rate): the ratio
// may overflow, and below a margin of -708 the rate is too large.
const farRatio = 16

// The coefficients of entropySeries.
const (
	entropyReach = 1.0 / 32
	entropy0     = 1.0 / 2
	entropy1     = 1.0 / 6
	entropy2     = 1.0 / 12
	entropy3     = 1.0 / 20
	entropy4     = 1.0 / 30
	entropy5     = 1.0 / 42
	entropy6     = 1.0 / 56
	entropy7     = 1.0 / 72
)
