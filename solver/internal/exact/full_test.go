package exact

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/scas-admm/scas/kernels"
)

// TestTransposeFull compares transposeFull with transposeRows, for each type of values, and with column
// numbers of 16 and of 32 bits.
func TestTransposeFull(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {3, 17}, {17, 3}, {32, 16}, {1<<16 + 1, 2}} {
		n, cols := size[0], size[1]
		ones, short, long := fullRows(n, cols), fullRows(n, cols), fullRows(n, cols)
		short.Val32, long.Val = make([]float32, n*cols), make([]float64, n*cols)
		for k := range long.Val {
			short.Val32[k], long.Val[k] = float32(k), float64(-k)
		}
		for name, src := range map[string]kernels.Rows{"ones": ones, "float32": short, "float64": long} {
			if !isFull(src) {
				t.Fatalf("%d x %d %s: not full", n, cols, name)
			}
			counts := make([]int64, cols)
			addToCounts(counts, src, 1)
			var want kernels.Rows
			transposeRows(&want, src, allColumns(n), counts)
			if diff := cmp.Diff(want, transposeFull(src)); diff != "" {
				t.Errorf("%d x %d %s: %s", n, cols, name, diff)
			}
		}
	}
}
