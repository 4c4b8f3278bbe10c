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
	rows      kernels.Rows
	stop      func() error

	part      kernels.Rows // rows of the support's columns
	place     []uint16     // of each column of the set: 1 + its position in the support, 0 if it is not there
	along     []float64    // n: scratch
	dir, next []float64    // of the support
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
	lookPart       = 0.1   // of the largest slope: when it has fallen by that, they look where they lead
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
	h.place = make([]uint16, len(cols))
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

// restrict makes part the rows of the support's columns.
func (h *implicit) restrict(support []int) {
	clear(h.place)
	for a, i := range support {
		h.place[i] = uint16(a + 1)
	}
	p, whole := &h.part, &h.rows
	p.Cols, p.Ptr, p.Idx16, p.Val, p.Val32 = len(support), append(p.Ptr[:0], 0), p.Idx16[:0], p.Val[:0], p.Val32[:0]
	for r := range whole.Len() {
		for e := whole.Ptr[r]; e < whole.Ptr[r+1]; e++ {
			at := h.place[whole.Idx16[e]]
			if at == 0 {
				continue
			}
			p.Idx16 = append(p.Idx16, at-1)
			switch {
			case whole.Val != nil:
				p.Val = append(p.Val, whole.Val[e])
			case whole.Val32 != nil:
				p.Val32 = append(p.Val32, whole.Val32[e])
			}
		}
		p.Ptr = append(p.Ptr, int64(len(p.Idx16)))
	}
}

// cached is the number of nonzeros that stay in a processor's second cache between the
// two products with them.
const cached = 1 << 14

// times sets next to H dir for the columns of the support.
func (h *implicit) times(support []int) {
	k, n := len(support), h.part.Len()
	clear(h.next[:k])
	for lo := 0; lo < n; {
		hi := lo + 1
		for hi < n && h.part.Ptr[hi+1]-h.part.Ptr[lo] <= cached {
			hi++
		}
		rows, along := h.part, h.along[lo:hi]
		rows.Ptr = rows.Ptr[lo : hi+1]
		kernels.Margins(along, rows, h.dir[:k])
		for i, w := range h.weight[lo:hi] {
			along[i] *= w
		}
		kernels.Gradient(h.next[:k], rows, along)
		lo = hi
	}
	for a, i := range support {
		h.next[a] += float64(h.ridge[i] * h.dir[a])
	}
}

// conjugate sets step to about the minimum over the support with the signs it has, until
// no slope is more than a part of tol units: conjugate gradients with the diagonal as
// preconditioner. Where they are stopped before, or the step is seen to change signs, it
// still leads down.
func (q *model) conjugate(tol float64) {
	h, k := q.implicit, len(q.support)
	step, rest := q.step[:k], q.rhs[:k]
	clear(step)
	h.restrict(q.support)
	var energy, look float64
	for a, i := range q.support {
		if rest[a] = -q.slope(i); q.limit[i] > 0 {
			rest[a] -= math.Copysign(q.limit[i], q.x[i]+q.d[i])
		}
		h.dir[a] = rest[a] / q.curvature(i)
		energy += float64(rest[a] * h.dir[a])
		look = max(look, lookPart*math.Abs(rest[a])/q.unit[i])
	}
	for range maxConjugate {
		if q.stopped() {
			return
		}
		h.times(q.support)
		var bend float64
		for a, d := range h.dir[:k] {
			bend += float64(h.next[a] * d)
		}
		if !(bend > 0) || !(energy > 0) {
			return
		}
		length, before, worst := energy/bend, energy, 0.0
		energy = 0
		for a, i := range q.support {
			step[a] += float64(length * h.dir[a])
			rest[a] -= float64(length * h.next[a])
			worst = max(worst, math.Abs(rest[a])/q.unit[i])
			energy += float64(rest[a]*rest[a]) / q.curvature(i)
		}
		if worst <= restPart*tol {
			return
		}
		if worst <= look {
			if q.changesSign() {
				return
			}
			look *= lookPart
		}
		turn := energy / before
		for a, i := range q.support {
			h.dir[a] = rest[a]/q.curvature(i) + float64(turn*h.dir[a])
		}
	}
}

// changesSign reports whether the step leads a coordinate of the support to zero or
// beyond.
func (q *model) changesSign() bool {
	for a, i := range q.support {
		if at := q.x[i] + q.d[i]; q.ends(i) && (at+q.step[a])*at <= 0 {
			return true
		}
	}
	return false
}
