package kernels

import "math"

// Storage forms: the columns are those of Idx, then Idx16; for each the values
// are Val, Val32, or all 1.
const numForms = 6

// plainForm is the form of Idx and Val.
const plainForm = 0

// form returns the storage form of a.
func (a *Rows) form() int {
	f := 0
	if a.Idx == nil {
		f = 3
	}
	switch {
	case a.Val != nil:
		return f
	case a.Val32 != nil:
		return f + 1
	}
	return f + 2
}

// piece is how many nonzeros are decoded at a time: a multiple of 8, so that
// cutting a row there moves no term to another lane.
const piece = 256

// decode widens the nonzeros k to k+n, n <= piece.
func (a *Rows) decode(k int64, n int, idx *[piece]int32, val *[piece]float64) {
	if a.Idx != nil {
		copy(idx[:n], a.Idx[k:])
	} else {
		for i, j := range a.Idx16[k : k+int64(n)] {
			idx[i] = int32(j)
		}
	}
	switch {
	case a.Val != nil:
		copy(val[:n], a.Val[k:])
	case a.Val32 != nil:
		for i, v := range a.Val32[k : k+int64(n)] {
			val[i] = float64(v)
		}
	default:
		for i := range n {
			val[i] = 1
		}
	}
}

// dotRange returns the sum of the nonzeros lo to hi times w in 8 lanes.
func (a *Rows) dotRange(lo, hi int64, w []float64) float64 {
	var idx [piece]int32
	var val [piece]float64
	var lane [8]float64
	for lo < hi {
		n := int(min(hi-lo, piece))
		a.decode(lo, n, &idx, &val)
		lane = rowLanesGeneric(lane, idx[:n], val[:n], w)
		lo += int64(n)
	}
	return sum8(&lane)
}

// scatterRange adds g times the nonzeros lo to hi to z.
func (a *Rows) scatterRange(z []float64, lo, hi int64, g float64) {
	var idx [piece]int32
	var val [piece]float64
	for lo < hi {
		n := int(min(hi-lo, piece))
		a.decode(lo, n, &idx, &val)
		scatterRowGeneric(z, idx[:n], val[:n], g)
		lo += int64(n)
	}
}

func marginsAnyGeneric(dst []float64, ptr []int64, idx []int32, idx16 []uint16, val []float64, val32 []float32, w []float64) {
	a := Rows{Ptr: ptr, Idx: idx, Idx16: idx16, Val: val, Val32: val32}
	for r := range dst {
		dst[r] = a.dotRange(ptr[r], ptr[r+1], w)
	}
}

func scatterAnyGeneric(z []float64, ptr []int64, idx []int32, idx16 []uint16, val []float64, val32 []float32, slope []float64) {
	a := Rows{Ptr: ptr, Idx: idx, Idx16: idx16, Val: val, Val32: val32}
	for r, g := range slope {
		a.scatterRange(z, ptr[r], ptr[r+1], g)
	}
}

// rowLen returns the number of nonzeros of row i.
func (a *Rows) rowLen(i int32) int { return int(a.Ptr[i+1] - a.Ptr[i]) }

// stored returns how many column indices and values there are.
func (a *Rows) stored() (columns, values int) {
	columns, values = len(a.Idx), len(a.Val)
	if a.Idx == nil {
		columns = len(a.Idx16)
	}
	if a.Val == nil {
		values = len(a.Val32)
		if a.Val32 == nil {
			values = math.MaxInt
		}
	}
	return columns, values
}

// entry returns the column and the value of nonzero k, in any form.
func (a *Rows) entry(k int) (col int, val float64) {
	if a.Idx != nil {
		col = int(a.Idx[k])
	} else {
		col = int(a.Idx16[k])
	}
	switch {
	case a.Val != nil:
		val = a.Val[k]
	case a.Val32 != nil:
		val = float64(a.Val32[k])
	default:
		val = 1
	}
	return col, val
}
