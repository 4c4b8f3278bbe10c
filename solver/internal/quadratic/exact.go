package quadratic

import (
	"math"

	"github.com/scas-admm/scas/kernels"
)

// A rowKind says whether an entry v of A u is zero at the solution.
type rowKind uint8

const (
	nonzero     rowKind = iota // the entry is not zero, and its multiplier is limit or −limit
	implied                    // the entry is zero whenever u has the zeros and ties of the Partition
	constrained                // the entry is zero, but the Partition does not imply this: it is a constraint
)

// MakeExact changes U after a call of Solve, so that its zeros and ties are exact. partition has these zeros
// and ties. ok is true if U now has them, and if the objective has risen by at most slack. If ok is false, U
// does not change. Move and Z do not change: the lower bound that they prove does not depend on U.
//
// If the penalty has groups or there is a set, tied coordinates get a mean, weighted by the diagonal of H or,
// if larger, by curvature. Otherwise MakeExact solves the reduced problem. This problem has one variable for
// each group of tied coordinates. The linear term limit s v, where s is the sign of v after Solve, replaces
// limit |v| for each entry v of A u. If v must be zero, but partition does not imply this, the augmented
// Lagrangian method enforces v = 0.
func (q *Coupled) MakeExact(slack float64, curvature []float64) (partition Partition, ok bool) {
	zero := q.zeros()
	oldValue, u := q.Value(), append([]float64(nil), q.U...)
	if q.Penalty.Grouped() || q.Set != nil {
		partition = q.partition(zero)
		q.setTies(&partition, curvature)
		ok = q.Value() <= oldValue+slack && partition.Holds(q.U)
	} else {
		for range mostCorrections {
			partition = q.partition(zero)
			var crossed []int
			if crossed, ok = q.solveReduced(&partition, zero, slack); len(crossed) == 0 {
				break
			}
			ok = false
			copy(q.U, u)
			q.Penalty.Mul(q.image, q.U)
			for _, k := range crossed {
				zero[k] = true
			}
		}
		ok = ok && q.Value() <= oldValue+slack
	}
	if !ok {
		copy(q.U, u)
	}
	return partition, ok
}

// mostCorrections is the largest number of reduced problems in MakeExact. Each of them makes those entries of A u zero
// that changed their sign in the one before.
const mostCorrections = 4

// partition returns the partition in which the marked entries of A u are zero.
func (q *Coupled) partition(zero []bool) Partition {
	y := make([]float64, len(zero))
	for k, z := range zero {
		if !z {
			y[k] = 1
		}
	}
	return ReadPartition(q.Penalty.M, y, nil, q.Order, true)
}

// Value returns the objective at U minus the objective at X.
func (q *Coupled) Value() float64 {
	sum := 0.0
	q.refresh()
	for j, u := range q.U {
		sum += float64((u - q.X[j]) * (q.Gradient[j] + float64(0.5*q.hd[j])))
	}
	return sum + q.PenaltyRise()
}

// PenaltyRise returns the penalty at U minus the penalty at X.
func (q *Coupled) PenaltyRise() float64 {
	v := make([]float64, q.Penalty.Len())
	q.Penalty.Mul(v, q.U)
	penaltyAtU := q.Penalty.Value(v)
	q.Penalty.Mul(v, q.X)
	return penaltyAtU - q.Penalty.Value(v)
}

// zeros marks the rows of A u that seem to be zero at the solution. Let v be the entry of A u, or the vector
// of the entries in a group, and let τ be q.Tau. If v is zero at the solution, |v| falls like τ, and the
// product limit·|v| is about τ. So rows with limit > 0 are marked if limit·|v| is at most 10 τ, or if |v| is
// at most √(τ/lastTau) times its value at the previous τ, q.lastTau. The second criterion is not used unless
// lastTau is clearly larger than τ; after a failure of Solve it may be equal or even smaller.
func (q *Coupled) zeros() []bool {
	r := q.Penalty
	zero := make([]bool, r.Len())
	threshold := 0.0
	if q.lastTau >= leastLastFall*q.Tau {
		threshold = math.Sqrt(q.Tau / q.lastTau)
	}
	isZero := func(limit, size, oldSize float64) bool {
		return limit > 0 && !(q.Tau < 0.1*float64(limit*size) && size > threshold*oldSize)
	}
	if !r.Grouped() {
		for k, v := range q.image {
			zero[k] = isZero(r.Limit[k], math.Abs(v), math.Abs(q.lastImage[k]))
		}
	}
	for k := range r.Groups {
		g := &r.Groups[k]
		z := isZero(g.Limit, g.Norm(q.image), g.Norm(q.lastImage))
		for _, row := range g.Rows {
			zero[row] = z
		}
	}
	return zero
}

// setTies gives U the zeros and ties of the partition. Tied coordinates get their mean (after division by the
// factors of the tie), weighted by the curvatures that MakeExact describes. Then setTies moves coordinates
// that are near a bound to the bound. In a box, tied coordinates move together to the bound that the first of
// them reaches.
func (q *Coupled) setTies(partition *Partition, curvature []float64) {
	h, y := q.diagonal(), make([]float64, partition.GroupCount)
	sum, maxCurvature := make([]float64, partition.GroupCount), make([]float64, partition.GroupCount)
	for j, group := range partition.Group {
		h[j] = math.Max(h[j], curvature[j])
		if group >= 0 {
			weight, f := h[j]+1e-300, partition.Factor[j] // a weight must be positive
			y[group] += float64(weight * f * q.U[j])
			sum[group] += float64(weight * f * f)
			maxCurvature[group] = math.Max(maxCurvature[group], float64(h[j]*f*f))
		}
	}
	for k, v := range sum {
		y[k] /= v
	}
	if q.Set != nil && q.barriers.Lower != nil && q.barriers.Total == 0 {
		if groups := (barriers{Bounds: partition.bounds(q.barriers.Lower, q.barriers.Upper)}); len(y) > 0 {
			groups.snap(y, maxCurvature, q.Tau) // single coordinates are groups of one
		}
		partition.Expand(q.U, y)
		q.Set.Project(q.U) // a zero, or a group without a common value, may be outside of its bounds
		return
	}
	partition.Expand(q.U, y)
	for j, group := range partition.Group {
		if group >= 0 {
			// With these curvatures, snap moves all coordinates of a group to a bound, or none.
			h[j] = maxCurvature[group] / (partition.Factor[j] * partition.Factor[j])
		}
	}
	if q.Set != nil {
		q.barriers.snap(q.U, h, q.Tau)
		partition.repair(q.U)
	}
}

