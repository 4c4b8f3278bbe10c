package pages

import "testing"

// TestMake makes slices of sizes near that of a large page, and uses every element.
func TestMake(t *testing.T) {
	for _, n := range []int{0, 1, leastSize/8 - 1, leastSize / 8, leastSize/8 + 1, 3*leastSize/8 + 5} {
		v := Make[float64](n)
		if len(v) != n || cap(v) != n && n < leastSize/8 {
			t.Errorf("Make(%d) has length %d and capacity %d", n, len(v), cap(v))
		}
		for i, x := range v {
			if x != 0 {
				t.Fatalf("Make(%d)[%d] is %v", n, i, x)
			}
			v[i] = 1
		}
	}
}
