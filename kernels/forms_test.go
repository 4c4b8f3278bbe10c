package kernels

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// formNames names the storage forms in the order of inForm.
var formNames = []string{"int32/float64", "int32/float32", "int32/ones", "uint16/float64", "uint16/float32", "uint16/ones"}

// inForm returns a in the plain form and in the given form. It first rounds the values so
// that the given form holds them exactly.
func inForm(a Rows, form int) (plain, stored Rows) {
	plain = a
	switch form % 3 {
	case 1:
		plain.Val = make([]float64, len(a.Val))
		stored.Val32 = make([]float32, len(a.Val))
		for k, v := range a.Val {
			stored.Val32[k] = float32(v)
			plain.Val[k] = float64(stored.Val32[k])
		}
	case 2:
		plain.Val = make([]float64, len(a.Val))
		for k := range plain.Val {
			plain.Val[k] = 1
		}
	default:
		stored.Val = a.Val
	}
	stored.Ptr, stored.Idx, stored.Cols = a.Ptr, a.Idx, a.Cols
	if form >= 3 {
		stored.Idx, stored.Idx16 = nil, make([]uint16, len(a.Idx))
		for k, j := range a.Idx {
			stored.Idx16[k] = uint16(j)
		}
	}
	return plain, stored
}

// lengthsOf draws n row lengths up to a bound, empty rows among them.
func lengthsOf(rng *rand.Rand, n, bound int) []int {
	lens := make([]int, n)
	for r := range lens {
		lens[r] = rng.IntN(bound + 1)
	}
	return lens
}

// TestForms compares Margins, Gradient and MarginsGradient in every form with the plain form, bit
// for bit, at every level. Some rows have more than maxWork nonzeros.
func TestForms(t *testing.T) {
	required(t)
	defer use(t, Active())
	for _, s := range sources {
		for _, lens := range [][]int{
			{}, {0}, {1}, {0, 7, 8, 9, 0, 15, 16, 17, 3, 4, 5, 6, 2, 12, 11, 10, 64, 75, 0},
			{5, maxWork + 21, 0, 256, 257, 2*maxWork + 3, 14},
		} {
			for form, name := range formNames {
				rng := rand.New(rand.NewPCG(51, uint64(len(lens))))
				const d = 300
				plain, stored := inForm(rowsOf(rng, s, lens, d), form)
				w, z, label := s.vector(rng, d), s.vector(rng, d), labels(rng, len(lens))
				run := func(l Level, a Rows) [][]float64 {
					use(t, l)
					margin, slope, sum := make([]float64, len(lens)), make([]float64, len(lens)), slices.Clone(z)
					all := [][]float64{margin, slope, sum}
					Margins(margin, a, w)
					Gradient(sum, a, margin)
					loss := MarginsGradient(sum, margin, slope, label, a, w, LogisticLossKind)
					return append(all, []float64{loss})
				}
				want := run(Generic, plain)
				for _, l := range Available() {
					for i, got := range run(l, stored) {
						sameVector(t, fmt.Sprintf("%v: %s, %s, %d rows, result %d", l, name, s.name, len(lens), i), got, want[i])
					}
				}
			}
		}
	}
}
