package exact

import (
	"cmp"
	"math"

	"github.com/scas-admm/scas/solver/internal/ending"
	"github.com/scas-admm/scas/solver/internal/gap"
)

// Settings are the settings of Solve.
type Settings struct {
	Tol           float64 // a proved gap of at most Tol ends Solve; 0 makes the gap as small as possible
	MaxIterations int     // largest number of Newton steps for a lambda; 0 means 500. See also continuation
	// StartGap is an estimate of the objective at the start minus the optimum, usually a proved bound. Without an
	// estimate, it is 0 or +Inf. It decides how accurately the first coupled model is solved.
	StartGap float64
	// Unproved makes Solve end, usually without a proof, when the objective is estimated to be at most Tol
	// above the optimum. It has an effect only near the solution for another lambda (see warmFactor), because
	// the estimate is good there, and if the solution is only a start for another Solver. It has no effect
	// for samples in a file, and if proofs cost little: with a Gram matrix, and near a solution if the
	// working set has all columns.
	Unproved  bool
	Interrupt func() error // called before each step or pass; its error ends the run; may be nil
	Stop      func() error // called during a step; its error ends the step; may be nil
	// Watch is called with the result at each point; its error ends the run. Before the first step, the
	// objective may have the rounding errors of extrapolated margins. Watch may be nil.
	Watch func(*Result) error
}

// stopped reports whether Stop ends the present step.
func (set *Settings) stopped() bool { return set.Stop != nil && set.Stop() != nil }

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
	maxIterations = 500
	maxStalled    = 6     // a run ends after this number of proofs in a row without a clear improvement
	leastTol      = 1e-15 // smallest tolerance, as a multiple of Solver.Scale
	// Zeros and ties must be exact if the tolerance is at most exactTol·Solver.Scale. For this, a run may
	// make mostExtraSteps steps after the gap is small enough.
	exactTol       = 1.001e-6
	mostExtraSteps = 3
	mostUnsolved   = 5 // see leavesGroups
)

// Solve moves the point to the solution for lambda ≥ 0, and proves a gap of at most set.Tol if it can. It
// starts at the current point; a first call may choose another start, see sample.go and ascent.go. If several models
// one after the other are not solved, Solve first solves the problem for larger lambdas, see continuation.
//
// In three cases Solve starts at 0, if the objective is smaller there: if it has chosen the other start itself; if
// the point is the solution for another lambda; and if the curvature of the loss has no bound, because then Newton
// steps from a far point are short.
func (s *Solver) Solve(lambda float64, set *Settings) Result {
	r := &run{
		Solver: s, settings: set, tol: math.Max(set.Tol, leastTol*s.scale),
		stepBudget: cmp.Or(set.MaxIterations, maxIterations),
		result:     Result{Gap: math.Inf(1)}, lastValue: math.MaxFloat64,
	}
	r.start(lambda)
	s.extrapolate(lambda)
	r.prepare()
	for r.goesOn() && r.callBack() == nil {
		length := r.step()
		r.watchUnsolved()
		switch {
		case s.rows.Err() != nil:
		case r.unproved && length == 1:
			r.endUnproved()
		default:
			r.proveOrGrow(length)
		}
	}
	if r.needsContinuation() {
		return r.continuation()
	}
	return r.end()
}

// A run is a call of Solver.Solve.
type run struct {
	*Solver
	settings   *Settings
	tol        float64 // the gap to reach
	stepBudget int     // the largest value of result.Iterations
	result     Result  // so far
	warm       bool    // the run started at the solution for another lambda, see warmFactor
	// The run ends when the objective is estimated to be near its optimum, see Settings.Unproved.
	unproved bool
	// A proof is tried when the estimated gap is at most aim. If the working set needs all columns, aim is
	// the tolerance. Otherwise it is proofPart times the last proved gap, but at least the tolerance. Before
	// the first proof, Solver.Scale replaces that gap; but after a warm start, or if the run is unproved, aim
	// is the tolerance. When the set has grown because it lacked columns, the objective replaces the gap
	// until the next proof.
	aim float64
	// The expected decrease of the next model's value; before the first step, the largest decrease in the
	// last run.
	nextFall float64
	// The number of proofs in a row without progress. A proof makes progress if it clearly improves the gap,
	// or if the objective has fallen below lastValue, its value at the last proof.
	stalledProofs int
	lastValue     float64
	unsolvedGap   float64 // the gap after the first of the models that workspace.unsolvedInRow counts
}

