package sparse

import (
	"math"
	"testing"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

// compactCase is a matrix of two rows with the values val, and the expected result of Compact(round):
// whether it has 16-bit columns (idx16), float32 values (val32), or no values because all are 1 (allOnes).
type compactCase struct {
	name                  string
	cols                  int
	val                   [3]float64
	round                 bool
	idx16, val32, allOnes bool
}

func TestCompact(t *testing.T) {
	third := 1.0 / 3
	for _, c := range []compactCase{
		{"ones, few columns", 65536, [3]float64{1, 1, 1}, false, true, false, true},
		{"ones, many columns", 65537, [3]float64{1, 1, 1}, false, false, false, true},
		{"exact in float32", 100, [3]float64{0.5, -0.25, 3}, false, true, true, false},
		{"exact in float32, many columns", 1 << 20, [3]float64{0.5, -0.25, 3}, false, false, true, false},
		{"a third", 100, [3]float64{1, 1, third}, false, true, false, false},
		{"a third, many columns", 1 << 20, [3]float64{1, 1, third}, false, false, false, false},
		{"a third, rounded", 100, [3]float64{1, 1, third}, true, true, true, false},
		{"ones, rounding allowed", 100, [3]float64{1, 1, 1}, true, true, false, true},
		{"beyond float32", 100, [3]float64{1, 1, 1e39}, true, true, false, false},
		{"below float32", 100, [3]float64{1, 1, 1e-60}, false, true, false, false},
		{"subnormal in float32", 100, [3]float64{1, 1, 0x1p-149}, false, true, true, false},
		{"negative zero", 100, [3]float64{1, 1, math.Copysign(0, -1)}, false, true, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, err := New(2, c.cols, []int64{0, 1, 3}, []int32{0, 1, int32(c.cols - 1)}, c.val[:])
			sparsetest.Must(t, err)
			got := a.Compact(c.round)
			if (got.Idx == nil) != c.idx16 || (got.Idx16 != nil) != c.idx16 {
				t.Errorf("16-bit columns: %v, want %v", got.Idx16 != nil, c.idx16)
			}
			if (got.Val32 != nil) != c.val32 || (got.Val == nil) != (c.val32 || c.allOnes) {
				t.Errorf("values %v, %v; want float32 %v, ones %v", got.Val, got.Val32, c.val32, c.allOnes)
			}
			for k := range c.val {
				if c.idx16 && got.Idx16[k] != uint16(a.idx[k]) {
					t.Errorf("column %d is %d, want %d", k, got.Idx16[k], a.idx[k])
				}
				if c.val32 && got.Val32[k] != float32(c.val[k]) {
					t.Errorf("value %d is %v, want %v", k, got.Val32[k], c.val[k])
				}
			}
		})
	}
}

func TestCompactEmpty(t *testing.T) {
	for _, rows := range []int{0, 3} {
		a, err := New(rows, 5, make([]int64, rows+1), nil, nil)
		sparsetest.Must(t, err)
		dst := make([]float64, rows)
		kernels.Margins(dst, a.Compact(false), make([]float64, 5))
		for i, v := range dst {
			if v != 0 {
				t.Errorf("margin %d of an empty matrix is %v", i, v)
			}
		}
	}
}
