package quadratic

import (
	"math"
	"slices"
	"testing"
)

// TestStructure checks Ties and Zeros. Ties must make ties exact. Coordinates whose ties contradict each
// other must become 0.
func TestStructure(t *testing.T) {
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

func TestPartition(t *testing.T) {
	s := &Structure{[]bool{false, false, false, true, false, false, false}, []tie{{0, 1, 1}, {1, 2, -1}, {4, 5, 1}, {5, 4, -1}}}
	p := s.Partition()
	if want := []int32{0, 0, 0, -1, -1, -1, 1}; !slices.Equal(p.Group, want) || p.GroupCount != 2 {
		t.Fatalf("groups %v, want %v", p.Group, want)
	}
	x, y := make([]float64, 7), make([]float64, 2)
	p.Expand(x, []float64{2, 5})
	if x[0] != x[1] || x[0] != -x[2] || math.Abs(x[0]) != 2 || x[3] != 0 || x[6] != 5 {
		t.Errorf("Expand = %v", x)
	}
	p.Collect(y, x)
	if !slices.Equal(y, []float64{6, 5}) {
		t.Errorf("Collect = %v", y)
	}
}

// TestRepair checks that repair makes ties exact that hold up to rounding, and changes no other point.
func TestRepair(t *testing.T) {
	s := &Structure{[]bool{false, false, true}, []tie{{0, 1, 3}}} // x0 = 3 x1
	p := s.Partition()
	x := []float64{0.3, math.Nextafter(float64(p.Factor[1]*0.3), 1), 0}
	if p.Holds(x) {
		t.Fatalf("%v is exact before repair", x)
	}
	if p.repair(x); !p.Holds(x) {
		t.Errorf("%v is not exact", x)
	}
	for _, x := range [][]float64{{0.3, 0.1 + 1e-12, 0}, {0.3, 0.1, 1e-300}, {math.NaN(), 0.1, 0}, {0.3, math.NaN(), 0}} {
		before := slices.Clone(x)
		if p.repair(x); p.Holds(x) {
			t.Errorf("repair changes %v to %v", before, x)
		}
	}
}

// TestMakeExact checks that Structure.MakeExact refuses a candidate whose zeros or ties project destroys.
func TestMakeExact(t *testing.T) {
	x := []float64{1e-9, 0.5, 0.5 + 1e-9}
	s := &Structure{[]bool{true, false, false}, []tie{{1, 2, 1}}}
	value := func([]float64) float64 { return 1 }
	for _, c := range []struct {
		least []float64 // project raises each coordinate to this number
		want  bool
	}{
		{[]float64{0, 0, 0}, true},
		{[]float64{1e-3, 0, 0}, false},
		{[]float64{0, 0.7, 0}, true}, // the tie is lost, but not the zero
	} {
		got, exact := s.MakeExact(x, func(x []float64) {
			for j, least := range c.least {
				x[j] = max(x[j], least)
			}
		}, value)
		if exact != c.want || !exact && !slices.Equal(got, x) || exact && got[0] != 0 {
			t.Errorf("at least %v: %v, exact %v", c.least, got, exact)
		}
	}
}
