package quadratic

import (
	"math"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/linalg"
)

// A Grouped problem has a penalty of norms of groups of coordinates:
//
//	minimise over u   g'(u − x) + (u − x)'H(u − x)/2 + Σ_G Limit_G |(D u)_G|₂
//
// with the gradient g and a diagonal matrix D. Solve alternates between two kinds of steps. A sweep goes once
// over all groups, and finds out which of them are zero. A Newton step changes only the coordinates of the
// other groups and the free coordinates.
type Grouped struct {
	H     []float64 // all entries of the symmetric matrix H, by rows
	Order int
	// Groups has the coordinates of each group; the groups are disjoint. Coordinates in no group are free.
	Groups  [][]int32
	Limit   []float64 // one positive number for each group
	Factor  []float64 // the diagonal of D; no entry is 0
	Threads int
	Stop    func() bool // ends Solve early; may be nil

	X, Gradient []float64
	U           []float64 // the solution

	residual []float64 // g + H (u − x)
	bound    []float64 // for each group an upper bound of the eigenvalues of D⁻¹HD⁻¹ within the group
	free     []int32   // the coordinates in no group
	norm     []float64 // for each group |(D u)_G|
	system   *system
	support  []int32 // the coordinates of a Newton step
	// The right side, the Newton step, and the end of the step, for the support.
	rhs, step, end []float64
	change         []float64 // H times the change of U in the step
	damping        float64   // of the next Newton step, see shortGroupStep
	block          groupBlock
}

// A groupBlock is scratch memory for the coordinates of one group.
type groupBlock struct{ w, r, target, move []float64 }

// GroupedSettings are the settings of Grouped.Solve.
type GroupedSettings struct {
	// Solve ends when the function at U is estimated to exceed its minimum by at most Gap, and no norm of the
	// multipliers of a group exceeds its limit by more than Violation times the limit. The estimate is rough.
	Gap, Violation float64
	// Solve also ends when that estimate is at most RelGap times the fall of the function so far.
	RelGap float64
}

const (
	mostGroupRounds = 100 // largest number of Newton steps of Grouped.Solve
	mostGroupSweeps = 10  // largest number of sweeps between two Newton steps
	mostBlockSteps  = 5   // largest number of steps in one group before the residual is updated
	// Solve ends after this number of Newton steps in a row that did not lower the function by more than
	// rounding.
	mostGroupFailures = 5
	leastGroupStep    = 1e-3 // smallest length of a Newton step, relative to the result of firstZero
	// After a step shorter than shortGroupStep, the next Newton steps are damped: the matrix of the step gets
	// damping times the diagonal of H. If H is singular, Newton steps without damping can be far too long.
	shortGroupStep                      = 0.5
	leastGroupDamping, mostGroupDamping = 1e-10, 1e-2
)

// Solve sets U to an approximate minimiser. It starts at X. If set.RelGap is 0, a last Newton step makes the
// multipliers more accurate than the settings ask for, as a proof needs them. Solve returns false if it ends
// before U is as accurate as set asks for: because of Stop, or because it makes no or little progress.
func (q *Grouped) Solve(set *GroupedSettings) bool {
	q.prepare()
	failures := 0
	for range mostGroupRounds {
		for range mostGroupSweeps {
			if !q.sweep() {
				break
			}
		}
		solved := q.isSolved(set)
		switch {
		case solved && set.RelGap > 0:
			return true
		case q.Stop != nil && q.Stop():
			return false
		case q.newton():
			failures = 0
		default:
			failures++
		}
		switch {
		case solved || set.RelGap > 0 && q.isSolved(set):
			return true
		case failures == mostGroupFailures:
			return false
		}
	}
	return false
}

