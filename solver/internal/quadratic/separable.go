package quadratic

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/sparse/pages"
)

// A Separable is the problem
//
//	minimise over u   g'(u − x) + (u − x)'H(u − x)/2 + Σ limit_k |u_k|   subject to   lower ≤ u ≤ upper
//
// All slices have one entry for each coordinate.
type Separable struct {
	H        Hessian
	X        []float64 // x, at which Solve starts; within the bounds
	Gradient []float64 // g
	Limit    []float64 // not negative
	// Lower and Upper may be infinite. Both are nil if there are no bounds.
	Lower, Upper []float64
	// FreeIndex is a coordinate with limit 0 and without bounds, or −1 for none. Solve keeps this
	// coordinate at its minimum, given the other coordinates. For an intercept, this has the same effect as
	// centring the columns of the data.
	FreeIndex int
	// Unit scales violations of the optimality conditions. If the minimum along coordinate k is at distance
	// s, the violation of coordinate k is s times the curvature, divided by Unit_k.
	Unit []float64
	// MaxMove bounds the move of each coordinate in one sweep. Nil means no bound. A bound is useful if
	// the quadratic function approximates another function well only near the start. Newton steps, the
	// coordinate FreeIndex and coordinates without curvature have no bound.
	MaxMove []float64
	// Solve calls Stop after sweeps and in Newton steps, and ends if Stop returns true. Stop may be nil.
	Stop func() bool

	// U is the solution.
	U []float64

	support []int32   // the coordinates that a Newton step changes
	step    []float64 // the Newton step, with an entry for each coordinate in support
	descent []float64 // minus the derivatives with respect to the coordinates in support, see setDescent

	eliminated eliminated // the state of the coordinate whose index is FreeIndex

	saved             []float64 // copy of U before a Newton step
	savedInnerProduct float64   // eliminated.innerProduct before a Newton step
}

// A Hessian is the matrix H of a Separable. It also stores a vector d, and keeps H d up to date. In
// Separable.Solve, d is U − X (fields of Separable), but 0 at the coordinate FreeIndex.
type Hessian interface {
	// Prepare adds ridge, one number for each coordinate, to the diagonal of the matrix. It must be called
	// after each change of the matrix, and before the other methods. It replaces the ridge of the last call.
	Prepare(ridge []float64)
	// Diagonal returns the diagonal of H. No entry is negative.
	Diagonal() []float64
	// Column sets dst to column k of H.
	Column(dst []float64, k int)
	// Reset sets d to 0.
	Reset()
	// Product returns entry k of H d.
	Product(k int) float64
	// Move adds change to entry k of d.
	Move(k int, change float64)
	// Energy returns d'Hd.
	Energy() float64
	// Save stores a copy of d.
	Save()
	// Restore sets d to the copy of the last Save.
	Restore()
	// Solve sets step to a solution of (H − ff')_SS step = descent, where S is the support; a nil f is the
	// vector 0. An iterative method may end early: if isSmall returns true for the residual of the equation,
	// or if crosses returns true for the present step. crosses(step) says that the coordinates plus step go
	// beyond zero or a bound. found is false if there is no step, because the matrix cannot be factored.
	Solve(
		step, descent, f []float64, support []int32, isSmall func(residual []float64) bool,
		crosses func(step []float64) bool,
	) (found bool)
	// MostSweeps returns the largest number of sweeps over the non-zero coordinates between two calls of
	// Solve. nonzeros is the number of non-zero coordinates.
	MostSweeps(nonzeros int) int
	// Repeats reports whether Solve is called again, without a sweep, if a step crosses zero or a bound.
	Repeats() bool
}

// A hessianState is the part that Dense and Columns have in common.
type hessianState struct {
	diagonal      []float64 // the diagonal of the Hessian
	d             []float64 // the vector d, see Hessian
	product       []float64 // for Dense, the Hessian times d; for Columns, diag(Weights)X_S d (see Columns)
	saved, savedD []float64 // product and d at the last Save
}

// reset sets d and product to zeros, with the given lengths.
func (s *hessianState) reset(d, product int) {
	s.d = append(s.d[:0], make([]float64, d)...)
	s.product = append(s.product[:0], make([]float64, product)...)
}

// Diagonal returns the diagonal of the Hessian.
func (s *hessianState) Diagonal() []float64 { return s.diagonal }

// Save stores a copy of the vector d.
func (s *hessianState) Save() {
	s.saved, s.savedD = append(s.saved[:0], s.product...), append(s.savedD[:0], s.d...)
}

// Restore sets the vector d to the copy of the last Save.
func (s *hessianState) Restore() {
	copy(s.product, s.saved)
	copy(s.d, s.savedD)
}

