package exact

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/ending"
	"github.com/scas-admm/scas/solver/internal/gap"
	"github.com/scas-admm/scas/solver/internal/quadratic"
	"github.com/scas-admm/scas/sparse"
)

// Settings are the settings of Solve.
type Settings struct {
	Tol           float64 // a proved gap of at most Tol ends Solve; 0 makes the gap as small as possible
	MaxIterations int     // largest number of Newton steps; 0 means 100
	// Unproved makes Solve end, usually without a proof, when the objective is estimated to be at most Tol
	// above the optimum. It has an effect only near the solution for another lambda (see warmFactor), where
	// the estimate is good. It has none if proofs cost little: with a Gram matrix, and if the working set has
	// all columns.
	Unproved  bool
	Interrupt func() error // called before each step or pass; its error ends the run; may be nil
	Stop      func() error // called during a step; its error ends the step; may be nil
	// Watch is called with the result at each point; its error ends the run. It may be nil.
	Watch func(*Result) error
}

// A Result says how a call of Solve ended.
type Result struct {
	Gap        float64    // an upper bound of Objective − P*, rounding included; +Inf if nothing is proved
	Objective  float64    // P(x) as computed
	Loss       float64    // the mean loss
	Why        ending.Why // why the run ended
	Iterations int        // number of Newton steps plus passes of dual coordinate ascent
	Proofs     int        // number of attempts to prove a gap
	Full       bool       // the working set had no room for all columns that it needed
	// The error that ended the run, or nil.
	Err error
}

const (
	maxIterations = 100
	maxStalled    = 6     // a run ends after this number of proofs in a row without a clear improvement
	leastTol      = 1e-15 // smallest tolerance, as a multiple of Solver.Scale
)

// Solve moves the point to the solution for lambda ≥ 0, and proves a gap of at most set.Tol if it can. It
// starts at the current point; a first call may choose another start, see sample.go and ascent.go. If the
// curvature of the loss has no bound, and the given start is worse than 0, it starts at 0: Newton steps from a
// far point are short.
func (s *Solver) Solve(lambda float64, set *Settings) Result {
	r := &run{
		Solver: s, set: set, tol: math.Max(set.Tol, leastTol*s.scale), stepBudget: cmp.Or(set.MaxIterations, maxIterations),
		result: Result{Gap: math.Inf(1)}, lowestValue: math.Inf(1),
	}
	r.start(lambda)
	startValue := s.current.value
	s.extrapolate(lambda, r.tol)
	r.chooseEnding()
	for r.goesOn() && r.tellCaller() == nil {
		length := r.step()
		switch {
		case s.rows.Err() != nil:
		case r.unproved && length == 1:
			r.endUnproved()
		default:
			r.proveOrGrow(length)
		}
	}
	s.past.totalFall = startValue - s.current.value
	return r.end()
}

// A run is a call of Solver.Solve.
type run struct {
	*Solver
	set        *Settings
	tol        float64 // the gap to reach
	stepBudget int     // the largest value of result.Iterations
	result     Result  // so far
	unproved   bool    // the run ends when the objective is estimated to be near its optimum, see Settings.Unproved
	// A proof is tried when the estimated gap is at most aim. If the working set needs all columns, aim is the
	// tolerance. Otherwise it is proofPart times the last proved gap, but at least the tolerance. Before the
	// first proof, Solver.Scale replaces that gap; but after a warm start, or if the run is unproved, aim is
	// the tolerance. When the set has grown because it lacked columns, the objective replaces the gap until
	// the next proof.
	aim float64
	// The number of proofs since the last one that improved clearly on the gap, or before which the objective
	// fell below lowestValue, its value at the last proof.
	stalledProofs int
	lowestValue   float64
}