func (q *Grouped) prepare() {
	n, largest := q.Order, 0
	q.U, q.residual = append(q.U[:0], q.X...), append(q.residual[:0], q.Gradient...)
	q.change, q.damping = append(q.change[:0], q.X...), 0
	for _, group := range q.Groups {
		largest = max(largest, len(group))
	}
	b := &q.block
	for _, v := range []*[]float64{&b.w, &b.r, &b.target, &b.move} {
		*v = make([]float64, largest)
	}
	q.bound, q.norm, q.free = q.bound[:0], q.norm[:0], q.free[:0]
	isGrouped := make([]bool, n)
	for _, group := range q.Groups {
		mostSum := 0.0 // no eigenvalue exceeds the largest sum of absolute values in a row
		for _, i := range group {
			isGrouped[i] = true
			sum := 0.0
			for _, j := range group {
				sum += math.Abs(q.H[int(i)*n+int(j)] / (q.Factor[i] * q.Factor[j]))
			}
			mostSum = max(mostSum, sum)
		}
		q.bound, q.norm = append(q.bound, mostSum), append(q.norm, q.normOf(group))
	}
	for j := range n {
		if !isGrouped[j] {
			q.free = append(q.free, int32(j))
		}
	}
}

// normOf returns |(D u)_G|.
func (q *Grouped) normOf(group []int32) float64 {
	w := q.block.w[:len(group)]
	for m, j := range group {
		w[m] = q.Factor[j] * q.U[j]
	}
	return linalg.Norm(w)
}

// sweep lowers the function by moving the coordinates of each group in turn, and then each free coordinate.
// supportChanged is true if a group has become zero, or is no longer zero.
func (q *Grouped) sweep() (supportChanged bool) {
	for k := range q.Groups {
		if wasZero := q.norm[k] == 0; q.moveGroup(k) && wasZero != (q.norm[k] == 0) {
			supportChanged = true
		}
	}
	for _, j := range q.free {
		if curvature := q.H[int(j)*q.Order+int(j)]; curvature > 0 {
			q.move(j, -q.residual[j]/curvature)
		}
	}
	return supportChanged
}

// moveGroup makes proximal gradient steps for the coordinates of group k. It returns false if the group is zero
// and stays zero.
func (q *Grouped) moveGroup(k int) bool {
	group, limit, bound, b := q.Groups[k], q.Limit[k], q.bound[k], &q.block
	size := 0.0
	for m, j := range group {
		b.w[m], b.r[m], b.move[m] = q.Factor[j]*q.U[j], q.residual[j]/q.Factor[j], 0
		size += float64(b.r[m] * b.r[m])
	}
	if q.norm[k] == 0 && size <= float64(limit*limit) {
		return false
	}
	for range mostBlockSteps {
		if !(bound > 0) { // the columns of the group have no data
			clear(b.w[:len(group)])
			break
		}
		norm, distance := 0.0, 0.0
		for m := range group {
			b.target[m] = float64(bound*b.w[m]) - b.r[m]
			norm += float64(b.target[m] * b.target[m])
		}
		norm = math.Sqrt(norm)
		shrink := max(0, 1-limit/norm) / bound
		for m := range group {
			b.target[m] = float64(shrink*b.target[m]) - b.w[m] // the step
			b.w[m] += b.target[m]
			b.move[m] += b.target[m]
			distance += float64(b.target[m] * b.target[m])
		}
		for m, i := range group {
			sum := 0.0
			for l, j := range group {
				sum += float64(q.H[int(i)*q.Order+int(j)] / q.Factor[j] * b.target[l])
			}
			b.r[m] += sum / q.Factor[i]
		}
		if shrink == 0 || float64(distance*bound*bound) <= float64(1e-4*limit*limit) {
			break
		}
	}
	for m, j := range group {
		if b.w[m] == 0 {
			q.move(j, -q.U[j]) // without rounding
		} else {
			q.move(j, b.move[m]/q.Factor[j])
		}
	}
	q.norm[k] = q.normOf(group)
	return true
}

