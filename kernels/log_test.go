package kernels

import (
	"math"
	"math/big"
	"testing"
)

func TestLogarithm(t *testing.T) {
	for _, y := range []float64{1, 2, 0.5, math.Sqrt2, 1 + 1e-9, 1 - 1e-9, 3e300, 3e-308, 0.7071, 1.4143, 1e-16, 12345.678} {
		if got, want := Log(y), math.Log(y); math.Abs(got-want) > 2.5e-16*math.Abs(want) {
			t.Errorf("Log(%v) = %v, want %v", y, got, want)
		}
	}
}

// TestLogarithmLimits checks Log for 0, +Inf and the finite numbers next to them.
func TestLogarithmLimits(t *testing.T) {
	for y, want := range map[float64]float64{
		0: -1023 * math.Ln2, 0x1p-1074: -1074 * math.Ln2, minNormal: -1022 * math.Ln2,
		math.MaxFloat64: 1024 * math.Ln2, math.Inf(1): 1024 * math.Ln2,
	} {
		if got := Log(y); math.Abs(got-want) > 1e-12 {
			t.Errorf("Log(%v) = %v, want %v", y, got, want)
		}
	}
}

// TestEntropyTerm compares EntropyTerm(1+u, 1, u) with its series, summed in 200 bits, for |u| ≤ 0.3, and
// with its definition for other u.
func TestEntropyTerm(t *testing.T) {
	check := func(v, s, w, want float64) {
		if got := EntropyTerm(v, s, w); !(math.Abs(got-want) <= 1e-12*want) {
			t.Errorf("EntropyTerm(%v, %v, %v) = %v, want %v", v, s, w, got, want)
		}
	}
	for _, u := range []float64{0, 1e-160, 1e-9, -1e-9, 1e-3, -1e-3, 0.03, 0.0312, 0.0313, -0.0312, -0.0313, 0.1, -0.3} {
		check(1+u, 1, u, entropyOf(u))
		check(0x1p-900*(1+u), 0x1p-900, 0x1p-900*u, 0x1p-900*entropyOf(u))
	}
	for _, u := range []float64{-0.999999, -0.5, 0.5, 3, 1e5, 1e200} {
		check(1+u, 1, u, (1+u)*math.Log1p(u)-u)
	}
	check(0, 0.3, -0.3, 0.3)
	check(1, 0x1p-1020, 1, 1020*math.Ln2-1)
}

// entropyOf returns (1+u) log(1+u) - u, the sum of (-u)^m/(m(m-1)) over m ≥ 2.
func entropyOf(u float64) float64 {
	const bits = 200
	x := new(big.Float).SetPrec(bits).SetFloat64(-u)
	power, sum := new(big.Float).SetPrec(bits).Mul(x, x), new(big.Float).SetPrec(bits)
	for m := int64(2); m < 300; m++ {
		sum.Add(sum, new(big.Float).SetPrec(bits).Quo(power, new(big.Float).SetInt64(m*(m-1))))
		power.Mul(power, x)
	}
	v, _ := sum.Float64()
	return v
}
