package pages

import (
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
)

// TestMake checks the results of Make, Resize and Grow for small and large slices, without and with a limit of
// memory. It writes to every element.
func TestMake(t *testing.T) {
	testSlices(t)
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1 << 40))
	testSlices(t)
}

func testSlices(t *testing.T) {
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
		grown := Grow(v, 3)
		if len(grown) != n || cap(grown) < n+3 || !slices.Equal(grown, v) {
			t.Errorf("Grow of %d elements by 3 has length %d and capacity %d, or other elements", n, len(grown), cap(grown))
		}
		if again := Grow(grown, 3); n > 0 && &again[0] != &grown[0] {
			t.Errorf("Grow of %d elements copies although there is room", n)
		}
	}
}

// TestReserve checks that Reserve makes the free part of the heap larger, but not with a limit of memory.
func TestReserve(t *testing.T) {
	idle := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapIdle
	}
	const size = 32 << 20
	before := idle()
	Reserve(size)
	if after := idle(); after < before+size {
		t.Errorf("after Reserve(%d) the heap has %d free bytes, and %d before", size, after, before)
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1 << 40))
	before = idle()
	Reserve(4 * size)
	if after := idle(); after >= before+size {
		t.Errorf("with a limit of memory, Reserve has made the free part of the heap larger by %d bytes", after-before)
	}
}
