package shape

import (
	"math"
	"slices"
	"testing"
)

func TestShapes(t *testing.T) {
	for _, s := range []Shape{A9A, Covtype, RCV1, SIDO, Criteo} {
		t.Run(s.Name, func(t *testing.T) {
			s := s.Resize(200)
			x, labels := s.Build(1)
			n, p := x.Dims()
			if n != 200 || p != s.Cols || len(labels) != n {
				t.Fatalf("%d x %d with %d labels", n, p, len(labels))
			}
			perRow := float64(x.NNZ()) / float64(n)
			if math.Abs(perRow/float64(s.NNZ)-1) > 0.3 {
				t.Errorf("%.1f nonzeros a row, want about %d", perRow, s.NNZ)
			}
			plus := 0
			for _, b := range labels {
				if b == 1 {
					plus++
				} else if b != -1 {
					t.Fatalf("label %g", b)
				}
			}
			if plus == 0 || plus == n {
				t.Errorf("%d of %d labels are +1", plus, n)
			}
			again, _ := s.Build(1)
			other, _ := s.Build(2)
			if !slices.Equal(x.Rows(0, n).Idx, again.Rows(0, n).Idx) || slices.Equal(x.Rows(0, n).Idx, other.Rows(0, n).Idx) {
				t.Error("the seed does not decide the matrix")
			}
		})
	}
}

// What the storage of a kernel depends on: binary sets are binary, text rows
// have norm 1, the others do not pretend.
func TestValues(t *testing.T) {
	for _, c := range []struct {
		shape  Shape
		binary bool
	}{{A9A, true}, {SIDO, true}, {Criteo, true}, {Covtype, false}, {RCV1, false}} {
		x, _ := c.shape.Resize(50).Build(1)
		ones := !slices.ContainsFunc(x.Rows(0, 50).Val, func(v float64) bool { return v != 1 })
		if ones != c.binary {
			t.Errorf("%s: binary is %v", c.shape.Name, ones)
		}
	}
	x, _ := RCV1.Resize(50).Build(1)
	for i, n2 := range x.RowNormsSq() {
		if math.Abs(n2-1) > 1e-12 {
			t.Errorf("rcv1: row %d has squared norm %g", i, n2)
		}
	}
}
