package kernels

// numForms is the number of storage forms. Forms 0 to 2 have their columns in Idx, forms
// 3 to 5 in Idx16; of each three, the first has its values in Val, the second in Val32,
// and in the third all values are 1.
const numForms = 6

// plainForm is the form with Idx and Val.
const plainForm = 0

// form returns the number of the storage form of a.
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

// rowLen returns the number of nonzeros of row i.
func (a *Rows) rowLen(i int32) int { return int(a.Ptr[i+1] - a.Ptr[i]) }

// entry returns the column and the value of nonzero k, in any form.
func (a *Rows) entry(k int) (col int, val float64) {
	switch {
	case a.Val != nil:
		val = a.Val[k]
	case a.Val32 != nil:
		val = float64(a.Val32[k])
	default:
		val = 1
	}
	return a.column(int64(k)), val
}

// column returns the column of nonzero k.
func (a *Rows) column(k int64) int {
	if a.Idx != nil {
		return int(a.Idx[k])
	}
	return int(a.Idx16[k])
}
