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
// Slices have an entry per coordinate.
type Separable struct {
	H        Hessian
	X        []float64 // a feasible point, where the search begins
	Gradient []float64 // g
	Limit    []float64 // not negative
	// Lower and Upper may be infinite; nil means that there are no bounds.
	Lower, Upper []float64
	// Unit is what the violation of each coordinate's optimality condition is measured in: the
	// violation is |slope| at the minimum over this coordinate alone, over Unit.
	Unit []float64
	// MaxMove bounds the move of a coordinate in one sweep: outside, the quadratic function says
	// little of the function that it stands for. nil means that there is no such bound.
	MaxMove []float64
	// Stop is asked between sweeps; true ends Solve. nil means never.
	Stop func() bool

	// U is the solution.
	U []float64

	support []int32
	step    []float64
	rest    []float64
	kept    []float64
}

// A Hessian is the matrix H, and the product H d with a vector d that it keeps.
type Hessian interface {
	// Diagonal returns the diagonal of H, not negative.
	Diagonal() []float64
	// Reset sets d to zero.
	Reset()
	// Slope returns entry k of H d.
	Slope(k int) float64
	// Move adds by to entry k of d.
	Move(k int, by float64)
	// Save remembers d, and Return goes back to it.
	Save()
	Restore()
	// Solve sets step to an approximate solution of H_SS step = rest for the coordinates S of the
	// support; it may overwrite rest. enough reports whether what is left of rest is small enough, and
	// crosses whether a step leads beyond zero or a bound, where a better one is of no use.
	Solve(step, rest []float64, support []int32, enough func(rest []float64) bool, crosses func(step []float64) bool) bool
	// SweepsPerSolve returns how many sweeps over a support of that size take as long as Solve.
	SweepsPerSolve(support int) int
}

// SeparableSettings tune Solve. Where the minimum is the solution of a linear system, the root of the mean square of
// the violations takes the place of the largest, and the root of Part that of Part.
type SeparableSettings struct {
	// Tolerance is the largest violation allowed, and RelTolerance what of the first violation is
	// allowed if that is more.
	Tolerance, RelTolerance float64
	// MaxSweeps bounds the sweeps over all coordinates; zero means 20.
	MaxSweeps int
	// DescentOnly leaves out the Newton steps on the support.
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
	if q.smooth() {
		return q.system(set)
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
		if !q.settle(allowed) && !set.DescentOnly {
			q.newton(allowed)
		}
	}
	return false
}

// smooth reports whether the minimum is the solution of a linear system.
func (q *Separable) smooth() bool {
	return q.Lower == nil && !slices.ContainsFunc(q.Limit, func(limit float64) bool { return limit > 0 })
}

// system is Solve where the minimum is the solution of a linear system.
func (q *Separable) system(set *SeparableSettings) bool {
	allowed := set.Tolerance
	for round := range maxNewton {
		q.findSupport()
		q.slopes()
		violation := q.typical(q.rest[:len(q.support)])
		if round == 0 {
			allowed = max(allowed, math.Sqrt(set.RelTolerance)*violation)
		}
		if violation <= allowed {
			return true
		}
		if !q.solve(func(rest []float64) bool { return q.typical(rest) <= allowed }) || q.stopped() {
			return false
		}
		for a, k := range q.support {
			q.move(int(k), q.step[a])
		}
	}
	return false
}

// slopes sets rest to the slopes over the support, downwards.
func (q *Separable) slopes() {
	for a, k := range q.support {
		q.rest[a] = -(q.Gradient[k] + q.H.Slope(int(k)))
		if limit := q.Limit[k]; limit > 0 {
			q.rest[a] -= math.Copysign(limit, q.U[k])
		}
	}
}

// typical returns the root of the mean square of the violations, given the slopes over the support.
func (q *Separable) typical(rest []float64) float64 {
	sum := 0.0
	for a, k := range q.support {
		v := rest[a] / q.Unit[k]
		sum += float64(v * v)
	}
	return math.Sqrt(sum / float64(len(q.X)))
}

func (q *Separable) stopped() bool { return q.Stop != nil && q.Stop() }

// leastTurns is the least number of sweeps over the support between Newton steps.
const leastTurns = 4

// settle sweeps over the coordinates that are not zero until no violation there is larger than
// allowed, which it reports, or a Newton step would take less time.
func (q *Separable) settle(allowed float64) bool {
	count := 0
	for _, u := range q.U {
		if u != 0 {
			count++
		}
	}
	for range max(leastTurns, q.H.SweepsPerSolve(count)) {
		if q.sweep(true) <= allowed {
			return true
		}
		if q.stopped() {
			return false
		}
	}
	return false
}

