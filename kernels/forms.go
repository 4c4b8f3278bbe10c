package kernels

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
