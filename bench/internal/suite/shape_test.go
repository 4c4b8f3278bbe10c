package suite

import (
	"math"
	"slices"
	"testing"
)

func TestShapes(t *testing.T) {
	for _, s := range allShapes() {
		t.Run(s.Name, func(t *testing.T) {
			s.Rows = 200
			x, labels := s.Build(1)
			n, p := x.Dims()
			if n != 200 || p != s.Cols || len(labels) != n {
				t.Fatalf("%d x %d with %d labels", n, p, len(labels))
			}
			perRow := float64(x.NNZ()) / float64(n)
			if math.Abs(perRow/float64(s.NNZ)-1) > 0.3 {
				t.Errorf("%.1f nonzeros a row, want about %d", perRow, s.NNZ)
			}
			positives := 0
			for _, b := range labels {
				if b == 1 {
					positives++
				} else if b != -1 {
					t.Fatalf("label %g", b)
				}
			}
			if positives == 0 || positives == n {
				t.Errorf("%d of %d labels are +1", positives, n)
			}
			columns := func(seed uint64) []int32 { x, _ := s.Build(seed); return x.Rows(0, n).Idx }
			if !slices.Equal(columns(1), columns(1)) || slices.Equal(columns(1), columns(2)) {
				t.Error("the seed does not decide the matrix")
			}
			// The compact form determines how many bytes the kernels read.
			a := x.Compact(false)
			short, ones, single := a.Idx16 != nil, a.Val == nil && a.Val32 == nil, a.Val32 != nil
			if short != (p <= 1<<16) || ones != (s.Name != "covtype" && s.Name != "rcv1") || single != (s.Name == "covtype") {
				t.Errorf("compact: 16-bit columns %v, no values %v, float32 %v", short, ones, single)
			}
			if s.Name != "rcv1" {
				return
			}
			for i, n2 := range x.RowNormsSq() {
				if math.Abs(n2-1) > 1e-12 {
					t.Errorf("row %d has squared norm %g", i, n2)
				}
			}
		})
	}
}
