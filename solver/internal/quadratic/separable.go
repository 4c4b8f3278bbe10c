package quadratic

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/solver/internal/linalg"
)

// A Separable is the problem
//
//	minimise over u   g'(u − x) + (u − x)'H(u − x)/2 + Σ limit_k |u_k|   subject to   lower ≤ u ≤ upper
//
// All slices have one entry for each coordinate.
type Separable struct {
	H        Hessian
	X        []float64 // x, a feasible point at which Solve starts
	Gradient []float64 // g
	Limit    []float64 // not negative
	// Lower and Upper may be infinite. Both are nil if there are no bounds.
	Lower, Upper []float64
	// Unit scales violations of the optimality conditions. If the minimum along coordinate k is at distance
	// s, its violation is H_kk s / Unit_k.
	Unit []float64
	// MaxMove bounds the move of each coordinate in one sweep; nil means no bound. Farther away, the
	// quadratic function may be a bad approximation.
	MaxMove []float64
	// Stop is called between sweeps; true ends Solve; nil means never.
	Stop func() bool

	// U is the solution.
	U []float64

	support []int32   // the coordinates that a Newton step changes
	step    []float64 // the Newton step of the coordinates in support
	rest    []float64 // minus the derivatives for these coordinates, see setDescent
	saved   []float64 // U before a Newton step
}

// A Hessian is the matrix H with a vector d. It keeps H d up to date.
type Hessian interface {
	// Diagonal returns the diagonal of H. No entry is negative.
	Diagonal() []float64
	// Reset sets d to 0.
	Reset()
	// Product returns entry k of H d.
	Product(k int) float64
	// Move adds the number by to entry k of d.
	Move(k int, by float64)
	// Save stores d, and Restore returns to the stored d.
	Save()
	Restore()
	// Solve sets step to an approximate solution of H_SS step = rest, where S is the support. It reports
	// whether it found one. It may end early if enough(residual) is true, or if crosses(step) is true: the
	// step then goes beyond zero or a bound.
	Solve(step, rest []float64, support []int32, enough func(rest []float64) bool, crosses func(step []float64) bool) bool
	// MostSweeps bounds the number of sweeps over the non-zero coordinates between two calls of Solve.
	// support is the number of non-zero coordinates.
	MostSweeps(support int) int
	// MostSolves bounds the number of calls of Solve without a sweep between them.
	MostSolves() int
}

// SeparableSettings are the settings of Separable.Solve. Without limits and bounds, the root mean square of
// the violations replaces the largest violation, and √RelTolerance replaces RelTolerance.
type SeparableSettings struct {
	// Solve ends if the largest violation is at most Tolerance, or at most RelTolerance times the largest
	// violation of the first sweep.
	Tolerance, RelTolerance float64
	// MaxSweeps bounds the number of sweeps over all coordinates; 0 means 20.
	MaxSweeps int
	// DescentOnly restricts Solve to sweeps over all coordinates.
	DescentOnly bool
}

// Solve minimises over u from x. It reports whether the violations are within the tolerance.
func (q *Separable) Solve(set *SeparableSettings) bool {
	m := len(q.X)
	q.U = append(q.U[:0], q.X...)
	q.H.Reset()
	for _, v := range []*[]float64{&q.step, &q.rest} {
		if cap(*v) < m {
			*v = make([]float64, m)
		}
	}
	if q.isLinear() {
		return q.solveLinear(set)
	}
	allowed, sweeps := set.Tolerance, set.MaxSweeps
	if sweeps == 0 {
		sweeps = 20
	}
	for round := range sweeps {
		worst := q.sweep(false)
		if round == 0 {
			allowed = math.Max(allowed, set.RelTolerance*worst)
		}
		if worst <= allowed {
			return true
		}
		if q.stopped() {
			return false
		}
		if !set.DescentOnly && !q.sweepSupport(allowed) {
			q.newton(allowed)
		}
	}
	return false
}

// isLinear reports whether there are no limits and no bounds. Then the minimum solves a linear system.
func (q *Separable) isLinear() bool {
	return q.Lower == nil && !slices.ContainsFunc(q.Limit, func(limit float64) bool { return limit > 0 })
}

