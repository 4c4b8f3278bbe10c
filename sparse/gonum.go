package sparse

import (
	"slices"

	"gonum.org/v1/gonum/mat"
)

var _ mat.Matrix = (*CSR)(nil)

// At returns the element in row i and column j, or 0 if no entry is stored there. It does a
// binary search in the row; Row and Rows give access without a search. It panics if i or j
// is out of range.
func (a *CSR) At(i, j int) float64 {
	if uint(i) >= uint(a.rows) {
		panic(mat.ErrRowAccess)
	}
	if uint(j) >= uint(a.cols) {
		panic(mat.ErrColAccess)
	}
	idx, val := a.Row(i)
	k, stored := slices.BinarySearch(idx, int32(j))
	if !stored {
		return 0
	}
	return val[k]
}

// T returns A' as a gonum matrix that is a view of A. Transpose returns it as a CSR.
func (a *CSR) T() mat.Matrix { return mat.Transpose{Matrix: a} }