// diagonal returns the diagonal of H.
func (q *Coupled) diagonal() []float64 {
	out := make([]float64, q.Order)
	if q.Implicit != nil {
		q.Implicit.addDiagonal(out)
		return out
	}
	for j := range out {
		out[j] = q.H[j*q.Order+j]
	}
	return out
}

const (
	// reducedShift is the smallest diagonal shift of the reduced matrix, see system.shift. If the columns of
	// this matrix are linearly dependent, the reduced problem has many solutions. With the shift,
	// solveReduced finds one that is near the result of Solve.
	reducedShift = 1e-9
	// maxReduced is the largest number of Newton steps in solveReduced. If no row has the kind constrained,
	// the reduced problem is a system of linear equations, and one step solves it.
	maxReduced = 6
)

// solveReduced moves U to the solution of the reduced problem, see MakeExact. zero marks the entries of A u that are
// zero at the solution. crossed has the other entries whose sign changes. If there are none, U also solves the original
// problem. ok is false if the reduced matrix cannot be factored. With an implicit Hessian, the objective at U may exceed
// the minimum of the reduced problem by a small part of slack.
func (q *Coupled) solveReduced(partition *Partition, zero []bool, slack float64) (crossed []int, ok bool) {
	r := q.Penalty
	kind, z := make([]rowKind, len(zero)), append([]float64(nil), q.Z...)
	for k := range zero {
		switch {
		case !zero[k]:
			z[k] = math.Copysign(r.Limit[k], q.image[k])
		case partition.impliesZero(r.M, k):
			kind[k] = implied
		default:
			kind[k] = constrained
		}
	}
	y, g, step := make([]float64, partition.GroupCount), make([]float64, partition.GroupCount),
		make([]float64, partition.GroupCount)
	partition.Nearest(y, q.U)
	solve := q.reducedSolver(partition, kind, slack)
	if solve == nil {
		return nil, false
	}
	lastDecrement := math.Inf(1)
	for range maxReduced {
		partition.Expand(q.U, y)
		q.refresh()
		r.Mul(q.image, q.U)
		gradient, multipliers := q.rhs, append([]float64(nil), z...)
		for k, v := range q.image {
			switch kind[k] {
			case implied:
				multipliers[k] = 0
			case constrained:
				z[k] = math.FMA(q.curvature.h[k], v, z[k])
				multipliers[k] = z[k]
			}
		}
		for j, v := range q.Gradient {
			gradient[j] = v + q.hd[j]
		}
		r.AddTrans(gradient, multipliers)
		partition.Collect(g, gradient)
		solve(step, g)
		decrement := math.Abs(kernels.Dot(step, g))
		if !(decrement < lastDecrement/4) || decrement == 0 {
			break
		}
		lastDecrement = decrement
		kernels.Axpy(-1, step, y)
	}
	for k, v := range q.image {
		if math.IsNaN(v) {
			return nil, false
		}
		if kind[k] == nonzero && float64(v*z[k]) < 0 {
			crossed = append(crossed, k)
		}
	}
	return crossed, true
}

// reducedSolver returns a function that sets step to the solution of K step = g, where K is the matrix of the
// reduced problem, see formReduced. The function is nil if K cannot be factored. slack is that of solveReduced.
func (q *Coupled) reducedSolver(
	partition *Partition, kind []rowKind, slack float64,
) (solve func(step, g []float64)) {
	if q.Implicit != nil {
		return q.Implicit.reducedSolver(partition, kind, q.curvature.h, slack, q.Stop)
	}
	system := newSystem(partition.GroupCount, q.Threads)
	q.formReduced(system, partition, kind)
	if partition.GroupCount > 0 && !system.factor(reducedShift) {
		return nil
	}
	return system.solveShifted
}

// formReduced adds E'(H + A' diag(h) A)E to the matrix of the system. Here A has only the constrained rows, h
// has the curvatures of these rows (see smoothen), and E maps the variables of the reduced problem to u.
func (q *Coupled) formReduced(target *system, partition *Partition, kind []rowKind) {
	add := func(i, j int, v float64) {
		a, b := partition.Group[i], partition.Group[j]
		if a < 0 || b < 0 {
			return
		}
		if a == b && i != j {
			v *= 2
		}
		target.h[int(min(a, b))*target.order+int(max(a, b))] += float64(partition.Factor[i] * partition.Factor[j] * v)
	}
	for i := range q.Order {
		if partition.Group[i] >= 0 {
			for m, v := range upperRow(q.H, q.Order, i) {
				add(i, i+m, v)
			}
		}
	}
	for row, is := range kind {
		if is != constrained {
			continue
		}
		idx, val := q.Penalty.M.Row(row)
		for a, i := range idx {
			for b := a; b < len(idx); b++ {
				add(int(i), int(idx[b]), float64(q.curvature.h[row]*float64(val[a]*val[b])))
			}
		}
	}
}
