package term

import (
	"math"
	"math/big"
	"slices"
	"testing"
)

// TestSurplus compares surplus with its series, summed in 200 bits, for |u| ≤ 0.3, and with its definition
// for other u.
func TestSurplus(t *testing.T) {
	for _, u := range []float64{1e-300, 1e-160, 1e-9, -1e-9, 1e-3, -1e-3, 0.03, 0.0312, 0.0313, -0.0312, -0.0313, 0.1, -0.3} {
		if got, want := surplus(u), bigSurplus(u); math.Abs(got-want) > 1e-12*want {
			t.Errorf("surplus(%v) = %v, want %v", u, got, want)
		}
	}
	for _, u := range []float64{-0.999999, -0.5, 0.5, 3, 1e5, 1e200} {
		if got, want := surplus(u), (1+u)*math.Log1p(u)-u; math.Abs(got-want) > 1e-12*want {
			t.Errorf("surplus(%v) = %v, want %v", u, got, want)
		}
	}
	if surplus(-1) != 1 || surplus(0) != 0 {
		t.Error("surplus at its ends")
	}
}

func bigSurplus(u float64) float64 {
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

// TestFenchel checks that Fenchel returns φ(t) + φ*(α) − αt. If α = φ'(t), the result must be almost 0.
func TestFenchel(t *testing.T) {
	check := func(loss Loss, b, m, a float64, slope []float64) {
		lo, hi := loss.SlopeRange(b)
		if math.IsInf(a, 0) || math.IsNaN(a) || a < lo || a > hi {
			return
		}
		got := loss.Fenchel([]float64{a}, slope, []float64{m}, []float64{b}, []float64{1})
		want := loss.Value(m, b) + loss.Conjugate(a, b) - a*m
		tolerance := 1e-300
		if loss.Traits().Labels == Counts {
			tolerance = math.Max(tolerance, 1e-15*b)
		}
		if !(got >= 0) || math.Abs(got-want) > 1e-13*(1+math.Abs(m)+loss.Value(m, b)) || a == slope[0] && got > tolerance {
			t.Errorf("%T b=%v t=%v α=%v: %v, want %v", loss, b, m, a, got, want)
		}
	}
	for _, loss := range append(slices.Clone(losses), Huber{Delta: 0.8}) {
		for _, m := range []float64{-800, -40, -3, -0.5, 0, 0.2, 1, 2, 36, 750} {
			for _, b := range labelsFor(loss) {
				checkAlphas(check, loss, b, m)
			}
		}
	}
}

func checkAlphas(check func(loss Loss, b, m, a float64, slope []float64), loss Loss, b, m float64) {
	slope := make([]float64, 1)
	loss.Slopes(slope, []float64{m}, []float64{b})
	lo, hi := loss.SlopeRange(b)
	for _, a := range []float64{slope[0], 0, lo, hi, (lo + hi) / 2, -b * 1e-9, -b * 0.3} {
		check(loss, b, m, a, slope)
	}
}