// start moves the point to the start of the run, and chooses the working set there.
func (r *run) start(lambda float64) {
	s, w := r.Solver, &r.work
	first := !w.started
	w.warm = !first && s.lambda <= warmFactor*lambda
	w.nearOptimum, w.farReads, w.needsFormed = w.warm, 0, false
	s.past.add(s.lambda, s.x, w.warm)
	share := s.setLambda(lambda)
	mayBeFar := first && w.keepsStart && math.IsInf(s.Problem.Loss.Curvature(), 1) && s.allowsZero()
	var sampleSolver *Solver // solves the problem for some of the samples
	if first && !w.keepsStart {
		if s.ascend(&r.result, r.set, r.tol); r.result.Iterations == 0 && r.result.Err == nil {
			sampleSolver = s.startBySamples(lambda, r.set)
		}
		r.stepBudget += r.result.Iterations
		mayBeFar = sampleSolver != nil || r.result.Iterations > 0
	}
	if !w.started {
		s.visit()
		if s.coupled != nil && sampleSolver != nil {
			excess := float64(s.p) / float64(sampleSolver.rows.sampleCount()) * s.scale
			s.coupled.startFrom(sampleSolver.coupled, excess)
		}
	}
	if !(r.result.Gap <= r.tol) {
		s.chooseSet(share)
	}
	s.current.value = s.value(s.current.loss)
	if mayBeFar && !(s.current.value <= s.rows.lossAtZero()) { // x = 0 is the better start
		s.Start(make([]float64, s.p))
		r.result.Gap = math.Inf(1) // the gap of the ascent is not of this point
		s.visit()
		s.chooseSet(share)
		s.current.value = s.value(s.current.loss)
	}
}

// chooseEnding decides when the run tries proofs, and whether it ends without a proof.
func (r *run) chooseEnding() {
	s, w := r.Solver, &r.work
	// If the set needs all columns, a proof costs little: it is a product with the Hessian. It also shows whether
	// the next lambda needs a new Hessian.
	r.unproved = r.set.Unproved && s.gram == nil && s.File == nil && (s.rough || w.warm && !s.set.needsAll)
	if w.relTolerance = 0; r.unproved && w.mostFall > 0 {
		// With this RelTolerance (see quadratic.SeparableSettings), the value of a model ends at most about
		// tol above its minimum.
		w.relTolerance = min(roughPart, math.Sqrt(r.tol/w.mostFall))
	}
	w.inaccuracy, w.tightening, w.mostFall, w.lastFall, w.excess = 0, 1, 0, 0, math.Inf(1)
	if r.aim = proofPart * s.scale; w.warm || s.set.needsAll || r.unproved {
		r.aim = r.tol
	}
	if s.coupled != nil {
		s.coupled.extraSteps = 0
	}
	s.set.model.Stop = func() bool { return r.set.Stop != nil && r.set.Stop() != nil }
}

// goesOn reports whether the run makes another step.
func (r *run) goesOn() bool {
	res := &r.result
	return res.Err == nil && res.Why == 0 && r.rows.Err() == nil && !(res.Gap <= r.tol && r.isExact(r.tol)) &&
		res.Iterations < r.stepBudget && !r.Solver.set.noRoom && r.stalledProofs < maxStalled
}

// tellCaller calls Settings.Interrupt and Settings.Watch. It returns the error of one of them, which ends the
// run.
func (r *run) tellCaller() error {
	if r.set.Interrupt != nil {
		r.result.Err = r.set.Interrupt()
	}
	if r.result.Err == nil {
		r.result.Err = r.callWatch()
	}
	return r.result.Err
}

func (r *run) callWatch() error {
	if r.set.Watch == nil {
		return nil
	}
	result := r.result
	result.Objective, result.Loss, result.Gap = r.current.value, r.current.loss, gap.RoundedGap(r.result.Gap, r.current.value)
	return r.set.Watch(&result)
}

