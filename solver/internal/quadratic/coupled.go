package quadratic

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/gap"
	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/term"
)

// A Coupled is the problem
//
//	minimise over u in X   g'(u − x) + (u − x)'H(u − x)/2 + Σ limit_k |(A u)_k|
//
// with norms of groups of rows in the place of absolute values where there are groups. It is for
// problems in which A has rows of several coordinates, or groups, or X is no product of intervals: there
// coordinate descent may stop at a point that is no minimum.
//
// Solve follows a path. For τ > 0 each absolute value is replaced by a smooth function (see smoothen),
// and X by a logarithmic barrier (see walls); for τ → 0 the minimum goes to that of the problem. At
// each τ Newton's method with a line search comes near the minimum. Its matrix has, in the place of
// the second derivatives of the smooth functions, curvatures that follow from multipliers, which are kept
// beside u. With these, full steps are taken from far away, and τ may fall by factors of 10 to 1000
// (Chan, Golub, Mulet 1999; Andersen, Christiansen, Conn, Overton 2000).
type Coupled struct {
	Triangle              // how H is kept
	H        []float64    // positive semidefinite
	X        []float64    // a point of X
	Gradient []float64    // g
	Penalty  *gap.Penalty // A and the limits; it has no squares
	Set      term.Region  // X; nil for R^p
	Typical  []float64    // usual sizes of the coordinates; only asked for if there is a set
	Threads  int
	Stop     func() bool // asked between steps; true ends Solve; nil means never

	// U is the solution.
	U []float64
	// Z are multipliers of the rows, and Move is a move from x to a point close to U: they solve
	// g + H move + A'z = 0, but for what leads out of X. A move has digits that are lost in x + move.
	Z, Move []float64
	// Tau is the τ at which Solve ended, and Steps the number of its steps.
	Tau   float64
	Steps int

	system *system
	walls  walls
	bend   bend
	kept   []float64 // multipliers of the rows, within their limits; nil if there are none yet
	centre centre

	d, hd    []float64 // u − x, and H (u − x)
	image    []float64 // A u
	smooth   []float64 // derivatives of the smooth functions at the image
	rhs      []float64 // minus the gradient
	barrier  []float64 // curvatures of the bounds
	step, hs []float64 // the step in hand, and H times that
	along    []float64 // A times the step
	to       []float64 // u at the end of the step
	toImage  []float64 // A u there
	was      float64   // the τ before this one; +Inf at the first
	before   []float64 // A u at the end of that
}

// ForgetMultipliers makes the next Solve begin without multipliers.
func (q *Coupled) ForgetMultipliers() {
	q.kept = nil
	q.walls.forget()
}

// StartFrom makes the next Solve begin with the multipliers and the τ of another problem.
func (q *Coupled) StartFrom(other *Coupled) {
	q.kept, q.walls, q.Tau = append(q.kept[:0], other.kept...), other.walls, other.Tau
}

// CoupledSettings tune Solve.
type CoupledSettings struct {
	Gap   float64 // above the minimum, at which to stop
	Start float64 // the first τ
	// Precise makes steps, at the last τ, as small as rounding allows: multipliers have the more digits.
	Precise bool
}

// Solve minimises, from x, and reports whether it came to the gap. If rounding keeps it from that, it
// goes back to the last point that was near the path.
func (q *Coupled) Solve(set *CoupledSettings) bool {
	q.prepare()
	terms := q.Terms()
	end := set.Gap / (4 * terms)
	q.Tau, q.was = math.Max(set.Start, end), math.Inf(1)
	since, short := 0, 0    // steps at this τ; short ones in a row
	last := 0.0             // squared decrement before
	least, raised := 0.0, 0 // the least factor by which τ may fall; how often τ was raised
	for q.Steps = 1; q.Steps <= mostSteps && since < mostAtOnce; q.Steps++ {
		decrement, ok := q.newton()
		if !ok {
			break
		}
		length := q.search(decrement)
		q.push()
		q.accept(length)
		near := q.near(length, decrement, set.Gap)
		if near {
			q.keep()
		}
		settled := !set.Precise || decrement <= float64(tiny*q.Tau) || since > 0 && decrement > 0.1*last
		if last = decrement; near && q.Tau <= end && settled {
			return true
		}
		if q.Stop != nil && q.Stop() {
			return false
		}
		since, short = since+1, short+1
		if length >= shortStep {
			short = 0
		}
		by := math.Max(least, fall(length, decrement/q.Tau, terms))
		switch to := math.Max(end, by*q.Tau); {
		case to < q.Tau:
			copy(q.before, q.image)
			q.was, q.Tau, since = q.Tau, to, 0
		case short >= mostShort && raised < mostRaised: // τ fell too fast
			q.Tau, least, since, short = math.Min(q.was, 10*q.Tau), carefully, 0, 0
			raised++
			q.ForgetMultipliers() // the multipliers are those of a smaller τ
		}
	}
	q.goBack()
	for range again { // multipliers have the more digits the smaller the step is
		decrement, ok := q.newton()
		if !ok {
			break
		}
		length := q.search(decrement)
		if q.push(); !q.near(length, decrement, set.Gap) {
			break
		}
		q.accept(length)
		q.keep()
	}
	q.goBack()
	return false
}

