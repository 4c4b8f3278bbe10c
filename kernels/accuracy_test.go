package kernels

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// Bounds slightly above the largest errors measured at the margins that testMargins returns, in units in the
// last place (ulp).
const (
	expULP     = 1.25
	log1pULP   = 0.9
	slopeULP   = 2.1
	sigmoidULP = 2.1
	lossULP    = 1.6
)

const bigPrec = 160 // mantissa bits of the numbers with which results are compared

func bigFloat(x float64) *big.Float { return new(big.Float).SetPrec(bigPrec).SetFloat64(x) }

// bigExp returns exp(x): the sum of the exponential series at x/2^k, squared k times.
func bigExp(x *big.Float) *big.Float {
	const k = 24
	r := new(big.Float).SetPrec(bigPrec+40).SetMantExp(x, -k)
	sum, term := bigFloat(1).SetPrec(bigPrec+40), bigFloat(1).SetPrec(bigPrec+40)
	for i := 1; i < 16; i++ {
		term.Mul(term, r).Quo(term, bigFloat(float64(i)))
		sum.Add(sum, term)
	}
	for range k {
		sum.Mul(sum, sum)
	}
	return sum
}

// bigLog1p returns log(1+e) for 0 < e <= 1 as 2 artanh(e/(2+e)).
func bigLog1p(e *big.Float) *big.Float {
	s := new(big.Float).Quo(e, new(big.Float).Add(e, bigFloat(2)))
	s2 := new(big.Float).Mul(s, s)
	sum, power := new(big.Float).Set(s), new(big.Float).Set(s)
	for i := 3; power.MantExp(nil) > sum.MantExp(nil)-bigPrec; i += 2 {
		power.Mul(power, s2)
		sum.Add(sum, new(big.Float).Quo(power, bigFloat(float64(i))))
	}
	return sum.Add(sum, sum)
}

// ulps returns the distance of got from want in units in the last place of the
// float64 nearest to want.
func ulps(got float64, want *big.Float) float64 {
	w, _ := want.Float64()
	ulp := math.Nextafter(math.Abs(w), math.Inf(1)) - math.Abs(w)
	d, _ := new(big.Float).Sub(bigFloat(got), want).Float64()
	return math.Abs(d) / ulp
}

// testMargins returns margins z >= 0: many where the functions have the largest curvature, some around the
// points where the argument reduction and log1p change branch, and some at all scales.
func testMargins() []float64 {
	rng := rand.New(rand.NewPCG(21, 1))
	var g []float64
	for range 6000 {
		g = append(g, 2*rng.Float64(), 40*rng.Float64(), 708*rng.Float64())
	}
	for k := range 1021 {
		edge := (float64(k) + 0.5) * math.Ln2
		g = append(g, edge, math.Nextafter(edge, 0), math.Nextafter(edge, 1000))
	}
	for i := range 2000 {
		g = append(g, math.Ln2+(float64(i)-1000)*1e-6)
	}
	for e := -60; e < 1; e++ {
		g = append(g, math.Ldexp(1+rng.Float64(), e))
	}
	return append(g, 0, 708, math.SmallestNonzeroFloat64, 1e-300)
}

func TestULP(t *testing.T) {
	var maxErr struct{ exp, inverse, log1p, slope, sigmoid, loss float64 }
	one := bigFloat(1)
	for i, z := range testMargins() {
		if z > 708 || testing.Short() && i%8 > 0 {
			continue
		}
		e := bigExp(bigFloat(-z))
		sum := new(big.Float).Add(one, e)
		sigmoidNeg, sigmoidPos := new(big.Float).Quo(e, sum), new(big.Float).Quo(one, sum)
		lossPos := bigLog1p(e)
		lossNeg := new(big.Float).Add(lossPos, bigFloat(z))
		maxErr.exp = max(maxErr.exp, ulps(ExpNeg(z), e), ulps(Exp(-z), e))
		maxErr.inverse = max(maxErr.inverse, ulps(Exp(z), new(big.Float).Quo(one, e)))
		expFloat, _ := e.Float64()
		maxErr.log1p = max(maxErr.log1p, ulps(log1pUnit(expFloat), bigLog1p(bigFloat(expFloat))))
		for _, b := range []float64{-1, 1} {
			slopeErr := max(ulps(-b*LogisticSlope(b*z, b), sigmoidNeg), ulps(-b*LogisticSlope(-b*z, b), sigmoidPos))
			maxErr.slope = max(maxErr.slope, slopeErr)
			maxErr.loss = max(maxErr.loss, ulps(LogisticLoss(b*z, b), lossPos), ulps(LogisticLoss(-b*z, b), lossNeg))
		}
		maxErr.sigmoid = max(maxErr.sigmoid, ulps(Sigmoid(z), sigmoidPos), ulps(Sigmoid(-z), sigmoidNeg))
	}
	t.Logf("largest errors in ulp: exp %.3f, 1/exp %.3f, log1p %.3f, slope %.3f, sigmoid %.3f, loss %.3f",
		maxErr.exp, maxErr.inverse, maxErr.log1p, maxErr.slope, maxErr.sigmoid, maxErr.loss)
	for _, c := range []struct {
		name       string
		got, bound float64
	}{
		{"exp", maxErr.exp, expULP}, {"1/exp", maxErr.inverse, 2},
		{"log1p", maxErr.log1p, log1pULP}, {"slope", maxErr.slope, slopeULP},
		{"sigmoid", maxErr.sigmoid, sigmoidULP}, {"loss", maxErr.loss, lossULP},
	} {
		if !(c.got <= c.bound) || c.got == 0 {
			t.Errorf("%s: largest error %.3f ulp, want at most %v and not exactly zero", c.name, c.got, c.bound)
		}
	}
}