// step makes a Newton step, and returns its length.
func (r *run) step() (length float64) {
	s, w := r.Solver, &r.work
	r.result.Iterations++
	oldValue := s.current.value
	keepHessian := false
	switch {
	case r.result.Iterations == 1:
		keepHessian = w.gapRatio <= reusePart
	case r.result.Gap <= r.tol: // an extra step, for exact zeros and ties
		s.coupled.extraSteps++
	case r.result.Iterations == 2 || !w.stale:
		keepHessian = s.servesAgain(r.tol)
	}
	fall, length := s.step(r.tol, keepHessian)
	if s.rows.Err() != nil {
		return length
	}
	r.result.Gap += math.Max(0, s.current.value-oldValue)
	w.mostFall = max(w.mostFall, fall)
	return length
}

// endUnproved ends the run if the objective is estimated to be near its optimum after a step of length 1. If the
// run does not end, the working set may change.
func (r *run) endUnproved() {
	s, lacked := r.Solver, false
	if !s.set.needsAll {
		s.rows.useSlopes(s.x, s.e)
		lacked = s.chooseSet(1)
	}
	// If the model was stopped early, its fall says nothing about the distance to the optimum.
	if !lacked && s.work.excess <= r.tol && !s.set.model.Stop() {
		r.result.Why = ending.Reached
	}
}

// proveOrGrow follows a step of the given length. It may try a proof or, if the working set is known to lack
// columns, add columns to the set.
func (r *run) proveOrGrow(length float64) {
	s := r.Solver
	// If the objective is at most tol, the dual point 0 may prove that the gap is at most tol. The last step
	// allowed is followed by a proof.
	far := length > 0 && s.current.value > r.tol && r.result.Iterations < r.stepBudget
	// Columns that the set has no place for make a proof impossible. A model without a formed Hessian is
	// solved less accurately: then another step with the same columns may be better.
	grows := far && length == 1 && s.set.lacksColumns && s.gram == nil
	if !grows || !s.set.formed {
		t := s.rows.tally()
		if s.work.alphaSize = t.Size; far && t.Fenchel > r.aim {
			return
		}
	}
	if grows {
		s.rows.useSlopes(s.x, s.e)
		s.chooseSet(1)
		r.aim = max(r.tol, proofPart*s.current.value)
		return
	}
	r.prove(length)
}

// prove tries to prove a gap after a step of the given length. If the gap is too large, the working set may
// change.
func (r *run) prove(length float64) {
	s, res := r.Solver, &r.result
	res.Proofs++
	oldValue := s.current.value
	proved := s.proveGap(r.tol)
	res.Gap += math.Max(0, s.current.value-oldValue)
	r.stalledProofs++
	if proved < 0.7*res.Gap || s.current.value < r.lowestValue-float64(1e-12*math.Abs(r.lowestValue)) {
		r.stalledProofs = 0
	}
	if r.stalledProofs == maxStalled/2 && s.coupled == nil && !s.set.formed {
		// Proofs no longer make the gap smaller, because a model without a formed Hessian is not solved
		// accurately enough. Newton steps with a Cholesky factor are accurate.
		s.work.needsFormed = true
	}
	if length == 0 {
		s.work.tightening *= tighterPart
	}
	res.Gap, r.lowestValue = math.Min(res.Gap, proved), s.current.value
	if r.aim = r.tol; !s.set.needsAll {
		r.aim = math.Max(r.tol, proofPart*proved)
	}
	if !(res.Gap <= r.tol) {
		s.chooseSet(1)
	}
}

// end completes the result of the run, and returns it.
func (r *run) end() Result {
	s, res := r.Solver, &r.result
	if err := s.rows.Err(); err != nil {
		res.Err = err
	}
	if res.Err == nil {
		res.Err = r.callWatch()
	}
	s.work.gapRatio = res.Gap / r.tol
	res.Objective, res.Loss, res.Full = s.current.value, s.current.loss, s.set.noRoom
	res.Gap = gap.RoundedGap(res.Gap, res.Objective)
	if res.Why == 0 || res.Err != nil {
		res.Why = ending.WhyEnded(res.Err, res.Gap, r.set.Tol, res.Full, s.fallsForever, res.Iterations >= r.stepBudget)
	}
	if err := s.rows.Err(); err != nil && res.Err == nil { // an error ended fallsForever, which ending.WhyEnded calls
		res.Err, res.Why = err, ending.Interrupted
	}
	return *res
}

