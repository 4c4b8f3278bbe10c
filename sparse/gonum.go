package sparse

import (
	"slices"

	"gonum.org/v1/gonum/mat"
)

var _ mat.Matrix = (*CSR)(nil)

// FromMatrix returns a gonum matrix, or any other mat.Matrix, as a CSR. A *CSR is returned as it
// is, and a.T() of a *CSR as a.Transpose(). Any other argument is copied without its zeros. Values
// that are not finite are errors.
func FromMatrix(m mat.Matrix) (*CSR, error) {
	switch m := m.(type) {
	case *CSR:
		return m, nil
	case mat.Transpose:
		if a, ok := m.Matrix.(*CSR); ok && a.rows <= MaxCols {
			return a.Transpose(), nil
		}
	}
	rows, cols := m.Dims()
	if cols > MaxCols {
		return nil, errorf("shape %d x %d is out of range: want at most %d columns", rows, cols, MaxCols)
	}
	return fromElements(rows, cols, m.At)
}

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