func TestScalarSpecials(t *testing.T) {
	tiny := ExpNeg(708)
	if r := tiny / math.Exp(-708); !(math.Abs(r-1) < 1e-12) {
		t.Errorf("exp(-708) = %v", tiny)
	}
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct{ margin, label, slope, loss, sigmoid float64 }{
		{0, 1, -0.5, math.Ln2, 0.5},
		{0, -1, 0.5, math.Ln2, 0.5},
		{math.Copysign(0, -1), 1, -0.5, math.Ln2, 0.5},
		{1000, 1, -tiny, tiny, 1},
		{inf, 1, -tiny, tiny, 1},
		{-1000, 1, -1, 1000, tiny},
		{-inf, 1, -1, inf, tiny},
		{1000, -1, 1, 1000, 1},
		{inf, -1, 1, inf, 1},
		{-inf, -1, tiny, tiny, tiny},
		{nan, 1, nan, nan, nan},
		{1e-320, 1, -0.5, math.Ln2, 0.5},
	} {
		sameScalar(t, "slope", LogisticSlope(c.margin, c.label), c.slope)
		sameScalar(t, "loss", LogisticLoss(c.margin, c.label), c.loss)
		sameScalar(t, "sigmoid", Sigmoid(c.margin), c.sigmoid)
	}
}

// compensatedSum returns the sum of the n products x*y, computed with twice the precision of float64. The
// function factors returns x and y. bound is an upper bound for the rounding error of the same sum in
// float64, in any order.
func compensatedSum(n int, factors func(k int) (x, y float64)) (sum, bound float64) {
	var correction, size float64
	for k := range n {
		x, y := factors(k)
		p := float64(x * y)
		e := math.FMA(x, y, -p)
		s := sum + p
		b := s - sum
		correction += ((sum - (s - b)) + (p - b)) + e
		sum = s
		size += math.Abs(p)
	}
	const u = 0x1p-53
	m := float64(n + 8)
	return sum + correction, m * u / (1 - m*u) * size
}

func checkWithin(t *testing.T, name string, got, want, bound float64) {
	t.Helper()
	if !(math.Abs(got-want) <= bound) {
		t.Errorf("%s = %v, want %v ± %.2g", name, got, want, bound)
	}
}

func TestReferenceSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 1))
	for _, n := range lengths {
		s := sources[0]
		x, y := s.vector(rng, n), s.vector(rng, n)
		want, bound := compensatedSum(n, func(k int) (float64, float64) { return x[k], y[k] })
		checkWithin(t, "Dot", Dot(x, y), want, bound)
		abs(x)
		abs(y)
		want, bound = compensatedSum(n, func(k int) (float64, float64) { return x[k], y[k] })
		checkWithin(t, "Dot of positive vectors", Dot(x, y), want, bound)

		a, w := rowsOf(rng, s, []int{n}, n+1), s.vector(rng, n+1)
		dst := make([]float64, 1)
		Margins(dst, a, w)
		want, bound = compensatedSum(n, func(k int) (float64, float64) { return a.Val[3+k], w[a.Idx[3+k]] })
		checkWithin(t, "Margins", dst[0], want, bound)

		slope := make([]float64, n)
		loss := SquaredSlopes(slope, x, y)
		want, bound = compensatedSum(n, func(k int) (float64, float64) { return x[k] - y[k], x[k] - y[k] })
		checkWithin(t, "squared loss", loss, want, bound)
		loss = LogisticSlopes(nil, x, labels(rand.New(rand.NewPCG(1, 1)), n))
		b := labels(rand.New(rand.NewPCG(1, 1)), n)
		want, bound = compensatedSum(n, func(k int) (float64, float64) { return LogisticLoss(x[k], b[k]), 1 })
		checkWithin(t, "logistic loss", loss, want, bound)
	}
}

func TestReferenceProx(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 1))
	const n, rho = 4099, 0.75
	lim := abs(sources[0].vector(rng, n))
	beta, y, ax := sources[0].vector(rng, n), sources[0].vector(rng, n), sources[0].vector(rng, n)
	v := make([]float64, n)
	for i := range v {
		v[i] = math.FMA(rho, ax[i], beta[i])
	}
	ProxDual(beta, y, ax, lim, rho)
	for i := range v {
		b := max(min(v[i], lim[i]), -lim[i])
		if beta[i] != b {
			t.Fatalf("beta[%d] = %v, want %v", i, beta[i], b)
		}
		// Three roundings: of 1/rho and of the product in ProxDual, and of the quotient here.
		checkWithin(t, "y", y[i], (v[i]-b)/rho, 3*0x1.01p-53*math.Abs(y[i]))
	}
}