// SeparableSettings are the settings of Separable.Solve.
type SeparableSettings struct {
	// Solve ends if the largest violation (see Separable.Unit) is at most Tolerance, or at most RelTolerance
	// times the largest violation of the first sweep. For a problem without limits and bounds, the root mean
	// square of the violations replaces the largest violation, and Solve ignores the other settings.
	Tolerance, RelTolerance float64
	// If RelTolerance is reached but not Tolerance, Solve calls Accurate with the amount by which the
	// function has fallen. If it returns true, only Tolerance counts from then on. Accurate may be nil.
	Accurate func(fall float64) bool
	// MaxSweeps bounds the number of sweeps over all coordinates; 0 means 20.
	MaxSweeps int
	// DescentOnly restricts Solve to sweeps over all coordinates.
	DescentOnly bool
}

// Solve minimises over u, starting at x. It reports whether the violations (see Separable.Unit) are small
// enough for set.
func (q *Separable) Solve(set *SeparableSettings) bool {
	q.U = append(q.U[:0], q.X...)
	q.H.Reset()
	q.step, q.descent = pages.Resize(q.step, len(q.X)), pages.Resize(q.descent, len(q.X))
	q.eliminated.begin(q)
	defer func() { q.eliminated.insert(q.U) }()
	if q.IsLinear() {
		return q.solveLinear(set)
	}
	tolerance, sweeps := set.Tolerance, set.MaxSweeps
	if sweeps == 0 {
		sweeps = 20
	}
	for round := range sweeps {
		worstViolation := q.sweep(false)
		if round == 0 {
			tolerance = math.Max(tolerance, set.RelTolerance*worstViolation)
		}
		if worstViolation <= tolerance && tolerance > set.Tolerance &&
			set.Accurate != nil && set.Accurate(-q.Value()) {
			tolerance = set.Tolerance
		}
		if worstViolation <= tolerance {
			return true
		}
		if q.stopped() {
			return false
		}
		if set.DescentOnly {
			continue
		}
		violation := q.sweepSupport(tolerance)
		if q.stopped() {
			return false
		}
		if violation > tolerance {
			q.newton(tolerance, violation, round == sweeps-1)
		}
	}
	return false
}

// LacksCurvature reports whether the function falls along some coordinate whose curvature is 0. Solve does
// not move such a coordinate.
func (q *Separable) LacksCurvature() bool {
	for k, curvature := range q.H.Diagonal() {
		descent := -q.Gradient[k]
		if curvature > 0 || math.Abs(descent) <= atLimit*q.Limit[k] {
			continue
		}
		if q.Lower == nil || descent > 0 && q.X[k] < q.Upper[k] || descent < 0 && q.X[k] > q.Lower[k] {
			return true
		}
	}
	return false
}

// IsLinear reports whether there are no limits and no bounds. Then the minimum solves a linear system.
func (q *Separable) IsLinear() bool {
	return q.Lower == nil && !slices.ContainsFunc(q.Limit, func(limit float64) bool { return limit > 0 })
}

// solveLinear does the work of Solve if IsLinear returns true.
func (q *Separable) solveLinear(set *SeparableSettings) bool {
	tolerance := set.Tolerance
	for round := range maxLinear {
		q.findSupport()
		q.setDescent()
		violation := q.rootMeanSquare(q.descent[:len(q.support)])
		if round == 0 {
			tolerance = max(tolerance, set.RelTolerance*violation)
		}
		if violation <= tolerance {
			return true
		}
		isSmall := func(residual []float64) bool { return q.rootMeanSquare(residual) <= tolerance }
		if !q.solve(isSmall) || q.stopped() {
			return false
		}
		for a, k := range q.support {
			q.move(int(k), q.step[a])
		}
	}
	return false
}

// setDescent sets descent to minus the derivative with respect to each coordinate k in support:
// −(g + H (u − x))_k − limit_k sign(u_k). Here coordinate FreeIndex of u has the value that minimises the
// quadratic function (see eliminated).
func (q *Separable) setDescent() {
	for a, k := range q.support {
		q.descent[a] = -q.derivative(int(k))
		if limit := q.Limit[k]; limit > 0 {
			q.descent[a] -= math.Copysign(limit, q.U[k])
		}
	}
}

// rootMeanSquare returns the root mean square, over all coordinates, of the violation, which is the
// derivative divided by Unit (see Separable.Unit). residual has minus the derivatives with respect to the
// coordinates in support. The violation of every other coordinate counts as 0.
func (q *Separable) rootMeanSquare(residual []float64) float64 {
	sum := 0.0
	for a, k := range q.support {
		v := residual[a] / q.Unit[k]
		sum += float64(v * v)
	}
	return math.Sqrt(sum / float64(len(q.X)))
}

func (q *Separable) stopped() bool { return q.Stop != nil && q.Stop() }

