package kernels

// A Scratch is memory in which the inner loops on sparse rows decode a row. Only one call at a time may use
// it. Its content between calls has no meaning. A Scratch may have been made for other rows. The Go code
// of level Generic, which is slower, does the steps on rows that are longer than all of those, or that have
// more than 16384 nonzeros.
type Scratch struct {
	off  []int64   // for every nonzero, the distance in bytes of its column from column 0
	num  []float64 // for every nonzero, its value
	keep []float64 // intermediate results of a step: up to two numbers for every nonzero
}

// scratchRow is the largest number of nonzeros of a row that assembly decodes; see Scratch.
const scratchRow = 1 << 14

// NewScratch returns a Scratch for the rows of a: about 32 bytes for every nonzero
// of the longest row, at most 512 KiB. InnerBox and InnerDecay may add up to 16 bytes for every nonzero of a
// row that does not fit, once.
func NewScratch(a Rows) *Scratch {
	var n int64
	for r := range a.Len() {
		n = max(n, a.Ptr[r+1]-a.Ptr[r])
	}
	n = min((n+7)&^7, scratchRow)
	return &Scratch{off: make([]int64, n), num: make([]float64, n), keep: make([]float64, 2*n)}
}