// excessAfter estimates the objective minus its optimum after a step of length 1. fall is the decrease of the
// model's value.
func (s *Solver) excessAfter(fall float64) float64 {
	if !s.Loss.Traits().ContinuousCurvature {
		return fall
	}
	return float64(squaredFactor*fall*fall) / s.scale
}

const (
	// The start is taken to be near the optimum if it is the solution for a lambda that is at most this
	// multiple of the current one.
	warmFactor = 4
	// mostSweeps is the largest number of sweeps over the coordinates of a model whose Hessian is not formed.
	mostSweeps = 4
	// A part of the last proved gap, see run.aim.
	proofPart = 0.1
	// If a step does not move the point, but the gap is too large, the tolerance of the next model is
	// multiplied by this number.
	tighterPart = 1e-2
)

// fallsForever reports whether the loss keeps falling when the coefficients of free features in s.x are
// multiplied by larger and larger numbers. The coefficients of other features, and those that the domain
// stops, do not change.
func (s *Solver) fallsForever() bool {
	if len(s.summary.free) == 0 {
		return false
	}
	d := make([]float64, s.p)
	for _, j := range s.summary.free {
		if above, below := s.unboundedSides(int(j)); s.x[j] > 0 && above || s.x[j] < 0 && below {
			d[j] = s.x[j]
		}
	}
	return s.rows.lossFallsForever(d)
}

// setLambda sets the limits and ridges for lambda. It returns the share for the next call of chooseSet, which
// requires the columns whose correlation exceeds share times their limit. After a solution for another
// lambda, share comes from the strong rule (Tibshirani and others 2012).
func (s *Solver) setLambda(lambda float64) (share float64) {
	share = 0.9
	if s.work.started && s.lambda > 0 && lambda > 0 {
		share = math.Max(0.5, math.Min(2-s.lambda/lambda, 1))
	}
	s.lambda = lambda
	for k, l := range s.Limit {
		s.limit[k] = lambda * l
	}
	for j, l := range s.Ridge {
		if s.ridge[j] = lambda * l; s.FixedRidge != nil {
			s.ridge[j] += s.FixedRidge[j]
		}
	}
	if s.summary.free == nil || (lambda == 0) != s.summary.zeroLambda {
		s.findFree()
		s.summary.zeroLambda = lambda == 0
		s.poseBounds()
	}
	s.bounds.Penalty.SetLimit(s.limit)
	if s.coupled != nil {
		s.coupled.setPenalty(s.bounds.Penalty)
	}
	s.set.noRoom = false
	return share
}

// findFree sets summary.free. If the free features have changed, it searches for separated samples again.
func (s *Solver) findFree() {
	held := make([]bool, s.p)
	for k, l := range s.limit {
		if l == 0 && (s.Square == nil || s.Square[k] == 0) {
			continue
		}
		if a := s.A.Matrix(); a == nil {
			held[k] = true
		} else {
			idx, val := a.Row(k)
			for i, j := range idx {
				held[j] = held[j] || val[i] != 0
			}
		}
	}
	free := []int32{}
	for j, h := range held {
		if !h && s.ridge[j] == 0 {
			free = append(free, int32(j))
		}
	}
	if s.summary.free == nil || !slices.Equal(free, s.summary.free) {
		s.summary.free = free
		s.findSeparated()
	}
}

func (s *Solver) findSeparated() {
	free := make([]bool, s.p)
	for _, j := range s.summary.free {
		free[j] = true
	}
	s.summary.separated = s.rows.separate(func(j int) (above, below bool) {
		above, below = s.unboundedSides(j)
		return free[j] && above, free[j] && below
	})
}

// allowsZero reports whether x = 0 is in the domain.
func (s *Solver) allowsZero() bool {
	zero := make([]float64, s.p)
	if s.Set != nil {
		s.Set.Project(zero)
	}
	return !slices.ContainsFunc(zero, func(v float64) bool { return v != 0 })
}

