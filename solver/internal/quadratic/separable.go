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
	X        []float64 // a feasible point, where the search begins
	Gradient []float64 // g
	Limit    []float64 // not negative
	// Lower and Upper may be infinite; nil means that there are no bounds.
	Lower, Upper []float64
	// Unit scales the violation of the optimality condition of each coordinate. If coordinate k
	// alone would have to move by s to minimise the function, its violation is H_kk |s| / Unit_k.
	Unit []float64
	// MaxMove bounds the move of each coordinate in one sweep. Farther away, the quadratic function may
	// be a bad approximation of the function that it stands for. nil means no bound.
	MaxMove []float64
	// Stop is called between sweeps; Solve ends if it returns true. nil means never.
	Stop func() bool

	// U is the solution.
	U []float64

	support []int32   // the coordinates that Newton steps change
	step    []float64 // the Newton step, for the support
	rest    []float64 // minus the derivatives, for the support; see setDescent
	saved   []float64 // U before a Newton step
}

// A Hessian is the matrix H. It stores a vector d and keeps the product H d up to date.
type Hessian interface {
	// Diagonal returns the diagonal of H, which is non-negative.
	Diagonal() []float64
	// Reset sets d to 0.
	Reset()
	// Product returns entry k of H d.
	Product(k int) float64
	// Move adds by to entry k of d.
	Move(k int, by float64)
	// Save stores d, and Restore returns to the stored d.
	Save()
	Restore()
	// Solve sets step to an approximate solution of H_SS step = rest, where S is the support. An
	// iterative method may end when enough(residual) is true. It may also end when crosses(step) is
	// true: the step then goes beyond zero or a bound, and would have to be shortened anyway. Solve
	// reports whether it found a step.
	Solve(step, rest []float64, support []int32, enough func(rest []float64) bool, crosses func(step []float64) bool) bool
	// MostSweeps bounds the number of sweeps over the non-zero coordinates between two calls of Solve.
	// support is the number of these coordinates.
	MostSweeps(support int) int
	// MostSolves bounds the number of calls of Solve in a row, without a sweep between them.
	MostSolves() int
}

// SeparableSettings are the settings of Separable.Solve. If the minimum is the solution of a linear system,
// Solve bounds the root mean square of the violations instead of the largest one, and uses √RelTolerance
// instead of RelTolerance.
type SeparableSettings struct {
	// Tolerance bounds the largest violation. If RelTolerance times the largest violation of the first
	// sweep is larger, it is the bound instead.
	Tolerance, RelTolerance float64
	// MaxSweeps bounds the number of sweeps over all coordinates; 0 means 20.
	MaxSweeps int
	// DescentOnly leaves out what comes between these sweeps: sweeps over the non-zero coordinates, and
	// Newton steps.
	DescentOnly bool
}

// Solve minimises over u from x, and reports whether no violation is larger than allowed.
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

// isLinear reports whether the minimum is the solution of a linear system: there are no limits and no
// bounds.
func (q *Separable) isLinear() bool {
	return q.Lower == nil && !slices.ContainsFunc(q.Limit, func(limit float64) bool { return limit > 0 })
}

// solveLinear does the same as Solve, if the minimum is the solution of a linear system.
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

// setDescent sets rest to minus the derivative of the minimised function with respect to each coordinate
// k of the support: −(g + H (u − x))_k − limit_k sign(u_k).
func (q *Separable) setDescent() {
	for a, k := range q.support {
		q.rest[a] = -(q.Gradient[k] + q.H.Product(int(k)))
		if limit := q.Limit[k]; limit > 0 {
			q.rest[a] -= math.Copysign(limit, q.U[k])
		}
	}
}

// rootMeanSquare returns the root mean square of the violations; rest is as in setDescent.
func (q *Separable) rootMeanSquare(rest []float64) float64 {
	sum := 0.0
	for a, k := range q.support {
		v := rest[a] / q.Unit[k]
		sum += float64(v * v)
	}
	return math.Sqrt(sum / float64(len(q.X)))
}

func (q *Separable) stopped() bool { return q.Stop != nil && q.Stop() }

// sweepSupport sweeps over the non-zero coordinates, until no violation in a sweep is larger than allowed,
// and then returns true. It returns false after MostSweeps sweeps, or if Stop returns true.
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

// sweep minimises over one coordinate after the other and returns the largest violation that it met. It
// visits all coordinates, or only the non-zero ones if support is set.
func (q *Separable) sweep(support bool) (worst float64) {
	diagonal := q.H.Diagonal()
	for k, u := range q.U {
		curvature := diagonal[k]
		if support && u == 0 {
			continue
		}
		derivative := q.Gradient[k] + q.H.Product(k)
		if !(curvature > 0) { // a column without data: the penalty moves the coordinate to 0
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

// coordinateStep returns the move of coordinate k from u to the minimum along this coordinate. derivative
// is (g + H (u − x))_k, and curvature is H_kk. The move may be smaller than the spacing of floating-point
// numbers near u. Even then it changes H d, and so brings the derivative nearer to 0.
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

// move adds by to coordinate k.
func (q *Separable) move(k int, by float64) {
	q.H.Move(k, by)
	q.U[k] += by
}

// set sets coordinate k to 0 or to a bound.
func (q *Separable) set(k int, to float64) {
	q.H.Move(k, to-q.U[k])
	q.U[k] = to
}

// endOf returns where coordinate k ends if by is added to it: at zero or a bound if the coordinate would
// cross one of them, and otherwise at u + by. Zero counts only if the coordinate has a limit. crosses is
// true if the coordinate would cross.
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

// maxLinear is the largest number of Newton steps for a linear system.
const maxLinear = 8

// newton minimises over the coordinates that are neither zero nor at a bound, as if their signs could not
// change and there were no bounds. If the step takes some coordinates across zero or a bound, it sets
// them to zero or the bound. If this would not lower the function, it shortens the step to end at the
// first crossing. In both cases newton minimises again over the other coordinates, up to MostSolves times.
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

// findSupport lists the coordinates that Newton steps change. A coordinate is left out if it is at a
// bound, if it is zero and has a limit, or if its curvature is 0.
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

// solve sets step to the step from u to the minimum over the support, with the present signs of the
// coordinates. setDescent must be called before. solve reports whether H.Solve found a step.
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

// shorten moves along the step until the first coordinate reaches zero or a bound.
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

// Value returns the function at u minus the function at x.
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