// solveLinear does the work of Solve if isLinear is true.
func (q *Separable) solveLinear(set *SeparableSettings) bool {
	allowed := set.Tolerance
	for round := range maxLinear {
		q.findSupport()
		q.setDescent()
		violation := q.rootMeanSquare(q.rest[:len(q.support)])
		if round == 0 {
			allowed = max(allowed, math.Sqrt(set.RelTolerance)*violation)
		}
		if violation <= allowed {
			return true
		}
		if !q.solve(func(rest []float64) bool { return q.rootMeanSquare(rest) <= allowed }) || q.stopped() {
			return false
		}
		for a, k := range q.support {
			q.move(int(k), q.step[a])
		}
	}
	return false
}

// setDescent sets rest to minus the derivative with respect to each coordinate k of the support: −(g + H (u −
// x))_k − limit_k sign(u_k).
func (q *Separable) setDescent() {
	for a, k := range q.support {
		q.rest[a] = -(q.Gradient[k] + q.H.Product(int(k)))
		if limit := q.Limit[k]; limit > 0 {
			q.rest[a] -= math.Copysign(limit, q.U[k])
		}
	}
}

// rootMeanSquare returns the root mean square of the violations. rest is minus the derivatives, see
// setDescent.
func (q *Separable) rootMeanSquare(rest []float64) float64 {
	sum := 0.0
	for a, k := range q.support {
		v := rest[a] / q.Unit[k]
		sum += float64(v * v)
	}
	return math.Sqrt(sum / float64(len(q.X)))
}

func (q *Separable) stopped() bool { return q.Stop != nil && q.Stop() }

// sweepSupport sweeps over the non-zero coordinates until every violation in a sweep is at most allowed. It
// returns false if MostSweeps sweeps do not reach that, or if Stop returns true.
func (q *Separable) sweepSupport(allowed float64) bool {
	count := 0
	for _, u := range q.U {
		if u != 0 {
			count++
		}
	}
	for range q.H.MostSweeps(count) {
		if q.sweep(true) <= allowed {
			return true
		}
		if q.stopped() {
			return false
		}
	}
	return false
}

// sweep minimises over one coordinate after the other. It returns the largest violation that it met. If
// support is true, it leaves out coordinates that are zero.
func (q *Separable) sweep(support bool) (worst float64) {
	diagonal := q.H.Diagonal()
	for k, u := range q.U {
		curvature := diagonal[k]
		if support && u == 0 {
			continue
		}
		derivative := q.Gradient[k] + q.H.Product(k)
		if !(curvature > 0) { // without data the penalty moves the coordinate to 0
			if u != 0 && math.Abs(derivative) < q.Limit[k] {
				to, _ := q.endOf(k, -u)
				q.set(k, to)
			}
			continue
		}
		if u == 0 && math.Abs(derivative) <= q.Limit[k] {
			continue
		}
		by := q.coordinateStep(k, u, derivative, curvature)
		if by == 0 {
			continue
		}
		worst = max(worst, math.Abs(by)*curvature/q.Unit[k])
		if q.MaxMove != nil && math.Abs(by) > q.MaxMove[k] {
			by = math.Copysign(q.MaxMove[k], by)
		}
		q.move(k, by)
	}
	return worst
}

// coordinateStep returns the move of coordinate k from u to the minimum along this coordinate. derivative is
// (g + H (u − x))_k. curvature is H_kk. A move that is too small to change u still changes H d.
func (q *Separable) coordinateStep(k int, u, derivative, curvature float64) float64 {
	limit := q.Limit[k]
	by := -derivative / curvature
	switch {
	case limit == 0:
	case u != 0 && (u-float64((derivative+math.Copysign(limit, u))/curvature))*u > 0:
		by = -(derivative + math.Copysign(limit, u)) / curvature
	default:
		by = linalg.SoftThreshold(u-derivative/curvature, limit/curvature) - u
	}
	if q.Lower != nil {
		by = max(q.Lower[k]-u, min(by, q.Upper[k]-u))
	}
	return by
}

// move adds the number by to coordinate k.
func (q *Separable) move(k int, by float64) {
	q.H.Move(k, by)
	q.U[k] += by
}