// unboundedSides reports whether the domain lets coordinate j increase without end (above), and whether it
// lets the coordinate decrease without end (below).
func (s *Solver) unboundedSides(j int) (above, below bool) {
	switch {
	case s.Set == nil:
		return true, true
	case s.box == nil:
		return false, false
	}
	return math.IsInf(s.box.Upper[j], 1), math.IsInf(s.box.Lower[j], -1)
}

// visit computes the mean loss at s.x, and sets s.e to the gradient of the mean loss.
func (s *Solver) visit() {
	s.current.loss = s.rows.moveTo(s.x, s.e, s.work.damping)
	s.work.started = true
	if s.gram != nil { // the Hessian is the same at all points
		return
	}
	s.set.removeAll()
	if s.coupled != nil {
		s.coupled.forget()
	}
}

// value returns the objective P at the point s.x. loss is the mean loss there.
func (s *Solver) value(loss float64) float64 {
	if s.coupled != nil {
		return s.bounds.Value(s.x, loss)
	}
	sum := loss
	if s.set.noRoom || s.set.cols == nil { // the set may lack non-zero coefficients
		for j := range s.x {
			sum += s.penaltyAndRidge(j)
		}
		return sum
	}
	for _, j := range s.set.cols {
		sum += s.penaltyAndRidge(int(j))
	}
	return sum
}

// penaltyAndRidge returns the penalty and the ridge term of coefficient j if A = I.
func (s *Solver) penaltyAndRidge(j int) float64 {
	v := s.x[j]
	if v == 0 {
		return 0
	}
	return float64(s.limit[j]*math.Abs(v)) + float64(float64(0.5*s.ridge[j])*float64(v*v))
}

// step minimises the model at x, moves x towards the model's solution by a line search, and updates α. It
// returns by how much the model's value fell, and the length of the step, from 0 to 1. tol is the gap to
// reach. If keepHessian is true, the model keeps the Hessian of an earlier point, if it has one.
func (s *Solver) step(tol float64, keepHessian bool) (fall, length float64) {
	w := &s.set
	for k, j := range w.cols {
		w.x[k] = s.x[j]
	}
	wasStale := s.work.stale
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
	s.setExcess(fall, wasStale)
	if length = s.search(fall, tol); length < 1 {
		s.work.lastFall, s.work.excess = 0, math.Inf(1)
	}
	if !w.formed {
		visits := w.implicit.Visits()
		if s.work.visits = max(leastVisits, visits); !s.work.nearOptimum {
			s.work.farReads += float64(visits * w.cost.entries)
		}
	}
	s.work.nearOptimum, s.work.inaccuracy = length == 1 && fall <= nearPart*s.current.value, fallPart*fall
	return fall, length
}

