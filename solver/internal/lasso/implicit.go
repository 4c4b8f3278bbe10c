package lasso

import (
	"math"

	"github.com/scas-admm/scas/sparse"
)

// An implicit Hessian X'WX + diag(ridge) of a working set is never formed: slopes of the
// model are products of columns with u = W X d, which a move of a coordinate updates as
// coordinate descent for one column does. For sparse columns that takes much less than a
// row of the Hessian, and sets may be larger than dense matrices can.
type implicit struct {
	columns   *sparse.CSR // X'
	cols      []int32     // the set's
	weight, u []float64   // n
	ridge     []float64   // of each column of the set
	along     []float64   // n: scratch
	dir, next []float64   // of the support: scratch
}

const (
	implicitPart   = 16    // entries of a column, as a part of the set's size, from which on the Hessian is formed
	leastImplicit  = 256   // columns from which on it is not
	implicitSweeps = 20    // over the support between solutions for it
	maxConjugate   = 300   // steps of conjugate gradients
	mostImplicit   = 65535 // columns that an index of kernels.Rows has room for
)

// implicit returns what stands for the Hessian of the columns, nil where it is formed.
func (s *Solver) implicit(cols []int32) *implicit {
	entries, m := 0.0, float64(len(cols))
	for _, j := range cols {
		entries += s.facts.entries[j]
	}
	if m < leastImplicit || m <= defaultWorking && entries*implicitPart > m*m {
		return nil
	}
	h := &implicit{columns: s.transpose(), cols: cols}
	for _, v := range []*[]float64{&h.weight, &h.u, &h.along} {
		*v = make([]float64, s.n)
	}
	for _, v := range []*[]float64{&h.ridge, &h.dir, &h.next} {
		*v = make([]float64, len(cols))
	}
	return h
}

func (h *implicit) column(j int) ([]int32, []float64) { return h.columns.Row(int(h.cols[j])) }

// inner returns x_j'v.
func (h *implicit) inner(j int, v []float64) (sum float64) {
	idx, val := h.column(j)
	val = val[:len(idx)]
	for k, i := range idx {
		sum += float64(val[k] * v[i])
	}
	return sum
}

// add adds by times W x_j to v.
func (h *implicit) add(v []float64, j int, by float64) {
	idx, val := h.column(j)
	val = val[:len(idx)]
	for k, i := range idx {
		v[i] += float64(float64(by*val[k]) * h.weight[i])
	}
}

// form takes the weights W and sets the diagonal of X'WX.
func (h *implicit) form(diagonal, weight []float64) {
	copy(h.weight, weight)
	for j := range diagonal {
		sum := 0.0
		idx, val := h.column(j)
		for k, i := range idx {
			sum += float64(float64(val[k]*val[k]) * weight[i])
		}
		diagonal[j] = sum
	}
}

// conjugate sets step to about the minimum over the support with the signs it has, as
// far as no slope is more than part of tol units: conjugate gradients with the diagonal as
// preconditioner. Where they are stopped before, the step still leads down.
func (q *model) conjugate(tol float64) bool {
	h, k := q.implicit, len(q.support)
	step, rest, dir, next := q.step[:k], q.rhs[:k], h.dir[:k], h.next[:k]
	clear(step)
	var energy float64
	for a, i := range q.support {
		if rest[a] = -q.slope(i); q.limit[i] > 0 {
			rest[a] -= math.Copysign(q.limit[i], q.x[i]+q.d[i])
		}
		dir[a] = rest[a] / q.curvature(i)
		energy += float64(rest[a] * dir[a])
	}
	for range maxConjugate {
		clear(h.along)
		for a, i := range q.support {
			h.add(h.along, i, dir[a])
		}
		var bend float64
		for a, i := range q.support {
			next[a] = h.inner(i, h.along) + float64(h.ridge[i]*dir[a])
			bend += float64(next[a] * dir[a])
		}
		if !(bend > 0) || !(energy > 0) {
			break
		}
		length, before, worst := energy/bend, energy, 0.0
		energy = 0
		for a, i := range q.support {
			step[a] += float64(length * dir[a])
			rest[a] -= float64(length * next[a])
			worst = max(worst, math.Abs(rest[a])/q.unit[i])
			energy += float64(rest[a]*rest[a]) / q.curvature(i)
		}
		if worst <= 0.3*tol {
			break
		}
		for a, i := range q.support {
			dir[a] = rest[a]/q.curvature(i) + float64(energy/before*dir[a])
		}
	}
	return true
}
