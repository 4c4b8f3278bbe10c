package gap

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/pages"
)

// A rootRow computes a'N for rows a' of the data matrix X. N has a column for each root: the vector n of the
// type root. A rootRow is not safe for concurrent use.
type rootRow struct {
	rowsOfN [][]sparseEntry // see correction
	// If feature j is a root, rootAt[j] is the index of the root plus 1, otherwise 0. rootAt is nil if
	// the vector n of some root has several entries.
	rootAt   []int32
	sum      []float64 // a'N
	listed   []bool    // listed[k] is true if rootList has root k; only used if rootAt is nil
	rootList []int32   // the roots k for which the last call of setRow set sum[k]
}

// newRootRow returns a rootRow for the current roots, or nil if there are no roots.
func (p *Problem) newRootRow() *rootRow {
	roots := p.correction.roots
	if len(roots) == 0 {
		return nil
	}
	r := &rootRow{
		rowsOfN: p.correction.rowsOfN, rootAt: make([]int32, len(p.Ridge)), sum: make([]float64, len(roots)),
		listed: make([]bool, len(roots)),
	}
	for k, root := range roots {
		if len(root.n) > 1 {
			r.rootAt = nil
		} else if r.rootAt != nil {
			r.rootAt[root.feature] = int32(k) + 1
		}
	}
	return r
}

// setRow computes a'N (see rootRow) for the row a' with the given entries. It returns the roots at which a'N
// can differ from 0. The roots are in increasing order, except those whose column of X is 0 in all rows of
// positive weight. The returned slice is valid until the next call.
func (r *rootRow) setRow(idx []int32, val []float64) []int32 {
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

// entry returns the entry of a'N (see rootRow) for the given root. a' is the row of the last call of setRow.
func (r *rootRow) entry(root int32) float64 { return r.sum[root] }

// A RootTally adds up what Bound needs for roots, over rows of X that are read block by block. It is not safe
// for concurrent use.
type RootTally struct {
	Sums    []float64 // the numbers that Sum.RootSums describes
	Version int       // Problem.RootsVersion when the RootTally was made; for other roots it is of no use

	problem *Problem
	row     *rootRow  // nil if there are no roots
	phi     []float64 // cᵢΦᵢ for the rows of a block, see Tally.Phi
	idx     []int32   // the columns of a row's entries
	val     []float64 // their values
}

// NewRootTally returns a RootTally of no rows, for the current roots.
func (p *Problem) NewRootTally() *RootTally {
	k := p.RootCount()
	return &RootTally{Sums: make([]float64, k*k+k), Version: p.rootsVersion, problem: p, row: p.newRootRow()}
}

// Add adds samples to Sums, and to the fields of tally that Tally.Phi updates. data has the rows of the
// samples. If hasOnes is true, X has a last column of ones in addition.
func (t *RootTally) Add(tally *Tally, l term.Loss, s *Samples, data kernels.Rows, hasOnes bool) {
	if !t.problem.needsPhi() {
		return
	}
	t.phi = pages.Resize(t.phi, len(s.Alpha))
	tally.Phi(l, s, t.phi)
	if t.row == nil {
		return
	}
	k := t.problem.RootCount()
	sizes := t.Sums[k*k:]
	for i, c := range t.phi {
		lo, hi := data.Ptr[i], data.Ptr[i+1]
		t.idx, t.val = append(t.idx[:0], data.Idx[lo:hi]...), append(t.val[:0], data.Val[lo:hi]...)
		if hasOnes {
			t.idx, t.val = append(t.idx, int32(data.Cols)), append(t.val, 1)
		}
		alpha, roots := float64(s.Alpha[i]*s.Weight[i]), t.row.setRow(t.idx, t.val)
		for a, root := range roots {
			sizes[root] += math.Abs(float64(alpha * t.row.entry(root)))
			u, out := float64(c*t.row.entry(root)), t.Sums[int(root)*k:]
			for _, m := range roots[a:] {
				out[m] += float64(u * t.row.entry(m))
			}
		}
	}
}

// A rootMatrix is X N, stored by columns. See rootRow for N.
type rootMatrix struct {
	idx      [][]int32   // for each column, its row indices
	val      [][]float64 // for each column, its entries
	constant []bool      // for each column, whether all rows have the same entry
}

// rootColumns returns X N, see rootRow for N. There must be roots.
func (p *Problem) rootColumns(x *sparse.CSR) *rootMatrix {
	row, k := p.newRootRow(), p.RootCount()
	r := &rootMatrix{make([][]int32, k), make([][]float64, k), make([]bool, k)}
	n, _ := x.Dims()
	if p.Columns.EntryCount != nil {
		for a, root := range p.correction.roots {
			count := min(n, int(p.Columns.EntryCount[root.feature]))
			r.idx[a], r.val[a] = pages.Make[int32](count)[:0], pages.Make[float64](count)[:0]
		}
	}
	for i := range n {
		for _, k := range row.setRow(x.Row(i)) {
			r.idx[k], r.val[k] = append(r.idx[k], int32(i)), append(r.val[k], row.entry(k))
		}
	}
	for a, val := range r.val {
		r.constant[a] = len(val) == n && !slices.ContainsFunc(val, func(v float64) bool { return v != val[0] })
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

// sizes returns Σ |cᵢ αᵢ uᵢ| for each column u of X N. For a constant column, such as that of an intercept,
// it returns +Inf instead: there the sum is |u| times Tally.Size, which setResidual uses. With several
// processes no column counts as constant.
func (r *rootMatrix) sizes(c, alpha []float64) []float64 {
	out := make([]float64, len(r.idx))
	for a, idx := range r.idx {
		if r.constant[a] {
			out[a] = math.Inf(1)
			continue
		}
		for m, i := range idx {
			out[a] += math.Abs(float64(float64(c[i]*alpha[i]) * r.val[a][m]))
		}
	}
	return out
}

// rootHessian returns the upper triangle of N'HN, see rootRow for N.
// row(j) returns row j of H = κX'CX, see Move.
func (p *Problem) rootHessian(row func(j int) []float64) []float64 {
	k, allColumns, products := p.RootCount(), make([]int32, len(p.Ridge)), p.newRootRow()
	for j := range allColumns {
		allColumns[j] = int32(j)
	}
	h := make([]float64, k*k)
	for a, root := range p.correction.roots {
		for _, n := range root.n {
			products.setRow(allColumns, row(int(n.index)))
			for b := a; b < k; b++ {
				h[a*k+b] += float64(n.value * products.entry(int32(b)))
			}
		}
	}
	return h
}

// entry returns the inner product of columns a and b of X N, with the factors phi.
func (r *rootMatrix) entry(a, b int, phi []float64) (sum float64) {
	if a == b {
		for m, i := range r.idx[a] {
			v := r.val[a][m]
			sum += float64(float64(phi[i]*v) * v)
		}
		return sum
	}
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
