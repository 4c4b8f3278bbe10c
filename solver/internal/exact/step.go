package exact

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/quadratic"
)

// step minimises the model at x, moves x towards the model's solution by a line search, and updates α. It
// returns by how much the model's value fell, and the length of the step, from 0 to 1. tol is the gap to
// reach. If keepHessian is true, the model keeps the Hessian of an earlier point, if it has one.
func (s *Solver) step(tol float64, keepHessian bool) (fall, length float64) {
	w := &s.set
	for k, j := range w.cols {
		w.x[k] = s.x[j]
	}
	s.updateHessian(keepHessian)
	s.rows.gradient(w.gradient)
	for k, j := range w.cols {
		w.gradient[k] += float64(s.ridge[j] * s.x[j])
	}
	if s.coupled != nil {
		fall = s.minimiseCoupled(tol)
	} else {
		fall = s.minimise(tol)
	}
	if s.hasConstantCurvature() || !s.work.stale {
		s.work.distance = 0
	}
	s.work.distance += math.Sqrt(math.Max(fall, 0))
	s.work.excess = s.excessAfter(fall, s.work.distance)
	// If the curvature of the loss jumps, a damped or old Hessian may be much too large. Then a small fall
	// does not mean that the optimum is near.
	unreliable := !s.Loss.Traits().ContinuousCurvature && (s.work.damping > 0 || s.work.stale)
	length = s.search(tol)
	if length < 1 || unreliable {
		s.work.excess = math.Inf(1)
	}
	if !w.formed {
		visits := w.implicit.Visits()
		s.work.visits = max(leastVisits, visits)
		if !s.work.nearOptimum {
			s.work.farReads += float64(visits * w.cost.entries)
		}
	}
	s.work.nearOptimum = length == 1 && fall <= nearPart*s.current.value
	return fall, length
}

// minimise approximately minimises the separable model, and returns by how much its value fell. tol is the
// gap to reach.
func (s *Solver) minimise(tol float64) (fall float64) {
	w, q := &s.set, &s.set.model
	q.Stop = s.stop
	for k, j := range w.cols {
		q.Limit[k] = s.limit[j]
	}
	q.FreeIndex = s.positionOfFree()
	if s.work.damping == 0 && q.LacksCurvature() {
		s.work.damping, w.reusable = jumpDamping, false
		s.updateHessian(false)
	}
	set := quadratic.SeparableSettings{
		Tolerance: s.work.tightening * s.setUnits(tol), RelTolerance: innerPart,
	}
	if s.work.nearOptimum || s.hasConstantCurvature() { // if φ″ is constant, the model is the problem itself
		set.RelTolerance = s.work.relTolerance
		if q.IsLinear() {
			set.RelTolerance *= set.RelTolerance // Solve takes the root
		}
	} else {
		// A fall so small means that this step may be the last one. A proof after it succeeds only if the
		// model is solved accurately.
		set.Accurate = func(fall float64) bool { return s.excessAfter(fall, math.Sqrt(fall)) <= tol }
	}
	if !w.formed {
		set.MaxSweeps, set.DescentOnly = mostSweeps, !s.work.nearOptimum
	}
	q.Solve(&set)
	w.u, w.move = q.U, append(w.move[:0], q.U...)
	kernels.Axpy(-1, w.x, w.move)
	return -q.Value()
}

const (
	innerPart = 3e-2 // quadratic.SeparableSettings.RelTolerance far from the optimum, unless φ″ is constant
	roughPart = 0.1  // largest value of workspace.relTolerance
	// workspace.nearOptimum is set after a step of length 1 in which the value of the model falls by at most
	// nearPart times the objective.
	nearPart = 1e-2
)

// The gap may grow by this fraction of the tolerance when a dual point is scaled to be feasible.
const scaledPart = 0.5