// move changes a coordinate by d.
func (q *Grouped) move(j int32, d float64) {
	if d == 0 {
		return
	}
	q.U[j] += d
	kernels.Axpy(d, q.H[int(j)*q.Order:(int(j)+1)*q.Order], q.residual)
}

// newton makes a Newton step for the free coordinates and the groups that are not zero. It returns false if
// this does not lower the function by more than rounding.
func (q *Grouped) newton() bool {
	n := q.Order
	q.support = append(q.support[:0], q.free...)
	for k, group := range q.Groups {
		if q.norm[k] > 0 {
			q.support = append(q.support, group...)
		}
	}
	order := len(q.support)
	if order == 0 {
		return false
	}
	if q.system == nil {
		q.system = newSystem(order, q.Threads)
	} else {
		q.system.reset(order)
	}
	q.rhs, q.step = q.rhs[:0], append(q.step[:0], make([]float64, order)...)
	for i, a := range q.support {
		row, out := q.H[int(a)*n:(int(a)+1)*n], upperRow(q.system.h, order, i)
		for m, b := range q.support[i:] {
			out[m] = row[b]
		}
		out[0] += float64(q.damping * row[a])
		q.rhs = append(q.rhs, -q.residual[a])
	}
	q.addPenalty()
	length, lowered := 0.0, false
	if q.system.factor(firstShift) {
		q.system.solve(q.step, q.rhs)
		length, lowered = q.search()
	}
	switch {
	case length == 1:
		q.damping *= 0.1
	case length < shortGroupStep:
		q.damping = min(max(100*q.damping, leastGroupDamping), mostGroupDamping)
	}
	if q.damping < leastGroupDamping {
		q.damping = 0
	}
	return lowered
}

// addPenalty adds the derivatives of the penalty to the system of a Newton step.
func (q *Grouped) addPenalty() {
	first := len(q.free)
	for k, group := range q.Groups {
		norm := q.norm[k]
		if !(norm > 0) { // newton leaves out the same groups: zero, and NaN after an overflow
			continue
		}
		curvature := q.Limit[k] / norm
		for m, i := range group {
			vi := q.Factor[i] * q.U[i] / norm
			q.rhs[first+m] -= float64(q.Limit[k] * vi * q.Factor[i])
			row := upperRow(q.system.h, q.system.order, first+m)
			row[0] += float64(curvature * q.Factor[i] * q.Factor[i])
			for l := m; l < len(group); l++ {
				j := group[l]
				vj := q.Factor[j] * q.U[j] / norm
				row[l-m] -= float64(curvature * vi * vj * q.Factor[i] * q.Factor[j])
			}
		}
		first += len(group)
	}
}

// search moves U along the Newton step, by the first length it finds that lowers the function enough. It
// returns this length, or 0 if it finds none. lowered is false if the function has fallen only by rounding
// errors.
//
// The norm of a group is not smooth at zero, so a step that leads a group past zero is not reliable. If the
// vector of the group would turn by 90 degrees or more, search makes the group zero instead, see tryStep.
func (q *Grouped) search() (length float64, lowered bool) {
	slope := -kernels.Dot(q.rhs, q.step)
	if !(slope < 0) {
		return 0, false
	}
	size := 0.0
	for k, norm := range q.norm {
		size += float64(q.Limit[k] * norm)
	}
	first := q.firstZero()
	least := leastGroupStep * first
	for length = 1; length > least; length = nextLength(length, first) {
		rise, most := q.tryStep(length), float64(1e-3*length*slope)
		if rise <= most+float64(1e-16*size) {
			for m, j := range q.support {
				q.U[j] = q.end[m]
			}
			kernels.Axpy(1, q.change, q.residual)
			for k, group := range q.Groups {
				if q.norm[k] > 0 {
					q.norm[k] = q.normOf(group)
				}
			}
			return length, rise <= most
		}
	}
	return 0, false
}

