package shape

import "github.com/scas-admm/scas/kernels"

// CompactName names the smallest storage that keeps the matrix exactly, such as
// u16-ones; it is empty if that is the one of Data.Rows.
func (s Shape) CompactName() string {
	idx, val := "i32", "f64"
	if s.Cols <= 1<<16 {
		idx = "u16"
	}
	switch {
	case s.Ones:
		val = "ones"
	case s.Single:
		val = "f32"
	}
	if idx+val == "i32f64" {
		return ""
	}
	return idx + "-" + val
}

// Compact returns the matrix in the storage that CompactName names.
func (d Data) Compact() kernels.Rows {
	a := kernels.Rows{Ptr: d.Rows.Ptr, Idx: d.Rows.Idx, Val: d.Rows.Val}
	if d.Shape.Cols <= 1<<16 {
		a.Idx, a.Idx16 = nil, make([]uint16, len(d.Rows.Idx))
		for k, j := range d.Rows.Idx {
			a.Idx16[k] = uint16(j)
		}
	}
	switch {
	case d.Shape.Ones:
		a.Val = nil
	case d.Shape.Single:
		a.Val, a.Val32 = nil, make([]float32, len(d.Rows.Val))
		for k, v := range d.Rows.Val {
			a.Val32[k] = float32(v)
		}
	}
	return a
}
