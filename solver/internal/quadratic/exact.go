package quadratic

import (
	"math"

	"github.com/scas-admm/scas/kernels"
)

// A rowKind says what a row of the penalty is at the solution.
type rowKind uint8

const (
	free     rowKind = iota // v ≠ 0: z = ± limit
	absorbed                // v = 0 because of zeros and ties
	held                    // v = 0, by its multiplier
)

// MakeExact makes the zeros and ties of the solution exact, after Solve, and reports whether it did: the
// function is then at most by slack above that of the solution. Move and Z stay: they prove as much of
// the new point. Curvature bounds that of each
// coordinate from below, in the place of H where there are groups or a set.
//
// With absolute values alone it solves the problem that is left: a variable for each group of tied
// coordinates, and limit sign(v) v in the place of limit |v|. Rows whose v is zero and that
// are no zero and no tie of coordinates are held at zero by their multipliers and weights (an augmented
// Lagrangian).
func (q *Coupled) MakeExact(slack float64, curvature []float64) (part Partition, ok bool) {
	zero := q.zeros()
	y := make([]float64, len(zero))
	for k, z := range zero {
		if !z {
			y[k] = 1
		}
	}
	part = ReadStructure(q.Penalty.M, y, nil, q.Order).Partition()
	before, u := q.Value(), append([]float64(nil), q.U...)
	if q.Penalty.Grouped() || q.Set != nil {
		q.tie(&part, curvature)
		ok = q.Value() <= before+slack && part.Holds(q.U)
	} else {
		ok = q.reduce(&part, zero) && q.Value() <= before+slack
	}
	if !ok {
		copy(q.U, u)
	}
	return part, ok
}

// Value returns the function at u, less that at x.
func (q *Coupled) Value() float64 {
	sum := 0.0
	q.refresh()
	for j, u := range q.U {
		sum += float64((u - q.X[j]) * (q.Gradient[j] + float64(0.5*q.hd[j])))
	}
	v := make([]float64, q.Penalty.Len())
	q.Penalty.Mul(v, q.U)
	after := q.Penalty.Value(v)
	q.Penalty.Mul(v, q.X)
	return sum + (after - q.Penalty.Value(v))
}

// zeros says which rows are zero at the solution. Where a row is, |v| falls as fast as τ does,
// whatever its unit, and limit |v| is about τ unless its multiplier is close to the limit; elsewhere
// |v| stays. In between is the root of both.
func (q *Coupled) zeros() []bool {
	r := q.Penalty
	zero := make([]bool, r.Len())
	part := math.Sqrt(q.Tau / q.was)
	is := func(limit, size, before float64) bool {
		return limit > 0 && !(q.Tau < 0.1*float64(limit*size) && size > part*before)
	}
	if !r.Grouped() {
		for k, v := range q.image {
			zero[k] = is(r.Limit[k], math.Abs(v), math.Abs(q.before[k]))
		}
	}
	for k := range r.Groups {
		g := &r.Groups[k]
		z := is(g.Limit, g.Norm(q.image), g.Norm(q.before))
		for _, row := range g.Rows {
			zero[row] = z
		}
	}
	return zero
}

// tie makes zeros and ties exact, those tied at their mean by curvatures, which differ as the
// squares of their units do, and moves coordinates to the bounds that they are close to.
func (q *Coupled) tie(part *Partition, curvature []float64) {
	h, y := make([]float64, q.Order), make([]float64, part.Count)
	sum, most := make([]float64, part.Count), make([]float64, part.Count)
	for j, of := range part.Group {
		h[j] = math.Max(q.H[j*q.Stride+j], curvature[j])
		if of >= 0 {
			weight, f := h[j]+1e-300, part.Factor[j] // for those without curvature
			y[of] += float64(weight * f * q.U[j])
			sum[of] += float64(weight * f * f)
			most[of] = math.Max(most[of], float64(h[j]*f*f))
		}
	}
	for k, v := range sum {
		y[k] /= v
	}
	part.Expand(q.U, y)
	for j, of := range part.Group {
		if of >= 0 {
			h[j] = most[of] / (part.Factor[j] * part.Factor[j]) // those tied move together
		}
	}
	if q.Set != nil {
		q.walls.snap(q.U, h, q.Tau)
	}
}

