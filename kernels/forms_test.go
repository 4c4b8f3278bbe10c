package kernels

import (
	"math/rand/v2"
)

// formNames names the storage forms in the order of inForm.
var formNames = []string{"int32/float64", "int32/float32", "int32/ones", "uint16/float64", "uint16/float32", "uint16/ones"}

// inForm returns a, whose values it first makes exact in the form, plainly stored
// and in that form.
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
	stored.Ptr, stored.Idx = a.Ptr, a.Idx
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
