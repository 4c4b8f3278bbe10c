package exact

import (
	"math"
	"slices"
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
	n := s.model.minimise(tol)
	if s.hasConstantCurvature() || !s.work.stale {
		s.work.distance = 0
	}
	s.work.distance += math.Sqrt(math.Max(n.fall, 0))
	s.work.excess = s.excessAfter(n.fall, s.work.distance)
	// If the curvature of the loss jumps, a damped or old Hessian may be much too large. Then a small fall
	// does not mean that the optimum is near.
	unreliable := !s.Loss.Traits().ContinuousCurvature && (s.work.damping > 0 || s.work.stale)
	length = s.search(&n, tol)
	if length == 0 { // a proof may follow, which needs computed margins
		s.settle()
	}
	if length < 1 || unreliable {
		s.work.excess = math.Inf(1)
	}
	s.work.nearOptimum = length == 1 && n.fall <= nearPart*s.current.value
	return n.fall, length
}

// workspace.nearOptimum is set after a step of length 1 in which the value of the model falls by at most
// nearPart times the objective.
const nearPart = 1e-2

// firstOrder returns the gradient times u − x.
func (w *workingSet) firstOrder(u []float64) (sum float64) {
	for k, v := range u {
		sum += float64(w.gradient[k] * (v - w.x[k]))
	}
	return sum
}

func (s *Solver) hasConstantCurvature() bool {
	return s.Loss.Traits().ConstantCurvature
}

// If the objective is e above its optimum, a step is expected to reduce e to squaredFactor·e²/Solver.Scale.
const squaredFactor = 30

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
//   - A step may use the Hessian of an earlier point if the expected excess after the step is small. For a
//     coupled problem, coupledReuse replaces reusePart here: when ties change, the estimate is often too small.
//   - The first step for a lambda may use such a Hessian if the gap that was proved for the last lambda is
//     small.
//   - A visit of a file computes no Hessian if the expected excess is small.
const reusePart, coupledReuse = 0.2, 0.05

// servesAgain reports whether the excess that is expected after a step with the present Hessian is small
// enough, see reusePart. nextFall is the decrease of the model's value that is expected in this step. For
// samples in a file the result is false: there a visit computes the Hessian together with the loss.
func (s *Solver) servesAgain(nextFall, tol float64) bool {
	return s.set.formed && s.File == nil &&
		s.excessAfter(nextFall, s.work.distance+math.Sqrt(nextFall)) <= s.reuse*tol
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
	s.work.stale = w.reusable && (s.hasConstantCurvature() || reuse) || reuse && s.growHessian()
	w.reusable = true
	if !s.work.stale {
		w.former.cols = nil
	}
	s.model.setHessian(!s.work.stale)
}

const (
	leastDescent = 0.2   // the line search requires this fraction of the predicted fall (Armijo's rule)
	maxHalvings  = 40    // largest number of halvings of a step
	roundingPart = 1e-14 // P may rise by this multiple of P, because of rounding
	// Rounding of the margins may raise P by this multiple of Σ |xⱼ| maxᵢ|X_ij| times the mean |αᵢ|.
	marginPart = 1e-15
	uphillPart = 1e-12 // a step is rejected if P is predicted to rise by more than this multiple of P
)

// search moves x along the step n. It halves the step until the objective P falls enough, and returns the
// length of the step. The length is 1 if x moves to n.u, and 0 if x does not move.
func (s *Solver) search(n *newtonStep, tol float64) (length float64) {
	w := &s.set
	s.work.uphill = false
	t := &trial{end: make([]float64, len(w.x)), move: n.move, snapped: n.snapped}
	defer s.rows.accept(t)
	if slices.Equal(n.u, w.x) {
		return 0
	}
	// If the model was not solved accurately enough, P may rise along the step.
	s.work.uphill = n.rise > uphillPart*s.current.value
	if s.work.uphill {
		s.work.damping = s.work.dampingAfter(0)
		return 0
	}
	rounding := float64(roundingPart * math.Abs(s.current.value))
	for k, j := range w.cols {
		rounding += float64(marginPart * s.work.alphaSize * math.Abs(n.u[k]*s.columns.LargestEntry[j]))
	}
	t.length = 1
	for range maxHalvings {
		for k, j := range w.cols {
			t.end[k] = n.u[k]
			if t.length < 1 {
				t.end[k] = math.FMA(t.length, n.u[k]-w.x[k], w.x[k])
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
		value := s.model.value(loss)
		if value <= s.current.value+float64(leastDescent*t.length*n.rise)+rounding {
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