// minimise approximately minimises the separable model, and returns by how much its value fell. tol is the
// gap to reach.
func (s *Solver) minimise(tol float64) (fall float64) {
	w, q := &s.set, &s.set.model
	for k, j := range w.cols {
		q.Limit[k] = s.limit[j]
	}
	q.FreeIndex = s.positionOfFree()
	if s.work.damping == 0 && q.LacksCurvature() {
		s.work.damping, w.reusable = jumpDamping, false
		s.updateHessian(false)
	}
	set := quadratic.SeparableSettings{Tolerance: s.work.tightening * s.setUnits(tol), RelTolerance: innerPart}
	if s.work.nearOptimum || s.hasConstantCurvature() { // if φ″ is constant, the model is the problem itself
		set.RelTolerance = s.work.relTolerance
	} else {
		// If this step may be the last one, only an accurate solution of the model proves the tolerance.
		set.Accurate = func(fall float64) bool { return s.excessAfter(fall) <= tol }
	}
	if !w.formed {
		if s.work.nearOptimum {
			set.Tolerance = math.Max(set.Tolerance, s.work.inaccuracy/s.current.value)
		}
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
	// workspace.inaccuracy is fallPart times the decrease of the last model's value, and 0 in the first step.
	fallPart = 0.01
	// workspace.nearOptimum is set after a step of length 1 in which the value of the model falls by at most
	// nearPart times the objective.
	nearPart = 1e-2
)

// A step may use the Hessian of an earlier point if the expected excess after it, the objective minus its
// optimum, is at most reusePart times the tolerance. In the first step for a lambda, the gap at the end of the
// last lambda replaces this excess, see workspace.gapRatio. For a coupled model the part is coupledReuse: when its
// ties change, the estimate of the excess is often too small.
const reusePart, coupledReuse = 0.2, 0.05

// servesAgain reports whether the next step may use the Hessian of the last one again. Its model's value is then
// expected to fall by the excess after the last step, and to leave the same part of its fall as the last step.
func (s *Solver) servesAgain(tol float64) bool {
	w, part := &s.work, reusePart
	if s.coupled != nil {
		part = coupledReuse
	}
	return s.set.formed && w.excess/w.lastFall*w.excess <= part*tol
}

// setExcess sets workspace.excess after a model's value has fallen by fall. wasStale says whether the step before
// used an old Hessian. A step with an old Hessian leaves about the part of its fall that the step before left.
func (s *Solver) setExcess(fall float64, wasStale bool) {
	w := &s.work
	oldFall := w.lastFall
	if wasStale && oldFall > 0 {
		w.staleRatio = fall / oldFall
	}
	switch w.lastFall = fall; {
	case !w.stale:
		w.excess = s.excessAfter(fall)
	case oldFall > 0:
		w.excess = fall / oldFall * fall
	default:
		w.excess = w.staleRatio * fall
	}
}

func (s *Solver) hasConstantCurvature() bool {
	return s.Loss.Traits().ConstantCurvature
}

// updateHessian sets the Hessian of the model. It computes the Hessian at the present point, or keeps that of an
// earlier point.
//
// A constant Hessian is always kept. With damping, no other Hessian is kept. Without damping, the Hessian is kept
// in two cases: if keep is true; and if a new Hessian needs a visit of the file, and the old one was used only
// once. A kept Hessian must have the columns of the working set; if the data are in memory, growHessian can add
// a few columns that it lacks.
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

// The gap may grow by this fraction of the tolerance when a dual point is scaled to be feasible.
const scaledPart = 0.5

// setUnits sets the units of the violations of optimality conditions in the separable model, and returns the
// largest violation allowed, in these units (see Separable.Unit). tol is the gap to reach.
func (s *Solver) setUnits(tol float64) float64 {
	m := &s.set.model
	leastRatio := math.Sqrt(s.scale)
	for k, l := range m.Limit {
		if norm := s.summary.Norm[s.set.cols[k]]; l > 0 && norm > 0 {
			leastRatio = math.Min(leastRatio, l/norm)
		}
	}
	tolerance := math.Min(1e-3, scaledPart*tol/max(s.current.value, s.current.value-s.current.loss, tol))
	diagonal := m.H.Diagonal()
	for k, l := range m.Limit {
		ridge := s.ridge[s.set.cols[k]]
		switch {
		case ridge > 0:
			if m.Unit[k] = math.Sqrt(0.2*ridge*tol/float64(len(m.X))) / tolerance; l > 0 {
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

const (
	leastDescent = 0.2   // the line search requires this fraction of the predicted fall (Armijo's rule)
	maxHalvings  = 40    // largest number of halvings of a step
	roundingPart = 1e-14 // P may rise by this multiple of P, because of rounding
	// Rounding of the margins may raise P by this multiple of Σ |xⱼ| maxᵢ|X_ij| times the mean |αᵢ|.
	marginPart = 1e-15
	uphillPart = 1e-12 // a step is rejected if P is predicted to rise by more than this multiple of P
)

// search moves x towards the solution of the model. It halves the step until the objective P falls enough,
// and returns the length of the step: 1 for the solution itself, 0 if x does not move. fall is the decrease
// of the model's value from x to its solution.
func (s *Solver) search(fall, tol float64) (length float64) {
	w := &s.set
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
		rise += s.riseCoupled()
	} else {
		for k, u := range w.u {
			rise += float64(w.model.Limit[k] * (math.Abs(u) - math.Abs(w.x[k])))
		}
	}
	// If the model was not solved accurately enough, P may rise along the step.
	if s.work.uphill = rise > uphillPart*s.current.value; s.work.uphill {
		s.work.damping = s.work.dampingAfter(0)
		return 0
	}
	rounding := float64(roundingPart * math.Abs(s.current.value))
	for k, j := range w.cols {
		rounding += float64(marginPart * s.work.alphaSize * math.Abs(w.u[k]*s.summary.LargestEntry[j]))
	}
	t.length = 1
	for range maxHalvings {
		for k, j := range w.cols {
			if t.end[k] = w.u[k]; t.length < 1 {
				t.end[k] = math.FMA(t.length, w.u[k]-w.x[k], w.x[k])
			}
			s.x[j] = t.end[k]
		}
		t.needsHessian = t.length < 1 || !s.hasConstantCurvature() && (s.work.stale || !s.servesAgain(tol))
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

// errNoRoom is the error of LambdaMax if the working set is too small.
var errNoRoom = &sparse.RemedyError{
	Err: errors.New("exact: the largest lambda is not known: the working set has no room for all coefficients without an L1 penalty"),
	Remedies: []sparse.Remedy{
		{Field: "PathSettings.Lambdas", To: "lambdas of your own"},
	},
}

// LambdaMax returns the smallest lambda for which all coefficients with a limit are zero, and moves the
// point to the solution for this lambda. The result is 0 if all correlations are 0 up to rounding. A must
// be I. If some coefficient has a ridge but no limit, LambdaMax returns +Inf and does not move the point. A
// non-nil interrupt is called before each step; its error ends the run and is returned. LambdaMax returns an
// error if the working set has no room for all coefficients without a limit.
func (s *Solver) LambdaMax(interrupt func() error) (float64, error) {
	for j, l2 := range s.Ridge {
		if l2 > 0 && s.Limit[j] == 0 {
			return math.Inf(1), nil
		}
	}
	s.Start(make([]float64, s.p))
	s.work.keepsStart = false
	const lastFall = 1e-18
	huge := min(1e100, 1e300/max(slices.Max(s.Limit), slices.Max(s.Ridge)))
	tol := 1e-14
	if s.Loss.Traits().Accuracy > 0 {
		tol = 1e-12 // the loss is not computed accurately enough to prove a smaller gap
	}
	r := s.Solve(huge, &Settings{Tol: tol * s.scale, Interrupt: interrupt})
	if r.Err != nil {
		return 0, r.Err
	}
	if len(s.set.cols) == 0 { // after a dual coordinate ascent there is no working set
		s.chooseSet(1)
	}
	if s.set.noRoom {
		return 0, errNoRoom
	}
	for range 4 { // more steps until all digits of x are right, and not only the digits of P(x)
		if fall, _ := s.step(0, false); !(fall > lastFall*s.scale) {
			break
		}
	}
	s.rows.useSlopes(s.x, s.e)
	var lambdaMax float64
	// The rounding error of a correlation is at most noise times the norm of the column.
	noise := 0x1p-51 * float64(s.rows.sampleCount()) * math.Sqrt(s.rows.tally().Square)
	for j, l := range s.Limit {
		if l > 0 && !(s.summary.Norm != nil && s.correlation(j) <= noise*s.summary.Norm[j]) {
			lambdaMax = math.Max(lambdaMax, s.correlation(j)/l)
		}
	}
	s.lambda = lambdaMax
	return lambdaMax, nil
}

// Gradient returns X'Cα for the last dual point α, where C is the diagonal matrix of the sample weights,
// divided by their sum. After LambdaMax, this is the gradient of the loss. After Solve, some entries may be
// estimates (see gap.DataProblem.Screen). The slice is valid until the next call of a method.
func (s *Solver) Gradient() []float64 { return s.e }
