package lasso

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/pass"
	"github.com/scas-admm/scas/solver/internal/quad"
)

// A model is g'd + ½ d'H d + Σ limit|x + d| over the columns of a working set.
type model struct {
	m, threads int
	// nonnegative keeps x + d at or above zero
	nonnegative bool
	h           []float64 // m × m, symmetric, unless it is implicit
	implicit    *implicit // nil where it is not
	x, g        []float64 // the point, and the gradient of the smooth part there
	limit       []float64
	unit        []float64 // in which the violation of each condition is measured
	d           []float64 // the step so far
	q           []float64 // g + H d, where h is there
	diagonal    []float64 // of h without ridge
	formed      bool      // h is of these columns
	scratch     []*kernels.HessianScratch
	cut         []int
	system      []float64 // of a support
	support     []int
	spare       []int
	rhs, step   []float64
}

func (q *model) resize(m, threads int) {
	q.m, q.threads, q.formed = m, threads, false
	for _, v := range []*[]float64{&q.x, &q.g, &q.limit, &q.unit, &q.d, &q.q, &q.rhs, &q.step, &q.diagonal} {
		*v = make([]float64, m)
	}
	if q.implicit != nil {
		q.h = nil
		return
	}
	if cap(q.h) < m*m {
		q.h = make([]float64, m*m)
	}
	q.h = q.h[:m*m]
}

// sharedFrom is the mean number of nonzeros of a row from which goroutines share the
// Hessian.
const sharedFrom = 32

// share prepares the goroutines that form Hessians of the rows.
func (q *model) share(a kernels.Rows) {
	threads := q.threads
	if n := a.Len(); n == 0 || (a.Ptr[n]-a.Ptr[0])/int64(n) < sharedFrom {
		threads = 1
	}
	q.cut = q.cut[:0]
	for k := range threads {
		if k == len(q.scratch) {
			q.scratch = append(q.scratch, kernels.NewHessianScratch())
		}
		q.cut = append(q.cut, kernels.HessianCut(a, q.m, k, threads))
	}
	q.cut = append(q.cut, q.m)
}

// hessian sets h to X' diag(c) X, over all rows of a team.
func (q *model) hessian(t *pass.Team, a kernels.Rows, c []float64) {
	m := q.m
	q.formed = true
	if q.implicit != nil {
		q.implicit.form(q.diagonal, c)
		return
	}
	clear(q.h)
	parts := len(q.cut) - 1
	pass.Spread(parts, parts, func(k int) { kernels.HessianRows(q.h, m, m, q.cut[k], q.cut[k+1], a, c, q.scratch[k]) })
	t.Upper(m, func(i int) []float64 { return q.h[i*m+i : (i+1)*m] })
	for i := range m {
		q.diagonal[i] = q.h[i*m+i]
		for j := i + 1; j < m; j++ {
			q.h[j*m+i] = q.h[i*m+j]
		}
	}
}

const (
	maxSweeps = 60 // over all columns
	leastTurn = 4  // sweeps over the support between Cholesky factors of it
	maxJumps  = 8  // signs that change in one solve
	turn      = 40 // a sweep waits for memory: a factor takes as long as that part of the support
)

// solve minimises the model until no condition is violated by more than tol of its
// unit, or as far as sweeps go.
func (q *model) solve(tol float64) {
	clear(q.d)
	copy(q.q, q.g)
	if q.implicit != nil {
		clear(q.implicit.u)
	}
	for range maxSweeps {
		if q.stopped() || q.sweep(false) <= tol {
			return
		}
		if !q.sweeps(tol) {
			q.jump(tol)
		}
	}
}

// sweeps goes over the support as often as takes about as long as one factor of its
// Hessian, and reports whether that was enough.
func (q *model) sweeps(tol float64) bool {
	support := 0
	for j, d := range q.d {
		if q.x[j]+d != 0 {
			support++
		}
	}
	turns := max(leastTurn, support/turn)
	if q.implicit != nil {
		turns = implicitSweeps
	}
	for range turns {
		if q.stopped() || q.sweep(true) <= tol {
			return true
		}
	}
	return false
}

// sweep minimises over one coordinate after the other, of all or of those that are not
// zero, and returns the largest violation that it met.
func (q *model) sweep(support bool) (worst float64) {
	for j := range q.m {
		at := q.x[j] + q.d[j]
		if support && at == 0 {
			continue
		}
		curve := q.curvature(j)
		if !(curve > 0) {
			continue
		}
		if move := q.best(j, at, curve); move != 0 {
			worst = max(worst, math.Abs(move)*curve/q.unit[j])
			q.move(j, move)
		}
	}
	return worst
}

// best returns the move of a coordinate to its minimum. One that keeps its sign may be
// less than at can show: the slopes of the model are still better for it.
func (q *model) best(j int, at, curve float64) float64 {
	l, slope := q.limit[j], q.slope(j)
	if q.nonnegative {
		return math.Max(-(slope+l)/curve, -at)
	}
	if at != 0 {
		move := -(slope + math.Copysign(l, at)) / curve
		if l == 0 || (at+move)*at > 0 {
			return move
		}
	}
	return quad.SoftThreshold(at-slope/curve, l/curve) - at
}

