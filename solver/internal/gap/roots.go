package gap

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/sparse"
)

// A RootRow computes a'N for rows a' of the data matrix X. N has a column for each root: the vector n of the
// type root. A RootRow is not safe for concurrent use.
type RootRow struct {
	rowsOfN [][]sparseEntry // see correction
	// If feature j is a root, rootAt[j] is the index of the root plus 1, otherwise 0. rootAt is nil if
	// the vector n of some root has several entries.
	rootAt   []int32
	sum      []float64 // a'N
	listed   []bool    // listed[k] is true if rootList has root k; only used if rootAt is nil
	rootList []int32   // the roots k for which the last call of SetRow set sum[k]
}

// NewRootRow returns a RootRow for the current roots, or nil if there are no roots.
func (p *Problem) NewRootRow() *RootRow {
	roots := p.correction.roots
	if len(roots) == 0 {
		return nil
	}
	r := &RootRow{rowsOfN: p.correction.rowsOfN, rootAt: make([]int32, len(p.Ridge)), sum: make([]float64, len(roots)), listed: make([]bool, len(roots))}
	for k, root := range roots {
		if len(root.n) > 1 {
			r.rootAt = nil
		} else if r.rootAt != nil {
			r.rootAt[root.feature] = int32(k) + 1
		}
	}
	return r
}

// SetRow computes a'N (see RootRow) for the row a' with the given entries. It returns the roots at which a'N
// can differ from 0. The roots are in increasing order, except those whose column of X is 0 in all rows of
// positive weight. The returned slice is valid until the next call.
func (r *RootRow) SetRow(idx []int32, val []float64) []int32 {
	for _, k := range r.rootList {
		r.sum[k], r.listed[k] = 0, false
	}
	r.rootList = r.rootList[:0]
	if r.rootAt != nil { // rootList needs no sort: later roots are later features
		for m, j := range idx {
			if k := r.rootAt[j]; k > 0 {
				r.rootList = append(r.rootList, k-1)
				r.sum[k-1] = val[m]
			}
		}
		return r.rootList
	}
	for m, j := range idx {
		for _, n := range r.rowsOfN[j] {
			if !r.listed[n.index] {
				r.listed[n.index] = true
				r.rootList = append(r.rootList, n.index)
			}
			r.sum[n.index] += float64(n.value * val[m])
		}
	}
	slices.Sort(r.rootList)
	return r.rootList
}

// Entry returns the entry of a'N (see RootRow) for the given root. a' is the row of the last call of SetRow.
func (r *RootRow) Entry(root int32) float64 { return r.sum[root] }

// A rootMatrix is X N, stored by columns. See RootRow for N.
type rootMatrix struct {
	idx [][]int32   // for each column, its row indices
	val [][]float64 // for each column, its entries
}

// rootColumns returns X N, see RootRow for N. There must be roots.
func (p *Problem) rootColumns(x *sparse.CSR) *rootMatrix {
	row := p.NewRootRow()
	r := &rootMatrix{make([][]int32, p.RootCount()), make([][]float64, p.RootCount())}
	n, _ := x.Dims()
	for i := range n {
		for _, k := range row.SetRow(x.Row(i)) {
			r.idx[k], r.val[k] = append(r.idx[k], int32(i)), append(r.val[k], row.Entry(k))
		}
	}
	return r
}

// hessian returns the upper triangle of (X N)' diag(phi) (X N).
func (r *rootMatrix) hessian(phi []float64) []float64 {
	k := len(r.idx)
	h := make([]float64, k*k)
	for a := range k {
		for b := a; b < k; b++ {
			h[a*k+b] = r.entry(a, b, phi)
		}
	}
	return h
}

// sizes returns Σ |cᵢ αᵢ uᵢ| for each column u of X N.
func (r *rootMatrix) sizes(c, alpha []float64) []float64 {
	out := make([]float64, len(r.idx))
	for a, idx := range r.idx {
		for m, i := range idx {
			out[a] += math.Abs(float64(float64(c[i]*alpha[i]) * r.val[a][m]))
		}
	}
	return out
}

// rootHessian returns the upper triangle of N'HN, see RootRow for N.
// row(j) returns row j of H = κX'CX, see Move.
func (p *Problem) rootHessian(row func(j int) []float64) []float64 {
	k, allColumns, rootRow := p.RootCount(), make([]int32, len(p.Ridge)), p.NewRootRow()
	for j := range allColumns {
		allColumns[j] = int32(j)
	}
	h := make([]float64, k*k)
	for a, root := range p.correction.roots {
		for _, n := range root.n {
			rootRow.SetRow(allColumns, row(int(n.index)))
			for b := a; b < k; b++ {
				h[a*k+b] += float64(n.value * rootRow.Entry(int32(b)))
			}
		}
	}
	return h
}

func (r *rootMatrix) entry(a, b int, phi []float64) (sum float64) {
	j, rowsB := 0, r.idx[b]
	for m, i := range r.idx[a] {
		for j < len(rowsB) && rowsB[j] < i {
			j++
		}
		if j < len(rowsB) && rowsB[j] == i {
			sum += float64(float64(phi[i]*r.val[a][m]) * r.val[b][j])
		}
	}
	return sum
}
