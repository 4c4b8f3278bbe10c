package admm

import (
	"math"
	"testing"
)

// TestEndWeights checks that the weight of w_M is s/(2η) with s = η/(1 − ν_L η/2), and that the weights of
// w_0 and w_M add up to 1. For η = 1/ν_L, the weight of w_0 must be 0, and the weight of w_M must be 1.
func TestEndWeights(t *testing.T) {
	first, last := endWeights(0.25, 4)
	if first != 0 || last != 1 {
		t.Errorf("at eta = 1/nu_L the weights are %v, %v; want 0, 1", first, last)
	}
	for _, h := range []float64{0, 0.1, 0.5, 0.99, 1, 1.7} {
		first, last = endWeights(h, 1)
		if first < 0 || math.Abs(first+last-1) > 1e-15 {
			t.Errorf("eta nu = %v: weights %v, %v are not a convex combination", h, first, last)
		}
		if h <= 1 {
			s := h / (1 - h/2)
			if h > 0 && math.Abs(last-s/(2*h)) > 1e-15 {
				t.Errorf("eta nu = %v: weight of w_M is %v, want s/(2 eta) = %v", h, last, s/(2*h))
			}
		}
	}
}
