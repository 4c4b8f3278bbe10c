package gap

import (
	"slices"

	"github.com/scas-admm/scas/sparse"
)

// A RootRow finds the entries of a row of X N, where N has a column n for each root. It is not
// for concurrent use.
type RootRow struct {
	of   [][]part // of each feature, the roots (not features) whose n have it
	only []int32  // of each feature, the root that it is, from 1, or 0; nil unless every n has one entry
	sum  []float64
	has  []bool
	list []int32
}

// NewRootRow returns nil if there are no roots.
func (p *Problem) NewRootRow() *RootRow {
	roots := p.closing.roots
	if len(roots) == 0 {
		return nil
	}
	r := &RootRow{of: make([][]part, len(p.Ridge)), only: make([]int32, len(p.Ridge)), sum: make([]float64, len(roots)), has: make([]bool, len(roots))}
	for k, root := range roots {
		for _, m := range root.n {
			r.of[m.feature] = append(r.of[m.feature], part{int32(k), m.value})
		}
		if len(root.n) > 1 {
			r.only = nil
		} else if r.only != nil {
			r.only[root.feature] = int32(k) + 1
		}
	}
	return r
}

// Take returns the roots that a row of X has entries for, in increasing order, valid until the
// next call.
func (r *RootRow) Take(idx []int32, val []float64) []int32 {
	for _, k := range r.list {
		r.sum[k], r.has[k] = 0, false
	}
	r.list = r.list[:0]
	if r.only != nil { // roots have the order of their features
		for m, j := range idx {
			if k := r.only[j]; k > 0 {
				r.list = append(r.list, k-1)
				r.sum[k-1] = val[m]
			}
		}
		return r.list
	}
	for m, j := range idx {
		for _, n := range r.of[j] {
			if !r.has[n.feature] {
				r.has[n.feature] = true
				r.list = append(r.list, n.feature)
			}
			r.sum[n.feature] += float64(n.value * val[m])
		}
	}
	slices.Sort(r.list)
	return r.list
}

// Entry returns that of a root in the row taken last.
func (r *RootRow) Entry(root int32) float64 { return r.sum[root] }

// A rootMatrix is X N by columns, for data in memory.
type rootMatrix struct {
	idx [][]int32 // rows
	val [][]float64
}

// rootColumns returns nil if there are none.
func (p *Problem) rootColumns(x *sparse.CSR) *rootMatrix {
	row := p.NewRootRow()
	if row == nil {
		return nil
	}
	r := &rootMatrix{make([][]int32, p.Roots()), make([][]float64, p.Roots())}
	n, _ := x.Dims()
	for i := range n {
		for _, k := range row.Take(x.Row(i)) {
			r.idx[k], r.val[k] = append(r.idx[k], int32(i)), append(r.val[k], row.Entry(k))
		}
	}
	return r
}

// hessian returns N'X' diag(phi) X N, its upper triangle.
func (r *rootMatrix) hessian(phi []float64) []float64 {
	if r == nil {
		return nil
	}
	k := len(r.idx)
	h := make([]float64, k*k)
	for a := range k {
		for b := a; b < k; b++ {
			h[a*k+b] = r.inner(a, b, phi)
		}
	}
	return h
}

// rootHessian returns N'HN, its upper triangle, given the rows of H.
func (p *Problem) rootHessian(row func(j int) []float64) []float64 {
	k, columns, entries := p.Roots(), make([]int32, len(p.Ridge)), p.NewRootRow()
	for j := range columns {
		columns[j] = int32(j)
	}
	h := make([]float64, k*k)
	for a, root := range p.closing.roots {
		for _, n := range root.n {
			entries.Take(columns, row(int(n.feature)))
			for b := a; b < k; b++ {
				h[a*k+b] += float64(n.value * entries.Entry(int32(b)))
			}
		}
	}
	return h
}

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
