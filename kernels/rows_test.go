package kernels

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestViews checks that Margins of a view of some rows equals Margins of the whole matrix for these rows.
func TestViews(t *testing.T) {
	rng := rand.New(rand.NewPCG(32, 1))
	a := rowsOf(rng, sources[0], []int{5, 0, 14, 9, 33, 8, 1, 0, 7}, 40)
	w, want := sources[0].vector(rng, 40), make([]float64, 9)
	Margins(want, a, w)
	for lo := range a.Len() + 1 {
		for hi := lo; hi <= a.Len(); hi++ {
			got := make([]float64, hi-lo)
			Margins(got, Rows{Ptr: a.Ptr[lo : hi+1], Idx: a.Idx, Val: a.Val, Cols: a.Cols}, w)
			sameVector(t, "view", got, want[lo:hi])
		}
	}
}

func TestBlockRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 1))
	for range 200 {
		ptr := []int64{7}
		for range rng.IntN(40) {
			ptr = append(ptr, ptr[len(ptr)-1]+int64(rng.IntN(maxWork/4)*rng.IntN(2)*rng.IntN(6)))
		}
		want := 0
		for want+1 < len(ptr) && ptr[want+1]-ptr[0]+int64(want)+1 <= maxWork {
			want++
		}
		if len(ptr) > 1 && blockRows(ptr) != want {
			t.Fatalf("blockRows(%v) = %d, want %d", ptr, blockRows(ptr), want)
		}
	}
}

// TestOrder checks that Gradient adds row by row, and within a row in index order. In another order the
// large terms would not cancel before the small terms are added.
func TestOrder(t *testing.T) {
	a := Rows{Ptr: []int64{0, 2, 4}, Idx: []int32{0, 0, 0, 0}, Val: []float64{1e17, -1e17, 1, 1}, Cols: 1}
	eachLevel(t, func(t *testing.T) {
		z := []float64{0}
		Gradient(z, a, []float64{1, 0.5})
		sameVector(t, "z", z, []float64{1})
	})
}

// TestNegativeZero makes lanes -0 by products that underflow. A lane must stay -0 if the last,
// incomplete group of products has no product for it.
func TestNegativeZero(t *testing.T) {
	negativeZero := func(x float64) bool { return x == 0 && math.Signbit(x) }
	eachLevel(t, func(t *testing.T) {
		for n := range 70 {
			a := Rows{Ptr: []int64{0, int64(n)}, Idx: make([]int32, n), Val: make([]float64, n), Cols: 1}
			x := make([]float64, n)
			for k := range n {
				a.Val[k], x[k] = -1e-170, 1e-170
			}
			dst := []float64{1}
			Margins(dst, a, []float64{1e-170})
			if negativeZero(dst[0]) != (n >= 8) || dst[0] != 0 {
				t.Errorf("sum of a row of %d products -0 is %v, negative %v", n, dst[0], negativeZero(dst[0]))
			}
			if got := active.dot(x, a.Val); negativeZero(got) != (n >= 16) || got != 0 {
				t.Errorf("sum of %d products -0 is %v, negative %v", n, got, negativeZero(got))
			}
		}
	})
}
