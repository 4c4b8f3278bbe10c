package gap

import (
	"slices"

	"github.com/scas-admm/scas/sparse"
)

// A RootRow computes a'N for a row a' of X, where N has the vector n of each root as a column. It is not
// safe for concurrent use.
type RootRow struct {
	rowOf [][]sparseEntry // see correction
	// single[j] is 1 + the index of the root at feature j, or 0 if j is no root. single is nil unless
	// every vector n has only one entry.
	single []int32
	sum    []float64 // a'N
	has    []bool    // marks the roots in list
	list   []int32   // the roots whose entry of sum the last call of Take has set
}

// NewRootRow returns a RootRow for the present roots, or nil if there are none.
func (p *Problem) NewRootRow() *RootRow {
	roots := p.correction.roots
	if len(roots) == 0 {
		return nil
	}
	r := &RootRow{rowOf: p.correction.rowOf, single: make([]int32, len(p.Ridge)), sum: make([]float64, len(roots)), has: make([]bool, len(roots))}
	for k, root := range roots {
		if len(root.n) > 1 {
			r.single = nil
		} else if r.single != nil {
			r.single[root.feature] = int32(k) + 1
		}
	}
	return r
}

// Take computes a'N for the row a' with the given entries. It returns the roots at which a'N may differ
// from 0, in increasing order. The slice is valid until the next call.
func (r *RootRow) Take(idx []int32, val []float64) []int32 {
	for _, k := range r.list {
		r.sum[k], r.has[k] = 0, false
	}
	r.list = r.list[:0]
	if r.single != nil { // roots are in the order of their features, so list is sorted
		for m, j := range idx {
			if k := r.single[j]; k > 0 {
				r.list = append(r.list, k-1)
				r.sum[k-1] = val[m]
			}
		}
		return r.list
	}
	for m, j := range idx {
		for _, n := range r.rowOf[j] {
			if !r.has[n.index] {
				r.has[n.index] = true
				r.list = append(r.list, n.index)
			}
			r.sum[n.index] += float64(n.value * val[m])
		}
	}
	slices.Sort(r.list)
	return r.list
}

// Entry returns the entry of a'N at a root, for the row of the last call of Take.
func (r *RootRow) Entry(root int32) float64 { return r.sum[root] }

// A rootMatrix is X N, stored by columns, for data in memory.
type rootMatrix struct {
	idx [][]int32   // row indices of each column
	val [][]float64 // the entries
}

// rootColumns returns X N. There must be roots.
func (p *Problem) rootColumns(x *sparse.CSR) *rootMatrix {
	row := p.NewRootRow()
	r := &rootMatrix{make([][]int32, p.Roots()), make([][]float64, p.Roots())}
	n, _ := x.Dims()
	for i := range n {
		for _, k := range row.Take(x.Row(i)) {
			r.idx[k], r.val[k] = append(r.idx[k], int32(i)), append(r.val[k], row.Entry(k))
		}
	}
	return r
}

// hessian returns the upper triangle of N'X' diag(phi) X N.
func (r *rootMatrix) hessian(phi []float64) []float64 {
	k := len(r.idx)
	h := make([]float64, k*k)
	for a := range k {
		for b := a; b < k; b++ {
			h[a*k+b] = r.inner(a, b, phi)
		}
	}
	return h
}

// rootHessian returns the upper triangle of N'HN, where row(j) is row j of H (see Move).
func (p *Problem) rootHessian(row func(j int) []float64) []float64 {
	k, columns, entries := p.Roots(), make([]int32, len(p.Ridge)), p.NewRootRow()
	for j := range columns {
		columns[j] = int32(j)
	}
	h := make([]float64, k*k)
	for a, root := range p.correction.roots {
		for _, n := range root.n {
			entries.Take(columns, row(int(n.index)))
			for b := a; b < k; b++ {
				h[a*k+b] += float64(n.value * entries.Entry(int32(b)))
			}
		}
	}
	return h
}

// inner returns entry (a, b) of N'X' diag(phi) X N.
func (r *rootMatrix) inner(a, b int, phi []float64) (sum float64) {
	j, other := 0, r.idx[b]
	for m, i := range r.idx[a] {
		for j < len(other) && other[j] < i {
			j++
		}
		if j < len(other) && other[j] == i {
			sum += float64(float64(phi[i]*r.val[a][m]) * r.val[b][j])
		}
	}
	return sum
}
