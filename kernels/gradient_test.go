package kernels

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestMarginsGradient checks that MarginsGradient gives the bits of the three functions that it
// replaces, except that it adds the losses in another order.
func TestMarginsGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	const p = 50
	for _, rows := range []int{0, 1, 700, 3000} {
		a := Rows{Ptr: []int64{0}, Cols: p}
		label := make([]float64, rows)
		for r := range rows {
			n := rng.IntN(p)
			if r%500 == 3 {
				n = 0
			}
			for _, j := range rng.Perm(p)[:n] {
				a.Idx = append(a.Idx, int32(j))
				a.Val = append(a.Val, rng.NormFloat64())
			}
			slices.Sort(a.Idx[a.Ptr[r]:])
			a.Ptr = append(a.Ptr, int64(len(a.Idx)))
			label[r] = float64(2*rng.IntN(2) - 1)
		}
		w := make([]float64, p)
		for j := range w {
			w[j] = rng.NormFloat64()
		}
		for _, loss := range []LossKind{LogisticLossKind, SquaredLossKind} {
			margin, slope, z := make([]float64, rows), make([]float64, rows), make([]float64, p)
			Margins(margin, a, w)
			var want float64
			if loss == SquaredLossKind {
				want = SquaredSlopes(slope, margin, label)
			} else {
				want = LogisticSlopes(slope, margin, label)
			}
			Gradient(z, a, slope)
			m2, s2, z2 := make([]float64, rows), make([]float64, rows), make([]float64, p)
			got := MarginsGradient(z2, m2, s2, label, a, w, loss)
			if !slices.Equal(m2, margin) || !slices.Equal(s2, slope) || !slices.Equal(z2, z) {
				t.Errorf("%d rows, loss %d: other bits than the separate kernels", rows, loss)
			}
			if math.Abs(got-want) > 1e-12*math.Abs(want) {
				t.Errorf("%d rows, loss %d: loss %v, want %v", rows, loss, got, want)
			}
		}
	}
}
