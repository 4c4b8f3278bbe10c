package kernels

import "math"

// The storage forms of Rows, named after the types of the column indices and of the values. In the forms with
// Ones all values are 1.
const (
	int32Float64 = iota
	int32Float32
	int32Ones
	uint16Float64
	uint16Float32
	uint16Ones
	numForms
)

var formTexts = [numForms]string{
	int32Float64:  "int32 columns, float64 values",
	int32Float32:  "int32 columns, float32 values",
	int32Ones:     "int32 columns, all values 1",
	uint16Float64: "uint16 columns, float64 values",
	uint16Float32: "uint16 columns, float32 values",
	uint16Ones:    "uint16 columns, all values 1",
}

// Form describes the storage form: the types of the columns and values.
func (a Rows) Form() string { return formTexts[a.form()] }

func (a *Rows) form() int {
	f := int32Float64
	if a.Idx == nil {
		f = uint16Float64
	}
	switch {
	case a.Val != nil:
		return f
	case a.Val32 != nil:
		return f + 1
	}
	return f + 2
}

func (a *Rows) rowLen(i int32) int { return int(a.Ptr[i+1] - a.Ptr[i]) }

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

func (a *Rows) column(k int64) int {
	if a.Idx != nil {
		return int(a.Idx[k])
	}
	return int(a.Idx16[k])
}

// storedNumbers returns how many column indices and how many values are stored. If no values are stored
// because all are 1, the number of values is math.MaxInt.
func (a *Rows) storedNumbers() (columns, values int) {
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

// The types in which columns and values are stored.
type (
	column interface{ int32 | uint16 }
	value  interface{ float32 | float64 }
)

// stored returns the columns and the values of rows that are stored in these types. val is nil if every value
// is 1.
func stored[I column, V value](a *Rows) (idx []I, val []V) {
	idx, ok := any(a.Idx).([]I)
	if !ok {
		idx = any(a.Idx16).([]I)
	}
	val, ok = any(a.Val).([]V)
	if !ok {
		val = any(a.Val32).([]V)
	}
	return idx, val
}