// setUnits sets the units of the violations of optimality conditions in the separable model, and returns the
// largest violation allowed, in these units (see Separable.Unit). tol is the gap to reach.
func (s *Solver) setUnits(tol float64) float64 {
	m := &s.set.model
	leastRatio := math.Sqrt(s.scale)
	for k, l := range m.Limit {
		if norm := s.columns.Norm[s.set.cols[k]]; l > 0 && norm > 0 {
			leastRatio = math.Min(leastRatio, l/norm)
		}
	}
	tolerance := math.Min(1e-3, scaledPart*tol/max(s.current.value, s.current.value-s.current.loss, tol))
	diagonal := m.H.Diagonal()
	for k, l := range m.Limit {
		ridge := s.ridge[s.set.cols[k]]
		switch {
		case ridge > 0:
			m.Unit[k] = math.Sqrt(0.2*ridge*tol/float64(len(m.X))) / tolerance
			if l > 0 {
				m.Unit[k] = math.Min(m.Unit[k], l)
			}
		case l > 0:
			m.Unit[k] = l
		default:
			m.Unit[k] = 0.1 * math.Sqrt(math.Max(diagonal[k], 0)) * leastRatio
		}
	}
	return tolerance
}

func (s *Solver) hasConstantCurvature() bool {
	return s.Loss.Traits().ConstantCurvature
}

// excessAfter estimates the objective minus its optimum after a step of length 1. fall is the decrease of the
// model's value, and distance the workspace.distance at the end of the step. If the curvature of the loss
// jumps, the estimate is fall.
func (s *Solver) excessAfter(fall, distance float64) float64 {
	if !s.Loss.Traits().ContinuousCurvature {
		return fall
	}
	return float64(squaredFactor*fall*float64(distance*distance)) / s.scale
}

// The excess is the objective minus its optimum. It counts as small if it is at most reusePart times the
// tolerance:
//
//   - A step may use the Hessian of an earlier point if the expected excess after the step is small. For a coupled
//     model, coupledReuse replaces reusePart here: when its ties change, the estimate is often too small.
//   - The first step for a lambda may use such a Hessian if the gap that was proved for the last lambda is small.
//   - A visit of a file computes no Hessian if the expected excess is small.
const reusePart, coupledReuse = 0.2, 0.05

// servesAgain reports whether the excess that is expected after a step with the present Hessian is small
// enough, see reusePart. nextFall is the decrease of the model's value that is expected in this step. For
// samples in a file the result is false: there a visit computes the Hessian together with the loss.
func (s *Solver) servesAgain(nextFall, tol float64) bool {
	part := reusePart
	if s.coupled != nil {
		part = coupledReuse
	}
	return s.set.formed && s.File == nil &&
		s.excessAfter(nextFall, s.work.distance+math.Sqrt(nextFall)) <= part*tol
}

// updateHessian sets the Hessian of the model. It computes the Hessian at the present point, or keeps that of
// an earlier point.
//
// A constant Hessian is always kept. With damping, no other Hessian is kept. Without damping, the Hessian is
// kept in two cases: if keep is true; and if a new Hessian needs a visit of the file, and the old one was
// used only once. A kept Hessian must have the columns of the working set; if the data are in memory,
// growHessian can add a few columns that it lacks.
func (s *Solver) updateHessian(keep bool) {
	w := &s.set
	reuse := s.work.damping == 0 && (keep || !s.rows.hasHessian() && !s.work.stale)
	switch {
	case w.reusable && (s.hasConstantCurvature() || reuse), reuse && s.growHessian():
		w.reusable, s.work.stale = true, true
	default:
		w.reusable, s.work.stale = true, false
		w.former.cols = nil
		d := s.work.damping
		switch {
		case s.coupled != nil:
			s.rows.hessian(s.coupled.lossHessian, s.coupled.model.Triangle, d)
		case w.formed:
			s.rows.hessian(w.dense.H, quadratic.NewTriangle(len(w.cols), len(w.cols)-1), d)
			w.dense.Mirror()
		default:
			s.rows.hessian(nil, quadratic.Triangle{}, d)
		}
	}
	if s.coupled != nil {
		s.fillCoupled()
		return
	}
	w.setRidges(func(k int) float64 { return s.ridge[w.cols[k]] })
}

