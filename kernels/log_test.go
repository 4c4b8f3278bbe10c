package kernels

import (
	"math"
	"testing"
)

func TestLogarithm(t *testing.T) {
	for _, y := range []float64{1, 2, 0.5, math.Sqrt2, 1 + 1e-9, 1 - 1e-9, 3e300, 3e-308, 0.7071, 1.4143, 1e-16, 12345.678} {
		if got, want := Log(y), math.Log(y); math.Abs(got-want) > 2.5e-16*math.Abs(want) {
			t.Errorf("Log(%v) = %v, want %v", y, got, want)
		}
	}
}
