package pages

import (
	"runtime/debug"
	"testing"
)

// TestMake makes and grows slices of sizes near the limit of Make and near a large page, and uses every
// element.
func TestMake(t *testing.T) {
	testMake(t)
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1 << 40))
	testMake(t)
}

func testMake(t *testing.T) {
	for _, n := range []int{0, 1, leastSize/8 - 1, leastSize / 8, leastSize/8 + 1, 3*chunkSize/8 + 5} {
		v := Make[float64](n)
		if len(v) != n {
			t.Errorf("Make(%d) has length %d", n, len(v))
		}
		for i, x := range v {
			if x != 0 {
				t.Fatalf("Make(%d)[%d] is %v", n, i, x)
			}
			v[i] = 1
		}
		longer := Resize(v, n+1)
		if len(longer) != n+1 {
			t.Errorf("Resize to %d has length %d", n+1, len(longer))
		}
		for i := range longer {
			longer[i] = 2
		}
		if shorter := Resize(longer, n); len(shorter) != n || n > 0 && &shorter[0] != &longer[0] {
			t.Errorf("Resize to %d does not use the memory of a longer slice", n)
		}
	}
}