// sweep minimises over one coordinate after the other, of all or of those that are not zero, and
// returns the largest violation that it met.
func (q *Separable) sweep(support bool) (worst float64) {
	diagonal := q.H.Diagonal()
	for k, u := range q.U {
		curvature := diagonal[k]
		if support && u == 0 {
			continue
		}
		slope := q.Gradient[k] + q.H.Slope(k)
		if !(curvature > 0) { // a column without data: its penalty decides
			if u != 0 && math.Abs(slope) < q.Limit[k] {
				to, _ := q.end(k, -u)
				q.put(k, to)
			}
			continue
		}
		if u == 0 && math.Abs(slope) <= q.Limit[k] {
			continue
		}
		by := q.best(k, u, slope, curvature)
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

// best returns the move of coordinate k to its minimum. One that keeps its sign may be less than
// the spacing of numbers at u: the slopes of the model are still better for it.
func (q *Separable) best(k int, u, slope, curvature float64) float64 {
	limit := q.Limit[k]
	by := -slope / curvature
	switch {
	case limit == 0:
	case u != 0 && (u-float64((slope+math.Copysign(limit, u))/curvature))*u > 0:
		by = -(slope + math.Copysign(limit, u)) / curvature
	default:
		by = linalg.SoftThreshold(u-slope/curvature, limit/curvature) - u
	}
	if q.Lower != nil {
		by = max(q.Lower[k]-u, min(by, q.Upper[k]-u))
	}
	return by
}

// move adds to coordinate k.
func (q *Separable) move(k int, by float64) {
	q.H.Move(k, by)
	q.U[k] += by
}

// put sets coordinate k, to zero or a bound.
func (q *Separable) put(k int, to float64) {
	q.H.Move(k, to-q.U[k])
	q.U[k] = to
}

// end returns where a move of coordinate k has to end: itself, or zero or the bound that it
// crosses.
func (q *Separable) end(k int, by float64) (to float64, crosses bool) {
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

// maxNewton is the number of Newton steps between sweeps over all coordinates.
const maxNewton = 8

// newton minimises over the coordinates that are neither zero nor at a bound. If the minimum is
// beyond zero or a bound for some of them, these are put there, or, if this would not lower the
// function, the step ends at the first of them; and the rest is minimised again.
func (q *Separable) newton(allowed float64) {
	for range maxNewton {
		q.findSupport()
		if len(q.support) == 0 {
			return
		}
		q.slopes()
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
		q.kept = append(q.kept[:0], q.U...)
		crossed := false
		for a, k := range q.support {
			to, crosses := q.end(int(k), q.step[a])
			if crosses {
				q.put(int(k), to)
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
		copy(q.U, q.kept)
		q.shorten()
	}
}

// findSupport lists the coordinates that are neither zero, if zero is a kink, nor at a bound.
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

// solve sets step to one that leads to the minimum over the support with the signs it has, given the slopes
// in rest.
func (q *Separable) solve(enough func(rest []float64) bool) bool {
	n := len(q.support)
	step, rest := q.step[:n], q.rest[:n]
	crosses := func(step []float64) bool {
		for a, k := range q.support {
			if _, crosses := q.end(int(k), step[a]); crosses {
				return true
			}
		}
		return false
	}
	return q.H.Solve(step, rest, q.support, enough, crosses)
}

// shorten moves along the step up to where the first coordinate reaches zero or a bound.
func (q *Separable) shorten() {
	length, first := 1.0, -1
	for a, k := range q.support {
		to, crosses := q.end(int(k), q.step[a])
		if !crosses {
			continue
		}
		if part := (to - q.U[k]) / q.step[a]; part < length {
			length, first = part, a
		}
	}
	for a, k := range q.support {
		if a == first {
			to, _ := q.end(int(k), q.step[a])
			q.put(int(k), to)
		} else {
			q.move(int(k), float64(length*q.step[a]))
		}
	}
}

// Value returns the function at u, without a constant.
func (q *Separable) Value() (sum float64) {
	for k, u := range q.U {
		d := u - q.X[k]
		if d == 0 {
			continue
		}
		sum += float64(d*(q.Gradient[k]+float64(0.5*q.H.Slope(k)))) + float64(q.Limit[k]*(math.Abs(u)-math.Abs(q.X[k])))
	}
	return sum
}