// set sets coordinate k to 0 or to a bound.
func (q *Separable) set(k int, to float64) {
	q.H.Move(k, to-q.U[k])
	q.U[k] = to
}

// endOf returns where coordinate k ends if by is added to it. If it would cross a bound, it ends at the
// bound. If it has a limit and would cross zero, it ends at zero. In both cases crosses is true.
func (q *Separable) endOf(k int, by float64) (to float64, crosses bool) {
	u := q.U[k]
	to = u + by
	if q.Limit[k] > 0 && float64(to*u) <= 0 && u != 0 {
		to, crosses = 0, true
	}
	if q.Lower != nil {
		switch {
		case to <= q.Lower[k]:
			to, crosses = q.Lower[k], true
		case to >= q.Upper[k]:
			to, crosses = q.Upper[k], true
		}
	}
	return to, crosses
}

// maxLinear is the largest number of Newton steps in solveLinear.
const maxLinear = 8

// newton makes a Newton step for the coordinates that are neither zero nor at a bound. A coordinate that
// would cross zero or a bound is set to zero or the bound. If the function does not fall then, the step is
// shortened to the first crossing. After a crossing newton repeats this for the remaining coordinates, at
// most MostSolves times.
func (q *Separable) newton(allowed float64) {
	for range q.H.MostSolves() {
		q.findSupport()
		if len(q.support) == 0 {
			return
		}
		q.setDescent()
		enough := func(rest []float64) bool {
			for a, k := range q.support {
				if !(math.Abs(rest[a]) <= allowed*q.Unit[k]) {
					return false
				}
			}
			return true
		}
		if !q.solve(enough) || q.stopped() {
			return
		}
		before := q.Value()
		q.H.Save()
		q.saved = append(q.saved[:0], q.U...)
		crossed := false
		for a, k := range q.support {
			to, crosses := q.endOf(int(k), q.step[a])
			if crosses {
				q.set(int(k), to)
				crossed = true
			} else {
				q.move(int(k), q.step[a])
			}
		}
		if !crossed {
			return
		}
		if q.Value() < before {
			continue
		}
		q.H.Restore()
		copy(q.U, q.saved)
		q.shorten()
	}
}

// findSupport lists the coordinates that a Newton step changes. It leaves out a coordinate at a bound, at
// zero if it has a limit, or with the curvature 0.
func (q *Separable) findSupport() {
	q.support = q.support[:0]
	diagonal := q.H.Diagonal()
	for k, u := range q.U {
		bound := q.Lower != nil && (u <= q.Lower[k] || u >= q.Upper[k])
		if !(u == 0 && q.Limit[k] > 0 || bound) && diagonal[k] > 0 {
			q.support = append(q.support, int32(k))
		}
	}
}

// solve sets step to the step from u to the minimum over the support. Signs are taken to be constant. rest
// must be set (see setDescent). solve reports whether H.Solve found a step.
func (q *Separable) solve(enough func(rest []float64) bool) bool {
	n := len(q.support)
	step, rest := q.step[:n], q.rest[:n]
	crosses := func(step []float64) bool {
		for a, k := range q.support {
			if _, crosses := q.endOf(int(k), step[a]); crosses {
				return true
			}
		}
		return false
	}
	return q.H.Solve(step, rest, q.support, enough, crosses)
}

// shorten moves u along the step until a coordinate reaches zero or a bound.
func (q *Separable) shorten() {
	length, first := 1.0, -1
	for a, k := range q.support {
		to, crosses := q.endOf(int(k), q.step[a])
		if !crosses {
			continue
		}
		if part := (to - q.U[k]) / q.step[a]; part < length {
			length, first = part, a
		}
	}
	for a, k := range q.support {
		if a == first {
			to, _ := q.endOf(int(k), q.step[a])
			q.set(int(k), to)
		} else {
			q.move(int(k), float64(length*q.step[a]))
		}
	}
}

// Value returns the minimised function at u minus its value at x.
func (q *Separable) Value() (sum float64) {
	for k, u := range q.U {
		d := u - q.X[k]
		if d == 0 {
			continue
		}
		sum += float64(d*(q.Gradient[k]+float64(0.5*q.H.Product(k)))) + float64(q.Limit[k]*(math.Abs(u)-math.Abs(q.X[k])))
	}
	return sum
}
