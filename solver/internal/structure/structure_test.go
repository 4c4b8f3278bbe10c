package structure

import (
	"math"
	"testing"
)

// TestRounding checks zeros, ties, signed ties and contradictory ties.
func TestRounding(t *testing.T) {
	x := []float64{1, 1.1, -0.9, 0.001, 5, 6}
	zero := []bool{false, false, false, true, false, false}
	ties := []tie{{0, 1, 1}, {1, 2, -1}, {4, 5, 1}, {5, 4, -1}}
	s := &Structure{zero, ties}
	got := s.Ties(x)
	want := []float64{1, 1, -1, 0, 0, 0}
	for j := range want {
		if math.Abs(got[j]-want[j]) > 1e-15 {
			t.Errorf("Ties = %v, want %v", got, want)
			break
		}
	}
	if got[0] != got[1] || got[0] != -got[2] {
		t.Error("tied coordinates are not exactly equal")
	}
	if z := s.Zeros(x); z[3] != 0 || z[0] != 1 {
		t.Errorf("Zeros = %v", z)
	}
}
