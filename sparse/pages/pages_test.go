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

// TestReserve checks that after Reserve the heap has as much free memory as was asked for, and that with a limit of
// memory the heap does not grow.
func TestReserve(t *testing.T) {
	const size = 128 << 20
	read := func() (m runtime.MemStats) {
		runtime.ReadMemStats(&m)
		return m
	}
	Reserve(size)
	if idle := read().HeapIdle; idle < size {
		t.Errorf("after Reserve(%d) the heap has %d free bytes", size, idle)
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1 << 40))
	before := read().HeapSys
	Reserve(8 * size)
	if after := read().HeapSys; after >= before+size {
		t.Errorf("with a limit of memory, Reserve has made the heap larger by %d bytes", after-before)
	}
}