// near reports whether a step of some length, with that squared decrement before it, ends near the path.
func (q *Coupled) near(length, decrement, gap float64) bool {
	return length >= longStep && decrement <= 0.25*math.Max(gap, q.Tau*q.Terms())
}

const (
	mostSteps  = 100
	tiny       = 1e-12 // of τ: the squared decrement of a step that is as small as it need be
	mostAtOnce = 15    // steps at one τ: more are a sign of rounding
	longStep   = 0.9   // the length from which on a step is hardly shortened
	shortStep  = 0.3   // the length below which a step is short
	mostShort  = 2     // short steps in a row, after which τ is raised
	mostRaised = 20
	again      = 2   // more steps from the last centre, if Solve missed its gap
	carefully  = 0.2 // least factor by which τ falls once it was raised
)

// fall returns the factor by which τ falls after a step of some length, given the squared Newton
// decrement before it in units of τ: the nearer the path, the smaller.
func fall(length, decrement, terms float64) float64 {
	switch {
	case length >= longStep && decrement <= 0.1:
		return 0.001
	case length >= longStep && decrement <= 0.1*terms:
		return 0.01
	case length >= longStep && decrement <= terms:
		return 0.1
	case length >= 0.5 && decrement <= terms:
		return 0.3
	}
	return 1
}

// A centre is a point near the path.
type centre struct {
	u, image, move, z []float64
	tau               float64
}

// keep remembers the point as a centre.
func (q *Coupled) keep() {
	c := &q.centre
	c.u, c.image, c.tau = append(c.u[:0], q.U...), append(c.image[:0], q.image...), q.Tau
	c.move, c.z = append(c.move[:0], q.Move...), append(c.z[:0], q.Z...)
}

// goBack goes back to the last centre, if there is one.
func (q *Coupled) goBack() {
	if c := &q.centre; c.tau > 0 {
		copy(q.U, c.u)
		copy(q.image, c.image)
		copy(q.Move, c.move)
		copy(q.Z, c.z)
		q.Tau = c.tau
		q.refresh()
		q.ForgetMultipliers() // those of other τ
	}
}

// Terms returns the number of absolute values, norms and barriers, at least 1. On the path the
// function is above its minimum by at most 2 τ for each of them.
func (q *Coupled) Terms() float64 {
	count := q.Penalty.Len()
	if q.Penalty.Grouped() {
		count = len(q.Penalty.Groups)
	}
	if q.Set != nil {
		walls := walls{Walls: q.Set.Walls(q.Order)}
		count += walls.terms()
	}
	return float64(max(1, count))
}

// prepare puts u at x, or near x inside X.
func (q *Coupled) prepare() {
	if q.Set != nil {
		q.walls.Walls, q.walls.alone = q.Set.Walls(q.Order), make([]bool, q.Order)
		for j := range q.walls.alone {
			q.walls.alone[j] = !q.Penalty.Touches(j)
		}
	}
	m, l := q.Order, q.Penalty.Len()
	if q.system == nil || q.system.Triangle != q.Triangle {
		q.system = newSystem(q.Triangle, q.Threads)
	}
	for _, v := range []*[]float64{&q.d, &q.hd, &q.rhs, &q.step, &q.hs, &q.barrier, &q.to} {
		*v = append((*v)[:0], make([]float64, m)...)
	}
	for _, v := range []*[]float64{&q.image, &q.smooth, &q.along, &q.toImage, &q.before, &q.bend.h, &q.Z} {
		*v = append((*v)[:0], make([]float64, l)...)
	}
	q.U = append(q.U[:0], q.X...)
	if q.Set != nil {
		q.walls.inside(q.U, q.Typical)
		q.refresh()
	}
	q.Move = append(q.Move[:0], q.d...)
	q.centre.tau = 0
	q.Penalty.Mul(q.image, q.U)
	if len(q.kept) != l {
		q.kept = nil
	}
}

// refresh computes u − x, and H times that.
func (q *Coupled) refresh() {
	for j, u := range q.U {
		q.d[j] = u - q.X[j]
	}
	q.times(q.hd, q.d)
}