// start moves the point to the start of the run, and chooses the working set there.
func (r *run) start(lambda float64) {
	s, w := r.Solver, &r.work
	first := !w.started
	r.warm = !first && s.lambda <= warmFactor*lambda && lambda <= warmFactor*s.lambda
	w.nearOptimum, w.farReads, w.needsFormed, w.extraSteps = r.warm, 0, false, 0
	w.unsolved, w.unsolvedInRow = 0, 0
	s.past.add(s.lambda, s.x, r.warm)
	share := s.setLambda(lambda)
	// mayBeWorse is true if the start may be worse than x = 0. The solution for another lambda may be far away, if
	// the optimum for that lambda was at infinity.
	mayBeWorse := !first || w.keepsStart && math.IsInf(s.Problem.Loss.Curvature(), 1)
	var sampleSolver *Solver // solves the problem for some of the samples
	if first && !w.keepsStart {
		s.ascend(&r.result, r.settings, r.tol)
		if r.result.Iterations == 0 && r.result.Err == nil {
			sampleSolver, r.result.Err = s.startBySamples(lambda, r.settings)
		}
		r.stepBudget += r.result.Iterations
		mayBeWorse = sampleSolver != nil || r.result.Iterations > 0
	}
	if !w.started {
		s.visit()
	}
	if !(r.result.Gap <= r.tol) {
		s.chooseSet(share)
	}
	s.current.value = s.model.value(s.current.loss)
	if mayBeWorse && s.allowsZero() && !(s.current.value <= s.zeroLoss) { // x = 0 is the better start
		s.Start(make([]float64, s.p))
		r.result.Gap, sampleSolver = math.Inf(1), nil // both belong to the other start
		s.visit()
		s.chooseSet(share)
		s.current.value = s.model.value(s.current.loss)
	}
	s.model.begin(sampleSolver, r.startExcess(sampleSolver))
}

// startExcess returns an estimate of the objective at the start minus the optimum, or +Inf if nothing is known. If
// sample is not nil, it is the Solver that has found the start.
func (r *run) startExcess(sample *Solver) float64 {
	s := r.Solver
	ratio, last := s.past.stepRatio(s.lambda), s.work.mostFall
	switch {
	case sample != nil:
		return float64(s.p) / float64(sample.sampleCount) * s.scale
	case ratio >= 0.5 && ratio <= 2 && last > 0 && squaredFactor*last*last <= singleStep*r.tol*s.scale:
		return last // the last run started about as far from its optimum
	case s.work.keepsStart && r.settings.StartGap > 0:
		return r.settings.StartGap
	}
	return math.Inf(1)
}

// prepare decides when the run tries proofs and whether it ends without a proof, and sets what steps use.
func (r *run) prepare() {
	s, w := r.Solver, &r.work
	// If the set needs all columns, a proof costs little: it is a product with the Hessian. It also shows
	// whether the next lambda needs a new Hessian.
	r.unproved = r.settings.Unproved && s.gram == nil && s.File == nil &&
		(s.rough || r.warm && !s.set.needsAll)
	w.relTolerance = 0
	if r.unproved && w.mostFall > 0 {
		// With this RelTolerance (see quadratic.SeparableSettings), the value of a model ends at most about
		// tol above its minimum.
		w.relTolerance = min(roughPart, math.Sqrt(r.tol/w.mostFall))
	}
	r.nextFall, w.tightening, w.mostFall = w.mostFall, 1, 0
	r.aim = proofPart * s.scale
	if r.warm || s.set.needsAll || r.unproved {
		r.aim = r.tol
	}
	s.stop = r.settings.stopped
}

// leavesGroups reports whether a coupled model should replace a grouped model: after mostUnsolved models that were
// not solved, if the working set has no room for the groups that it needs, and if a coupled model takes less time.
func (r *run) leavesGroups() bool {
	return r.groups != nil && (r.MaxWorking == 0 || r.p <= r.MaxWorking) &&
		(r.work.unsolved >= mostUnsolved || r.set.noRoom ||
			len(r.set.cols) > leastCoupled && len(r.set.cols) > r.mostGrouped())
}

// goesOn reports whether the run makes another step.
func (r *run) goesOn() bool {
	res := &r.result
	return res.Err == nil && res.Why == 0 && r.rows.Err() == nil && !(res.Gap <= r.tol && r.isExact()) &&
		res.Iterations < r.stepBudget && (!r.set.noRoom || r.leavesGroups()) && r.stalledProofs < maxStalled &&
		!r.needsContinuation()
}

// isExact reports whether a run whose gap is at most r.tol may end: zeros and ties are exact, or need not be
// exact, or no more steps are allowed to make them exact.
func (r *run) isExact() bool {
	return r.rough || r.model.isExact() || r.tol > exactTol*r.scale || r.work.extraSteps == mostExtraSteps
}

// callBack calls Settings.Interrupt and then Settings.Watch. The first error ends the run, and is returned.
func (r *run) callBack() error {
	if r.settings.Interrupt != nil {
		r.result.Err = r.settings.Interrupt()
	}
	if r.result.Err == nil {
		r.result.Err = r.callWatch()
	}
	return r.result.Err
}