// move adds to coordinate j of the step.
func (q *model) move(j int, by float64) {
	q.d[j] += by
	if q.implicit != nil {
		q.implicit.add(q.implicit.u, j, by)
		return
	}
	kernels.Axpy(by, q.h[j*q.m:(j+1)*q.m], q.q)
}

// slope returns entry j of g + H d.
func (q *model) slope(j int) float64 {
	if q.implicit != nil {
		return q.g[j] + float64(q.implicit.ridge[j]*q.d[j]) + q.implicit.inner(j, q.implicit.u)
	}
	return q.q[j]
}

// curvature returns entry (j, j) of H.
func (q *model) curvature(j int) float64 {
	if q.implicit != nil {
		return q.diagonal[j] + q.implicit.ridge[j]
	}
	return q.h[j*q.m+j]
}

// jump minimises over the support with the signs it has, up to where the first of them
// changes, which leaves the support, and so on.
func (q *model) jump(tol float64) {
	q.support = q.support[:0]
	for j := range q.m {
		if (q.x[j]+q.d[j] != 0 || !q.ends(j)) && q.curvature(j) > 0 {
			q.support = append(q.support, j)
		}
	}
	for range maxJumps {
		if len(q.support) == 0 || !q.minimum(tol) || !q.project() && !q.shorten() {
			return
		}
	}
}

// ends reports whether the model of a coordinate is another one beyond zero, or none.
func (q *model) ends(j int) bool { return q.limit[j] > 0 || q.nonnegative }

// jumpLift keeps the step in the range of the Hessian; see newton.polishLift.
const jumpLift = 1e-12

// minimum sets step to that which leads to the minimum over the support with the signs
// it has.
func (q *model) minimum(tol float64) bool {
	if q.implicit != nil {
		q.conjugate(tol)
		return true
	}
	return q.cholesky()
}

func (q *model) cholesky() bool {
	k := len(q.support)
	if cap(q.system) < k*k {
		q.system = make([]float64, k*k)
	}
	h, scale := q.system[:k*k], make([]float64, k)
	for a, i := range q.support {
		scale[a] = 1 / math.Sqrt(math.Max(q.h[i*q.m+i], math.SmallestNonzeroFloat64))
		for b, j := range q.support[a:] {
			h[a*k+a+b] = q.h[i*q.m+j]
		}
		q.rhs[a] = -q.q[i]
		if q.limit[i] > 0 {
			q.rhs[a] -= math.Copysign(q.limit[i], q.x[i]+q.d[i])
		}
		q.rhs[a] *= scale[a]
	}
	chol := quad.NewCholesky(k)
	lift := jumpLift
	for !chol.FactorScaled(h, scale, lift, q.threads) {
		if lift *= 100; lift > 1e-3 {
			return false
		}
	}
	chol.Solve(q.step[:k], q.rhs[:k])
	for a := range q.support {
		q.step[a] *= scale[a]
	}
	return true
}

// project moves the support by the step, coordinates that would change their sign to
// zero, which leave it. Where the model is not lower for it, it goes nowhere and reports
// that.
func (q *model) project() bool {
	before, d, slopes := q.value(), slices.Clone(q.d), q.q
	if q.implicit != nil {
		slopes = q.implicit.u
	}
	kept := slices.Clone(slopes)
	stay := q.spare[:0]
	for a, i := range q.support {
		by, at := q.step[a], q.x[i]+q.d[i]
		if q.ends(i) && (at+by)*at <= 0 {
			q.move(i, -at)
			q.d[i] = -q.x[i]
			continue
		}
		q.move(i, by)
		stay = append(stay, i)
	}
	if len(stay) == len(q.support) {
		q.support = q.support[:0]
		return true
	}
	if q.value() < before {
		q.support, q.spare = stay, q.support
		return true
	}
	copy(q.d, d)
	copy(slopes, kept)
	return false
}

// value returns the model at d.
func (q *model) value() (sum float64) {
	for j, d := range q.d {
		if d == 0 {
			continue
		}
		sum += float64(0.5*d*(q.g[j]+q.slope(j))) + float64(q.limit[j]*(math.Abs(q.x[j]+d)-math.Abs(q.x[j])))
	}
	return sum
}

// shorten moves the support along the step up to where the first sign changes, and
// reports whether there was one.
func (q *model) shorten() bool {
	length, first := 1.0, -1
	for a, i := range q.support {
		at := q.x[i] + q.d[i]
		if q.ends(i) && (at+q.step[a])*at < 0 && -at/q.step[a] < length {
			length, first = -at/q.step[a], a
		}
	}
	for a, i := range q.support {
		by := length * q.step[a]
		if a == first {
			by = -(q.x[i] + q.d[i])
		}
		q.move(i, by)
	}
	if first < 0 {
		return false
	}
	i := q.support[first]
	q.d[i] = -q.x[i]
	q.support = append(q.support[:first], q.support[first+1:]...)
	return true
}