// sweepSupport sweeps over the non-zero coordinates until every violation in a sweep is at most tolerance,
// but at most Hessian.MostSweeps times. It ends if Stop returns true. It returns the largest violation of the
// last sweep.
func (q *Separable) sweepSupport(tolerance float64) (worstViolation float64) {
	count := 0
	for _, u := range q.U {
		if u != 0 {
			count++
		}
	}
	for range q.H.MostSweeps(count) {
		worstViolation = q.sweep(true)
		if worstViolation <= tolerance || q.stopped() {
			break
		}
	}
	return worstViolation
}

// A coordinate stays at zero if its derivative is at most atLimit times its limit, in absolute value. The
// factor is a little more than 1, so that rounding errors do not move the coordinate.
const atLimit = 1 + 1e-12

// sweep minimises over one coordinate after the other. It returns the largest violation (see Separable.Unit).
// The violation of a coordinate is computed before the coordinate moves. If nonzeroOnly is true, sweep leaves
// out coordinates that are zero.
func (q *Separable) sweep(nonzeroOnly bool) (worstViolation float64) {
	for k, u := range q.U {
		curvature := q.eliminated.diagonal[k]
		if nonzeroOnly && u == 0 {
			continue
		}
		derivative := q.derivative(k)
		if !(curvature > 0) { // the coordinate moves to 0 or to a bound if |derivative| is below the limit
			if u != 0 && math.Abs(derivative) < q.Limit[k] {
				end, _ := q.endOf(k, -u)
				q.set(k, end)
			}
			continue
		}
		if u == 0 && math.Abs(derivative) <= atLimit*q.Limit[k] {
			continue
		}
		change := q.coordinateStep(k, u, derivative, curvature)
		if change == 0 {
			continue
		}
		worstViolation = max(worstViolation, math.Abs(change)*curvature/q.Unit[k])
		if q.MaxMove != nil && math.Abs(change) > q.MaxMove[k] {
			change = math.Copysign(q.MaxMove[k], change)
		}
		q.move(k, change)
		if q.Lower != nil { // the rounded sum may be beyond a bound
			q.U[k] = max(q.Lower[k], min(q.U[k], q.Upper[k]))
		}
	}
	return worstViolation
}

// derivative returns the derivative of the quadratic function, without the penalty, with respect to
// coordinate k. The coordinate FreeIndex has the value that minimises the function (see eliminated).
func (q *Separable) derivative(k int) float64 {
	return q.Gradient[k] + q.H.Product(k) - q.eliminated.derivativeFall(k)
}

// coordinateStep returns the move of coordinate k from u to the minimum along this coordinate. derivative and
// curvature are the first and second derivative of the quadratic function. If u keeps its sign, the move is
// computed without a difference from u. So a move smaller than the rounding error of u still counts in H d
// (see Hessian).
func (q *Separable) coordinateStep(k int, u, derivative, curvature float64) float64 {
	limit := q.Limit[k]
	change := -derivative / curvature
	switch {
	case limit == 0:
	case u != 0 && (u-float64((derivative+math.Copysign(limit, u))/curvature))*u > 0:
		change = -(derivative + math.Copysign(limit, u)) / curvature
	default:
		change = linalg.SoftThreshold(u-derivative/curvature, limit/curvature) - u
	}
	if q.Lower != nil {
		change = max(q.Lower[k]-u, min(change, q.Upper[k]-u))
	}
	return change
}

// move adds change to coordinate k.
func (q *Separable) move(k int, change float64) {
	q.H.Move(k, change)
	q.eliminated.move(k, change)
	q.U[k] += change
}

// set sets coordinate k to value, which is 0 or a bound, without a rounding error.
func (q *Separable) set(k int, value float64) {
	q.move(k, value-q.U[k])
	q.U[k] = value
}

// endOf returns where coordinate k ends if change is added to it. If it would cross a bound, it ends at the
// bound. If it has a limit and would cross zero, it ends at zero. In both cases crosses is true.
func (q *Separable) endOf(k int, change float64) (end float64, crosses bool) {
	u := q.U[k]
	end = u + change
	if q.Limit[k] > 0 && float64(end*u) <= 0 && u != 0 {
		end, crosses = 0, true
	}
	if q.Lower != nil {
		switch {
		case end <= q.Lower[k]:
			end, crosses = q.Lower[k], true
		case end >= q.Upper[k]:
			end, crosses = q.Upper[k], true
		}
	}
	return end, crosses
}

// maxLinear is the largest number of Newton steps in solveLinear.
const maxLinear = 8

// leastLength is the smallest length to which newton halves a step. A whole Newton step has the length 1.
const leastLength = 0.1

const earlyPart = 1e-3 // see newton