const (
	leastDescent = 0.2   // the line search requires this fraction of the predicted fall (Armijo's rule)
	maxHalvings  = 40    // largest number of halvings of a step
	roundingPart = 1e-14 // P may rise by this multiple of P, because of rounding
	// Rounding of the margins may raise P by this multiple of Σ |xⱼ| maxᵢ|X_ij| times the mean |αᵢ|.
	marginPart = 1e-15
	uphillPart = 1e-12 // a step is rejected if P is predicted to rise by more than this multiple of P
)

// search moves x towards the solution of the model. It halves the step until the objective P falls enough,
// and returns the length of the step. The length is 1 if x moves to the solution, and 0 if x does not move.
func (s *Solver) search(tol float64) (length float64) {
	w := &s.set
	s.work.uphill = false
	rise, moves := 0.0, false
	for k, u := range w.u {
		d := u - w.x[k]
		rise += float64(w.gradient[k] * d)
		moves = moves || d != 0
	}
	t := &trial{end: make([]float64, len(w.x)), move: w.move, snapped: w.snapped}
	defer s.rows.accept(t)
	if !moves {
		return 0
	}
	if s.coupled != nil {
		// PenaltyRise leaves out the squared terms, because the model's gradient contains them.
		rise += s.coupled.model.PenaltyRise()
	} else {
		for k, u := range w.u {
			rise += float64(w.model.Limit[k] * (math.Abs(u) - math.Abs(w.x[k])))
		}
	}
	// If the model was not solved accurately enough, P may rise along the step.
	s.work.uphill = rise > uphillPart*s.current.value
	if s.work.uphill {
		s.work.damping = s.work.dampingAfter(0)
		return 0
	}
	rounding := float64(roundingPart * math.Abs(s.current.value))
	for k, j := range w.cols {
		rounding += float64(marginPart * s.work.alphaSize * math.Abs(w.u[k]*s.columns.LargestEntry[j]))
	}
	t.length = 1
	for range maxHalvings {
		for k, j := range w.cols {
			t.end[k] = w.u[k]
			if t.length < 1 {
				t.end[k] = math.FMA(t.length, w.u[k]-w.x[k], w.x[k])
			}
			s.x[j] = t.end[k]
		}
		t.needsHessian = t.length < 1 ||
			!s.hasConstantCurvature() && (s.work.stale || s.work.excess > reusePart*tol)
		t.damping = s.work.dampingAfter(t.length)
		loss := s.rows.lossAt(t)
		if s.rows.Err() != nil {
			break
		}
		value := s.value(loss)
		if value <= s.current.value+float64(leastDescent*t.length*rise)+rounding {
			s.current, s.work.damping = objective{loss, value}, t.damping
			return t.length
		}
		t.length *= 0.5
	}
	for k, j := range w.cols {
		s.x[j] = w.x[k]
	}
	t.length = 0
	s.work.damping = s.work.dampingAfter(0)
	return 0
}

const (
	jumpDamping  = 0.1  // the first damping if the curvature of the loss jumps
	shortDamping = 1e-4 // the smallest damping after a shortened step
	leastDamping = 1e-9 // a smaller damping becomes 0
)

// firstDamping returns the damping of the first Hessian.
func (s *Solver) firstDamping() float64 {
	if s.Loss.Traits().ContinuousCurvature || !s.set.needsAll && !slices.Contains(s.Ridge, 0) {
		return 0
	}
	return jumpDamping
}

// dampingAfter returns the damping of the Hessian after a step of the given length.
func (w *workspace) dampingAfter(length float64) float64 {
	if length < 1 {
		return min(1, max(10*w.damping, shortDamping))
	}
	if damping := 0.03 * w.damping; damping >= leastDamping {
		return damping
	}
	return 0
}