const (
	// reducedLift keeps steps in the range of the matrix: solutions are not unique where columns
	// depend on each other, as with one-hot features, and the one of Solve is a good one of them.
	reducedLift = 1e-9
	maxReduced  = 6 // steps; one is enough where no row is held
)

// reduce moves u to the minimum with the structure, and reports whether it is one of the problem.
func (q *Coupled) reduce(part *Partition, zero []bool) bool {
	r := q.Penalty
	kind, z := make([]rowKind, len(zero)), append([]float64(nil), q.Z...)
	for k := range zero {
		switch {
		case !zero[k]:
			z[k] = math.Copysign(r.Limit[k], q.image[k])
		case part.ImpliesZero(r.M, k):
			kind[k] = absorbed
		default:
			kind[k] = held
		}
	}
	y, g, step := make([]float64, part.Count), make([]float64, part.Count), make([]float64, part.Count)
	part.Nearest(y, q.U)
	system := newSystem(NewTriangle(part.Count, q.reducedWidth(part)), q.Threads)
	q.collect(system, part, kind)
	if part.Count > 0 && !system.factorFrom(reducedLift) {
		return false
	}
	last := math.Inf(1)
	for range maxReduced {
		part.Expand(q.U, y)
		q.refresh()
		r.Mul(q.image, q.U)
		full, by := q.rhs, append([]float64(nil), z...)
		for k, v := range q.image {
			switch kind[k] {
			case absorbed:
				by[k] = 0
			case held:
				z[k] = math.FMA(q.bend.h[k], v, z[k])
				by[k] = z[k]
			}
		}
		for j, v := range q.Gradient {
			full[j] = v + q.hd[j]
		}
		r.AddTrans(full, by)
		part.Collect(g, full)
		system.solveLifted(step, g)
		decrement := math.Abs(kernels.Dot(step, g))
		if !(decrement < last/4) || decrement == 0 {
			break
		}
		last = decrement
		kernels.Axpy(-1, step, y)
	}
	for k, v := range q.image {
		if kind[k] == free && float64(v*z[k]) < 0 || math.IsNaN(v) {
			return false
		}
	}
	return true
}

// collect forms E'(H + A' diag(h) A)E over the held rows, E the matrix of the groups.
func (q *Coupled) collect(to *system, part *Partition, kind []rowKind) {
	add := func(i, j int, v float64) {
		a, b := part.Group[i], part.Group[j]
		if a < 0 || b < 0 {
			return
		}
		if a == b && i != j {
			v *= 2
		}
		to.h[int(min(a, b))*to.Stride+int(max(a, b))] += float64(part.Factor[i] * part.Factor[j] * v)
	}
	for i := range q.Order {
		if part.Group[i] >= 0 {
			for m, v := range q.Row(q.H, i) {
				add(i, i+m, v)
			}
		}
	}
	for row, is := range kind {
		if is != held {
			continue
		}
		idx, val := q.Penalty.M.Row(row)
		for a, i := range idx {
			for b := a; b < len(idx); b++ {
				add(int(i), int(idx[b]), float64(q.bend.h[row]*float64(val[a]*val[b])))
			}
		}
	}
}

// reducedWidth returns the band of the groups' matrix.
func (q *Coupled) reducedWidth(part *Partition) int {
	if !q.Banded() {
		return part.Count - 1
	}
	widest := int32(0)
	for i, of := range part.Group {
		for _, other := range part.Group[i:min(q.Order, i+q.Width+1)] {
			if of >= 0 && other >= 0 {
				widest = max(widest, of-other, other-of)
			}
		}
	}
	return int(widest)
}
