package term

import (
	"math"
	"slices"
	"testing"
)

// TestFenchel checks that Fenchel returns φ(t) + φ*(α) − αt, and never a negative number. If α = φ'(t), the
// result must be almost 0.
func TestFenchel(t *testing.T) {
	check := func(loss Loss, b, m, a float64, slope []float64) {
		lo, hi := loss.SlopeRange(b)
		if math.IsInf(a, 0) || math.IsNaN(a) || a < lo || a > hi {
			return
		}
		got := loss.Fenchel([]float64{a}, []float64{m}, []float64{b}, []float64{1})
		want := loss.Value(m, b) + loss.Conjugate(a, b) - a*m
		tolerance := 1e-300
		switch loss.(type) {
		case Poisson:
			tolerance = math.Max(tolerance, 1e-15*b)
		case Logistic:
			tolerance = 0x1p-53 // α = φ'(t) is rounded, and the term at the rounded α is positive
		}
		switch {
		case !(got >= 0):
			t.Errorf("%T b=%v t=%v α=%v: %v, want a number that is not negative", loss, b, m, a, got)
		case math.Abs(got-want) > 1e-13*(1+math.Abs(m)+loss.Value(m, b)):
			t.Errorf("%T b=%v t=%v α=%v: %v, want φ(t) + φ*(α) − αt = %v", loss, b, m, a, got, want)
		case a == slope[0] && got > tolerance:
			t.Errorf("%T b=%v t=%v α=φ'(t)=%v: %v, want 0, or at most %v", loss, b, m, a, got, tolerance)
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
