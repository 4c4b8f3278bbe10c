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
			data := s.Build(1)
			x, labels := data.CSR(), data.Labels
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
			again, other := s.Build(1), s.Build(2)
			if !slices.Equal(data.Rows.Idx, again.Rows.Idx) || slices.Equal(data.Rows.Idx, other.Rows.Idx) {
				t.Error("the seed does not decide the matrix")
			}
		})
	}
}

// The compact form must hold the very numbers of the plain one.
func TestCompact(t *testing.T) {
	for _, c := range []struct {
		shape Shape
		name  string
	}{{A9A, "u16-ones"}, {SIDO, "u16-ones"}, {Criteo, "i32-ones"}, {Covtype, "u16-f32"}, {RCV1, "u16-f64"}} {
		d := c.shape.Resize(50).Build(1)
		if got := d.Shape.CompactName(); got != c.name {
			t.Errorf("%s: compact form %s, want %s", d.Shape.Name, got, c.name)
		}
		a := d.Compact()
		for k, v := range d.Rows.Val {
			j, x := int32(0), 1.0
			if a.Idx != nil {
				j = a.Idx[k]
			} else {
				j = int32(a.Idx16[k])
			}
			if a.Val != nil {
				x = a.Val[k]
			} else if a.Val32 != nil {
				x = float64(a.Val32[k])
			}
			if j != d.Rows.Idx[k] || x != v {
				t.Fatalf("%s: nonzero %d is (%d, %g), want (%d, %g)", d.Shape.Name, k, j, x, d.Rows.Idx[k], v)
			}
		}
	}
	plain := Shape{Cols: 1<<16 + 1}
	if got := plain.CompactName(); got != "" {
		t.Errorf("65537 columns of any values have the compact form %s", got)
	}
}

func TestTextRowsHaveNormOne(t *testing.T) {
	for i, n2 := range RCV1.Resize(50).Build(1).CSR().RowNormsSq() {
		if math.Abs(n2-1) > 1e-12 {
			t.Errorf("row %d has squared norm %g", i, n2)
		}
	}
}