func (r *run) callWatch() error {
	if r.settings.Watch == nil {
		return nil
	}
	result := r.result
	result.Objective, result.Loss, result.Gap = r.current.value, r.current.loss,
		gap.RoundedGap(r.result.Gap, r.current.value)
	return r.settings.Watch(&result)
}

// step makes a Newton step, and returns its length.
func (r *run) step() (length float64) {
	s, w := r.Solver, &r.work
	if r.leavesGroups() {
		s.useCoupledModel()
	}
	r.result.Iterations++
	oldValue := s.current.value
	keepHessian := false
	switch {
	case r.result.Gap <= r.tol: // an extra step, for exact zeros and ties
		w.extraSteps++
	case r.result.Iterations == 1 && w.gapRatio <= reusePart:
		keepHessian = true
	case r.result.Iterations <= 2 || !w.stale: // an old Hessian that did not lead to the end is not used again
		keepHessian = s.servesAgain(r.nextFall, r.tol)
	}
	fall, length := s.step(r.tol, keepHessian)
	if s.rows.Err() != nil {
		return length
	}
	r.result.Gap += math.Max(0, s.current.value-oldValue)
	w.mostFall, r.nextFall = max(w.mostFall, fall), w.excess
	return length
}

// endUnproved ends the run if the objective is estimated to be near its optimum after a step of length 1. If
// the run does not end, the working set may change.
func (r *run) endUnproved() {
	s, lacked := r.Solver, false
	if !s.set.needsAll {
		s.rows.useSlopes(s.x, s.e, true)
		lacked = s.chooseSet(1)
	}
	// If the model was stopped early, its fall says nothing about the distance to the optimum.
	if !lacked && s.work.excess <= r.tol && !s.stop() {
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
	// No gap can be proved while the set lacks required columns. So the set grows now if the Hessian is
	// formed. Otherwise the model was solved less accurately, and another step with the same columns may be
	// better.
	grows := far && length == 1 && s.set.lacksColumns && s.gram == nil
	if !grows || !s.set.formed {
		if t := s.tally(); far && t.Fenchel > r.aim {
			return
		}
	}
	if grows {
		s.rows.useSlopes(s.x, s.e, true)
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
	if proved < 0.7*res.Gap || s.current.value < r.lastValue-float64(1e-12*math.Abs(r.lastValue)) {
		r.stalledProofs = 0
	}
	if r.stalledProofs == maxStalled/2 {
		// Proofs no longer make the gap smaller. A model without a formed Hessian may not be solved accurately
		// enough; Newton steps with a Cholesky factor are accurate.
		s.work.needsFormed = s.work.needsFormed || !s.set.formed
		if !s.stop() {
			s.giveUpImplicit()
		}
	}
	if length == 0 {
		s.work.tightening *= tighterPart
	}
	res.Gap, r.lastValue = math.Min(res.Gap, proved), s.current.value
	r.aim = r.tol
	if !s.set.needsAll {
		r.aim = math.Max(r.tol, proofPart*proved)
	}
	if !(res.Gap <= r.tol) {
		s.chooseSet(1)
	}
}

// end completes the result of the run, and returns it.
func (r *run) end() Result {
	s, res := r.Solver, &r.result
	s.settle() // an interrupt may have ended the run before its first step
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
		res.Why = ending.WhyEnded(res.Err, res.Gap, r.settings.Tol, res.Full, s.fallsForever,
			res.Iterations >= r.stepBudget)
	}
	if err := s.rows.Err(); err != nil && res.Err == nil {
		// ending.WhyEnded has called s.fallsForever, and its visit of the rows ended with an error.
		res.Err, res.Why = err, ending.Interrupted
	}
	return *res
}

const (
	// The start is taken to be near the optimum if it is the solution for a lambda that is at most this
	// multiple of the current one.
	warmFactor = 4
	// A part of the last proved gap, see run.aim.
	proofPart = 0.1
	// How far the last run started from its optimum is an estimate for this run. Method startExcess uses it if the first
	// step is expected to reduce it to at most singleStep times the tolerance. Then this step is often the only one.
	// Otherwise a rough first step takes less time.
	singleStep = 4
	roughPart  = 0.1 // largest value of workspace.relTolerance
	// If a step does not move the point, but the gap is too large, the tolerance of the next model is
	// multiplied by this number.
	tighterPart = 1e-2
)

// visit computes the mean loss at s.x, and sets s.e to the gradient of the mean loss.
func (s *Solver) visit() {
	s.current.loss = s.rows.moveTo(s.x, s.e, s.work.damping)
	s.work.started = true
	if s.gram == nil { // with a Gram matrix, the Hessian is the same at all points
		s.set.removeAll()
	}
}