// times sets dst = H v.
func (q *Coupled) times(dst, v []float64) {
	clear(dst)
	for i, u := range v {
		row := q.Row(q.H, i)
		dst[i] += kernels.Dot(row, v[i:i+len(row)])
		kernels.Axpy(u, row[1:], dst[i+1:i+len(row)])
	}
}

// newton computes Newton's step from u, and returns the square of its decrement: about twice by
// what the step lowers the smooth function.
func (q *Coupled) newton() (decrement float64, ok bool) {
	q.smoothen()
	for j, g := range q.Gradient {
		q.rhs[j] = g + q.hd[j]
	}
	q.Penalty.AddTrans(q.rhs, q.smooth)
	clear(q.barrier)
	outer := q.walls.derivatives(q.rhs, q.barrier, q.U, q.Tau)
	for j, v := range q.rhs {
		q.rhs[j] = -v
	}
	h := q.system.h
	copy(h, q.H)
	q.addBend(h)
	for i := range q.Order {
		row := q.Row(h, i)
		if row[0] += q.barrier[i]; outer > 0 {
			kernels.Axpy(float64(outer*q.U[i]), q.U[i:], row)
		}
	}
	q.hold(h)
	if !q.system.factor() {
		return 0, false
	}
	q.system.solve(q.step, q.rhs)
	if q.walls.Total > 0 {
		q.flatten()
	}
	decrement = kernels.Dot(q.rhs, q.step)
	q.Penalty.Mul(q.along, q.step)
	q.times(q.hs, q.step)
	return math.Max(0, decrement), !math.IsNaN(decrement)
}

// search returns the part of the step along which the smooth function falls enough (Armijo).
func (q *Coupled) search(decrement float64) (length float64) {
	if length = q.walls.longest(q.U, q.step); length < 1 {
		length *= 1 - inward
	}
	linear, square := 0.0, 0.5*kernels.Dot(q.step, q.hs)
	for j, s := range q.step {
		linear += float64(s * (q.Gradient[j] + q.hd[j]))
	}
	at := q.value(q.image, q.U)
	rounding := float64(1e-16 * math.Sqrt(q.Terms()) * math.Abs(at)) // of a sum of so many terms
	for range maxHalvings {
		for k, v := range q.image {
			q.toImage[k] = math.FMA(length, q.along[k], v)
		}
		for j, u := range q.U {
			q.to[j] = math.FMA(length, q.step[j], u)
		}
		change := float64(length*(linear+float64(length*square))) + (q.value(q.toImage, q.to) - at)
		if change <= -float64(0.05*length*decrement)+rounding {
			return length
		}
		length /= 2
	}
	return 0
}

const maxHalvings = 40

// accept moves u by a part of the step. Move and multipliers are those of the whole step.
func (q *Coupled) accept(length float64) {
	copy(q.Move, q.d)
	kernels.Axpy(1, q.step, q.Move)
	if length == 0 {
		return
	}
	copy(q.image, q.toImage)
	copy(q.U, q.to)
	kernels.Axpy(length, q.step, q.d)
	kernels.Axpy(length, q.hs, q.hd)
}

// inward is the part of the distance to a boundary that is kept in a step: by u from the walls, and by
// multipliers from their limits.
const inward = 0.005

// hold takes coordinates out of the system h for which X leaves one value alone.
func (q *Coupled) hold(h []float64) {
	for j := range q.walls.Lower {
		if !q.walls.held(j) {
			continue
		}
		for i := max(0, j-q.Width); i < j; i++ {
			h[i*q.Stride+j] = 0
		}
		row := q.Row(h, j)
		clear(row)
		row[0], q.rhs[j] = 1, 0
	}
}

// flatten makes the sum of the step zero: it solves H d + ν 1 = rhs, Σ d = 0. It refines the step,
// as taking out the sum may have cost most digits.
func (q *Coupled) flatten() {
	ones, x := slices.Repeat([]float64{1}, q.Order), make([]float64, q.Order)
	q.system.solve(x, ones)
	part, nu := linalg.Sum(x), 0.0
	more, rest := slices.Clone(q.step), make([]float64, q.Order)
	clear(q.step)
	for range refinements {
		by := (linalg.Sum(q.step) + linalg.Sum(more)) / part
		nu += by
		kernels.Axpy(1, more, q.step)
		kernels.Axpy(-by, x, q.step)
		q.system.mul(rest, q.step)
		for j, v := range q.rhs {
			rest[j] = v - rest[j] - nu
		}
		q.system.solve(more, rest)
	}
}
