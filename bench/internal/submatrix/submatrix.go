// Package submatrix takes parts of sparse matrices, for problems on some of their
// features.
package submatrix

import "github.com/scas-admm/scas/sparse"

// Columns returns the given columns of m, which must be there.
func Columns(m *sparse.CSR, keep []int) *sparse.CSR { return rows(m.Transpose(), keep).Transpose() }

// NonzeroRows returns the rows of m that have entries, and their numbers.
func NonzeroRows(m *sparse.CSR) (*sparse.CSR, []int) {
	n, _ := m.Dims()
	var keep []int
	for i := range n {
		if idx, _ := m.Row(i); len(idx) > 0 {
			keep = append(keep, i)
		}
	}
	return rows(m, keep), keep
}

func rows(m *sparse.CSR, keep []int) *sparse.CSR {
	out, err := m.SelectRows(keep)
	if err != nil {
		panic(err) // the rows are there
	}
	return out
}
