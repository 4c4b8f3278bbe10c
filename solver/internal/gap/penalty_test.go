package gap

import (
	"math"
	"testing"
)

func TestCancels(t *testing.T) {
	const x = 1.345114
	for _, c := range []struct {
		val, x []float64
		want   bool
	}{
		{[]float64{1.5, -1.5}, []float64{x, x}, true},
		{[]float64{1.5, 1.5}, []float64{x, -x}, true},
		{[]float64{1.5, 1, 2}, []float64{0, 0, 0}, true},
		{[]float64{1.5, 2, -1.5}, []float64{x, 0, x}, true},
		{[]float64{1.5, -1.5}, []float64{x, -x}, false},
		{[]float64{1.5, -1.5}, []float64{x, math.Nextafter(x, 3)}, false}, // the rounded products are equal
		{[]float64{1.5, 0.75}, []float64{x, -2 * x}, false},
		{[]float64{1, -1, 1}, []float64{x, x, x}, false},
		{[]float64{1, 1}, []float64{x, 0}, false},
	} {
		if got := cancels([]int32{0, 1, 2}[:len(c.val)], c.val, c.x); got != c.want {
			t.Errorf("%v times %v: %v, want %v", c.val, c.x, got, c.want)
		}
	}
}

// TestMarginErrorCost checks that the cost is infinite if the second derivative has no bound and the error of
// a margin is above 1.
func TestMarginErrorCost(t *testing.T) {
	tally := Tally{Curvature: 1}
	if got := tally.marginErrorCost(2, 10); got != 4 {
		t.Errorf("%v, want 4", got)
	}
	tally.Unbounded = 1
	if got := tally.marginErrorCost(1, 10); got != 1 {
		t.Errorf("%v, want 1", got)
	}
	if got := tally.marginErrorCost(2, 10); !math.IsInf(got, 1) {
		t.Errorf("%v, want +Inf", got)
	}
}
