package lasso

import (
	"math"

	"github.com/scas-admm/scas/kernels"
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
	rows      kernels.Rows
	dir, next []float64 // of the set: scratch
	stop      func() error
}

// stopped reports whether the model is to be left as it is.
func (q *model) stopped() bool {
	return q.implicit != nil && q.implicit.stop != nil && q.implicit.stop() != nil
}

const (
	implicitPart   = 6     // entries of a column, as a part of the set's size, from which on the Hessian is formed
	leastImplicit  = 256   // columns from which on it is not
	implicitSweeps = 20    // over the support between solutions for it
	maxConjugate   = 300   // steps of conjugate gradients
	restPart       = 0.3   // of what the model may leave: what they leave
	mostImplicit   = 65535 // columns that an index of kernels.Rows has room for
)

// implicit returns what stands for the Hessian of the columns, nil where it is formed.
func (s *Solver) implicit(cols []int32) *implicit {
	entries := 0.0
	for _, j := range cols {
		entries += s.facts.entries[j]
	}
	if !s.Team.Alone() || formed(len(cols), entries) {
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

// formed reports whether the Hessian of so many columns, with so many entries in all, is
// formed.
func formed(columns int, entries float64) bool {
	m := float64(columns)
	return m < leastImplicit || m <= defaultWorking && entries*implicitPart > m*m
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

// times sets next to H dir.
func (h *implicit) times() {
	kernels.Margins(h.along, h.rows, h.dir)
	for i, w := range h.weight {
		h.along[i] *= w
	}
	clear(h.next)
	kernels.Gradient(h.next, h.rows, h.along)
	for j, r := range h.ridge {
		h.next[j] += float64(r * h.dir[j])
	}
}

// conjugate sets step to about the minimum over the support with the signs it has, until
// no slope is more than a part of tol units: conjugate gradients with the diagonal as
// preconditioner. Where they are stopped before, the step still leads down.
func (q *model) conjugate(tol float64) {
	h, k := q.implicit, len(q.support)
	step, rest := q.step[:k], q.rhs[:k]
	clear(step)
	clear(h.dir)
	var energy float64
	for a, i := range q.support {
		if rest[a] = -q.slope(i); q.limit[i] > 0 {
			rest[a] -= math.Copysign(q.limit[i], q.x[i]+q.d[i])
		}
		h.dir[i] = rest[a] / q.curvature(i)
		energy += float64(rest[a] * h.dir[i])
	}
	for range maxConjugate {
		if q.stopped() {
			return
		}
		h.times()
		var bend float64
		for _, i := range q.support {
			bend += float64(h.next[i] * h.dir[i])
		}
		if !(bend > 0) || !(energy > 0) {
			return
		}
		length, before, worst := energy/bend, energy, 0.0
		energy = 0
		for a, i := range q.support {
			step[a] += float64(length * h.dir[i])
			rest[a] -= float64(length * h.next[i])
			worst = max(worst, math.Abs(rest[a])/q.unit[i])
			energy += float64(rest[a]*rest[a]) / q.curvature(i)
		}
		if worst <= restPart*tol {
			return
		}
		turn := energy / before
		for a, i := range q.support {
			h.dir[i] = rest[a]/q.curvature(i) + float64(turn*h.dir[i])
		}
	}
}