// firstZero returns the smallest length of the Newton step at which search makes a group zero, but at most 1.
// If the matrix of the step is nearly singular, the full step is much longer than this.
func (q *Grouped) firstZero() float64 {
	length, first := 1.0, len(q.free)
	for k, group := range q.Groups {
		if q.norm[k] == 0 {
			continue
		}
		product := 0.0
		for m, j := range group {
			product += float64(float64(q.Factor[j]*q.U[j]) * float64(q.Factor[j]*q.step[first+m]))
		}
		if square := q.norm[k] * q.norm[k]; -product*length > square {
			length = -square / product
		}
		first += len(group)
	}
	return length
}

// nextLength returns the length that search tries after the given length: a quarter of it. But if first lies
// between the two, nextLength returns first.
func nextLength(length, first float64) float64 {
	if length > first && length/4 < first {
		return first
	}
	return length / 4
}

// tryStep sets q.end to the coordinates of the support after a Newton step of the given length, and q.change
// to H times the change of U. It returns the change of the function.
func (q *Grouped) tryStep(length float64) (rise float64) {
	q.end = q.end[:0]
	for m, j := range q.support {
		q.end = append(q.end, q.U[j]+float64(length*q.step[m]))
	}
	first := len(q.free)
	for k, group := range q.Groups {
		if q.norm[k] == 0 {
			continue
		}
		end, product, sum := q.end[first:first+len(group)], 0.0, 0.0
		for m, j := range group {
			v := float64(q.Factor[j] * end[m])
			product += float64(v * float64(q.Factor[j]*q.U[j]))
			sum += float64(v * v)
		}
		if !(product > float64(1e-9*q.norm[k]*q.norm[k])) {
			clear(end)
			sum = 0
		}
		rise += float64(q.Limit[k] * (math.Sqrt(sum) - q.norm[k]))
		first += len(group)
	}
	clear(q.change)
	for m, j := range q.support {
		kernels.Axpy(q.end[m]-q.U[j], q.H[int(j)*q.Order:(int(j)+1)*q.Order], q.change)
	}
	for m, j := range q.support {
		rise += float64((q.end[m] - q.U[j]) * (q.residual[j] + float64(0.5*q.change[j])))
	}
	return rise
}

// isSolved reports whether Solve may end, see GroupedSettings.
func (q *Grouped) isSolved(set *GroupedSettings) bool {
	gap, violation := 0.0, 0.0
	for k, group := range q.Groups {
		product, size := 0.0, 0.0
		for _, j := range group {
			r := q.residual[j] / q.Factor[j]
			size += float64(r * r)
			product += float64(q.residual[j] * q.U[j])
		}
		size = math.Sqrt(size)
		factor := 1.0
		if limit := q.Limit[k]; size > limit {
			excess := size - limit
			factor = limit / size
			violation = max(violation, excess/limit)
			gap += float64(excess * excess / q.bound[k])
		}
		gap += max(0, float64(q.Limit[k]*q.norm[k])+float64(factor*product))
	}
	for _, j := range q.free {
		if h := q.H[int(j)*q.Order+int(j)]; h > 0 {
			gap += float64(q.residual[j] * q.residual[j] / h)
		}
	}
	return gap <= set.Gap && violation <= set.Violation || gap <= float64(-set.RelGap*q.Value())
}

// Value returns the function at U minus the function at X.
func (q *Grouped) Value() float64 {
	sum := q.PenaltyRise()
	for j, u := range q.U {
		sum += float64(0.5 * (u - q.X[j]) * (q.Gradient[j] + q.residual[j]))
	}
	return sum
}

// PenaltyRise returns the penalty at U minus the penalty at X.
func (q *Grouped) PenaltyRise() float64 {
	sum := 0.0
	for k, group := range q.Groups {
		old := 0.0
		for _, j := range group {
			v := float64(q.Factor[j] * q.X[j])
			old += float64(v * v)
		}
		sum += float64(q.Limit[k] * (q.norm[k] - math.Sqrt(old)))
	}
	return sum
}
