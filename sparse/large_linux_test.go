package sparse

import (
	"slices"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/scas-admm/scas/sparse/sparsetest"
)

// untouchedZeros returns n zeros that use no memory until they are written.
func untouchedZeros[T any](t *testing.T, n int64) []T {
	t.Helper()
	var zero T
	b, err := unix.Mmap(-1, 0, int(n)*int(unsafe.Sizeof(zero)), unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	if err != nil {
		t.Skipf("no address space for %d entries: %v", n, err)
	}
	t.Cleanup(func() {
		if err := unix.Munmap(b); err != nil {
			t.Error(err)
		}
	})
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), n)
}

// TestMoreThan2To31Entries checks that entries after the first 2^31 are found.
func TestMoreThan2To31Entries(t *testing.T) {
	const hole = 1<<31 + 7 // number of entries in row 0, which are never read
	a := &CSR{rows: 3, cols: 5, ptr: []int64{0, hole, hole + 2, hole + 5}}
	a.idx, a.val = untouchedZeros[int32](t, hole+5), untouchedZeros[float64](t, hole+5)
	copy(a.idx[hole:], []int32{1, 4, 0, 2, 3})
	copy(a.val[hole:], []float64{1, 2, 3, 4, 5})
	if a.NNZ() != hole+5 {
		t.Fatalf("%d entries, want %d", a.NNZ(), int64(hole+5))
	}
	selected, err := a.SelectRows([]int{2, 1})
	sparsetest.Must(t, err)
	if want := []float64{3, 4, 5, 1, 2}; !slices.Equal(selected.val, want) {
		t.Errorf("selected values %v, want %v", selected.val, want)
	}
	r := a.Rows(1, 3)
	if got := r.Val[r.Ptr[0]:r.Ptr[2]]; !slices.Equal(got, []float64{1, 2, 3, 4, 5}) {
		t.Errorf("block values %v", got)
	}
}