// newton makes Newton steps for the coordinates that findSupport lists. A coordinate that would cross zero or
// a bound is set to zero or the bound, and the next step leaves it out. If this does not reduce the function,
// newton tries shorter steps.
//
// H.Solve may end early if the residual is at most tolerance·Unit[k] at every coordinate k. lastRound is true
// if no sweep follows this call. If lastRound is false, H.Solve may also end if the residual is at most
// earlyPart·sweepViolation·Unit[k], where sweepViolation is the largest violation in the last sweep: the next
// sweep changes the support, and a more accurate step would be of little use.
func (q *Separable) newton(tolerance, sweepViolation float64, lastRound bool) {
	enough := tolerance
	if !lastRound {
		enough = max(tolerance, earlyPart*sweepViolation)
	}
	isSmall := func(residual []float64) bool {
		worst := 0.0
		for a, k := range q.support {
			worst = max(worst, math.Abs(residual[a])/q.Unit[k])
		}
		return worst <= enough
	}
	for {
		q.findSupport()
		if len(q.support) == 0 {
			return
		}
		q.setDescent()
		if !q.solve(isSmall) || q.stopped() {
			return
		}
		oldValue := q.Value()
		q.save()
		if !q.moveAlong(1) {
			return
		}
		for length := 0.5; !(q.Value() < oldValue); length *= 0.5 {
			q.restore()
			if length < leastLength || !q.moveAlong(length) {
				q.restore()
				q.shorten()
				break
			}
		}
		if !q.H.Repeats() {
			return
		}
	}
}

// moveAlong moves u by length times the step. A coordinate that would cross zero or a bound ends at zero or
// at the bound; then crossed is true.
func (q *Separable) moveAlong(length float64) (crossed bool) {
	for a, k := range q.support {
		change := float64(length * q.step[a])
		if end, crosses := q.endOf(int(k), change); crosses {
			q.set(int(k), end)
			crossed = true
		} else {
			q.move(int(k), change)
		}
	}
	return crossed
}

// save stores u and the numbers that belong to it.
func (q *Separable) save() {
	q.H.Save()
	q.saved, q.savedInnerProduct = append(q.saved[:0], q.U...), q.eliminated.innerProduct
}

// restore sets u, and the numbers that belong to it, to the values that save stored last.
func (q *Separable) restore() {
	q.H.Restore()
	copy(q.U, q.saved)
	q.eliminated.innerProduct = q.savedInnerProduct
}

// crosses reports whether the step takes a coordinate across zero or a bound.
func (q *Separable) crosses(step []float64) bool {
	for a, k := range q.support {
		if _, crosses := q.endOf(int(k), step[a]); crosses {
			return true
		}
	}
	return false
}

// findSupport lists the coordinates that a Newton step changes. It leaves out coordinates that are at a
// bound, that have a limit and are zero, or that have the curvature 0.
func (q *Separable) findSupport() {
	q.support = q.support[:0]
	for k, u := range q.U {
		atBound := q.Lower != nil && (u <= q.Lower[k] || u >= q.Upper[k])
		if !(u == 0 && q.Limit[k] > 0 || atBound) && q.eliminated.diagonal[k] > 0 {
			q.support = append(q.support, int32(k))
		}
	}
}

// solve sets step to the Newton step for the coordinates in support. The Newton step ignores the bounds, and
// assumes that no coordinate with a limit changes its sign. The caller must call setDescent before.
// isSmall and the result are described at Hessian.Solve.
func (q *Separable) solve(isSmall func(residual []float64) bool) (found bool) {
	n := len(q.support)
	return q.H.Solve(q.step[:n], q.descent[:n], q.eliminated.f, q.support, isSmall, q.crosses)
}

// shorten moves u along the step. It stops at the first point where a coordinate crosses zero or a bound.
func (q *Separable) shorten() {
	length, crossing := 1.0, -1
	for a, k := range q.support {
		end, crosses := q.endOf(int(k), q.step[a])
		if !crosses {
			continue
		}
		if fraction := (end - q.U[k]) / q.step[a]; crossing < 0 || fraction < length {
			length, crossing = max(0, min(fraction, 1)), a // rounding and underflow
		}
	}
	for a, k := range q.support {
		if a == crossing {
			end, _ := q.endOf(int(k), q.step[a])
			q.set(int(k), end)
		} else {
			q.move(int(k), float64(length*q.step[a]))
		}
	}
}

// Value returns the objective at U minus the objective at X.
func (q *Separable) Value() float64 {
	sum := float64(0.5*q.H.Energy()) + q.eliminated.value()
	for k, u := range q.U {
		if d := u - q.X[k]; d != 0 && k != q.eliminated.index {
			sum += float64(q.Gradient[k]*d) + float64(q.Limit[k]*(math.Abs(u)-math.Abs(q.X[k])))
		}
	}
	return sum
}
