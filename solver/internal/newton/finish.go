package newton

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/solver/internal/ending"
	"github.com/scas-admm/scas/solver/internal/gap"
	"github.com/scas-admm/scas/solver/internal/structure"
)

// Settings tune Finish.
type Settings struct {
	Tol           float64        // gap at which to stop; at least 1e-16 of that of x = 0
	MaxIterations int            // 0 for 200
	Brief         bool           // end where the gap is proved, not where x comes to rest
	Record        func(Progress) // called after each iteration, unless nil
	Interrupt     func() error   // asked before each iteration, unless nil
	Stop          func() error   // asked within long ones, which its error ends, unless nil
}

// Progress is what Finish knows after an iteration.
type Progress struct {
	Iteration       int
	X               []float64 // the best point so far; valid until Record returns
	Objective       float64   // P there
	Gap             float64   // proved of it
	Complementarity float64   // τ
	Length          float64   // of the step; 0 for a damped Newton step
	Lifted          float64   // what had to be added to the scaled Hessian's diagonal
}

// A Result is where Finish ended.
type Result struct {
	X          []float64 // p
	Z          []float64 // l: multipliers, a dual feasible point with Alpha
	Alpha      []float64 // n
	Gap        float64   // Objective − P* is at most this; +Inf if nothing is proved
	Objective  float64   // P(X) as computed
	Why        ending.Why
	Iterations int
	Damped     int                 // of the iterations: damped Newton steps
	Restarted  bool                // the start did not pay and was given up for 0
	Polished   bool                // zeros and ties of X are exact
	Structure  structure.Partition // of X, if it is polished
	Full       bool                // working sets had no room for all coefficients that are not zero
	Err        error               // of Settings.Interrupt
}

// Unpolish forgets the structure of a point that another one replaces.
func (r *Result) Unpolish() { r.Polished, r.Structure = false, structure.Partition{} }

const defaultIterations = 200

// startTau is the first complementarity, as a part of P(0)/l: the safe one, also for
// warm starts.
const startTau = 0.05

// Finish solves the problem from x, of length p, to a gap proved to be at most
// set.Tol, by Mehrotra's predictor-corrector method. On R^p the objective of the result is
// not above that of x but for rounding, even where the gap allows it.
func (f *Finisher) Finish(x []float64, set *Settings) *Result {
	if !f.Absolute() {
		return f.follow(x, set)
	}
	r := f.newFinish(set)
	r.begin(x)
	r.run()
	res := r.end()
	most := set.MaxIterations
	if most == 0 {
		most = defaultIterations
	}
	res.Why = f.ending(res, set.Tol, false, res.Iterations >= most)
	if res.Err == nil && set.MaxIterations == 0 && !(res.Gap <= math.Max(r.exact.goal, secondTol*r.scale)) {
		return f.second(res, set)
	}
	return res
}

// secondTol is the gap, as a part of P(0), with which the other method is not tried:
// rounding is a likely reason.
const secondTol = 1e-9

// second tries the other method where the first has not reached the goal: losses that
// are flat at the start, as Huber's with labels far from zero, can lead it astray.
func (f *Finisher) second(first *Result, set *Settings) *Result {
	res := f.follow(first.X, set)
	res.Iterations += first.Iterations
	if !(res.Gap < first.Gap) {
		if first.Iterations, first.Err = res.Iterations, res.Err; first.Err != nil {
			first.Why = ending.Interrupted
		}
		return first
	}
	return res
}

func (f *Finisher) newFinish(set *Settings) *finish {
	r := &finish{f: f, set: *set, path: f.newPath(), trial: f.newDual(), best: f.newDual(), atBest: f.newPoint()}
	r.step, r.margin = make([]float64, f.n), make([]float64, f.n)
	r.last.weights = make([]float64, f.rows.Len())
	if r.set.MaxIterations == 0 {
		r.set.MaxIterations = defaultIterations
	}
	r.atBest.value, r.start.value = math.Inf(1), math.Inf(1)
	return r
}

const (
	leastTol   = 1e-16 // gap, as a part of P(0), with which to be content
	leastTau   = 1e-22 // complementarity, as a part of P(0)/l, at which to give up
	maxStalled = 6     // iterations in a row that do not pay, after which to give up
	patience   = 5     // iterations in which a start must pay
)

// A finish is a call of Finish.
type finish struct {
	f       *Finisher
	set     Settings
	path    *path
	trial   *dual   // the full step of the iteration
	best    *dual   // best dual point so far
	boundAt float64 // P where best.gap was computed
	atBest  *point  // best primal point so far

	scale         float64 // P(0)
	tau, firstTau float64
	start         start
	least         float64 // τ to go to on a part of the samples, where nothing is proved; else 0
	last          lastStep
	exact         exactEnd
	expected      float64 // value of the trial dual point, estimated
	pending       bool    // the trial dual point was not proposed
	trend         trend
	step, margin  []float64 // X dx of the step in hand, and scratch
	result        Result
}

// An exactEnd is what is known of the end with exact zeros and ties.
type exactEnd struct {
	goal     float64 // Settings.Tol; that of finish is less once it is reached
	more     bool    // it is reached, and zeros and ties are not proved
	polished *point  // nil until needed
	proof    *dual   // of it; nil until needed
}

// A start is what Finish began with.
type start struct {
	x     []float64 // as given
	value float64   // P there
	warm  bool      // it is not zero, and was not given up
}

// A lastStep is what is remembered of an iteration.
type lastStep struct {
	polished  bool      // a polish after it was tried
	rested    bool      // it came to rest, or judged the structure
	length    float64   // 0 for a damped Newton step
	tau       float64   // before it
	weights   []float64 // of the rows, before it
	decrement float64   // per row, before it
}

// A trend says whether iterations pay.
type trend struct {
	start   float64 // τ at the start
	since   int     // iterations since then
	stalled int     // iterations in a row that improved neither gap nor τ
	tau     float64 // lowest so far
	gap     float64 // after the last iteration
	value   float64 // P of the best point then
}

// begin puts the path at its start.
func (r *finish) begin(x []float64) {
	f := r.f
	clear(r.margin)
	r.scale = f.lossAt(r.margin)
	if !(r.scale > 0) {
		r.scale = 1
	}
	r.set.Tol = math.Max(r.set.Tol-gap.Rounded(0, r.scale), leastTol*r.scale) // what end adds
	r.exact.goal = r.set.Tol
	r.firstTau = startTau * r.scale / float64(max(1, f.rows.Len()))
	if !r.result.Restarted {
		r.remember(x)
	}
	if r.result.Restarted || !r.sampled(x) {
		r.place(x)
	}
	r.trend = trend{tau: math.Inf(1), gap: math.Inf(1), start: r.path.complementarity()}
	if r.start.warm && r.trend.start < r.firstTau {
		r.trend.start *= 5
	}
	r.last.length = 0
	r.keep(r.path.pt)
	if r.best.gap == 0 { // α = 0, z = 0, where φ* is 0: losses are not negative
		r.boundAt = r.atBest.value
		r.best.gap = f.bounds.Trivial(r.atBest.known(), r.atBest.value)
	}
	r.result.Gap, r.expected, r.pending = r.gapAt(r.atBest), math.Inf(-1), false
}

// remember takes x for the start, with P there, which place takes over.
func (r *finish) remember(x []float64) {
	r.start.x, r.start.value = x, r.scale
	if r.f.Sampled() && slices.ContainsFunc(x, func(v float64) bool { return v != 0 }) {
		copy(r.path.pt.x, x)
		r.f.visit(r.path.pt)
		r.start.value = r.path.pt.value
	}
}

// place puts the path at x, or 0 if that is better, on the central path of the first τ.
func (r *finish) place(x []float64) {
	f, pt := r.f, r.path.pt
	r.start.warm = false
	for j, v := range x {
		pt.x[j] = v
		r.start.warm = r.start.warm || v != 0
	}
	if x == nil {
		clear(pt.x)
	}
	if f.visit(pt); !r.result.Restarted {
		r.start.value = pt.value
	}
	if r.start.warm && !(pt.value <= 2*r.scale) {
		r.start.warm = false
		clear(pt.x)
		f.visit(pt)
	}
	r.path.center(r.firstTau)
	r.path.soft = firstSoft
}

// keep makes the point the best one if it is; polished ones are given up for more than
// rounding only.
func (r *finish) keep(pt *point) {
	least := r.atBest.value
	if r.result.Polished {
		least -= float64(1e-15 * math.Abs(least))
	}
	if pt.value < least {
		r.atBest.copyFrom(pt)
		r.result.Unpolish()
	}
}

// run iterates until the gap is closed, nothing moves or the iterations are used up.
func (r *finish) run() {
	for r.result.Iterations < r.set.MaxIterations && r.trend.stalled < maxStalled {
		if r.interrupted() || !r.iterate() || r.exhausted() {
			return
		}
		if r.result.Gap <= r.set.Tol && r.settled() {
			return
		}
		if r.start.warm && !r.exact.more && r.trend.since == patience && r.tau > 0.1*r.trend.start {
			r.restart()
		}
	}
}

const (
	exactTol = 1.001e-6 // tolerance, as a part of P(0), from which on zeros and ties are to be exact
	exactGap = 1e-11    // gap, as a part of P(0), that proves them
	mostMore = 6        // iterations in which to find them, once the gap is closed
)

// exacts reports whether zeros and ties are to be exact.
func (r *finish) exacts() bool { return r.exact.goal <= exactTol*r.scale }

// proves reports whether a gap is all that is asked for of a point with zeros and ties:
// others than the solution's can be within the tolerance.
func (r *finish) proves(gap float64) bool {
	return gap <= r.exact.goal && (!r.exacts() || gap <= exactGap*r.scale)
}

// settled ends the run where the gap is closed, with zeros and ties made exact, and
// reports whether it is over: it is not where a few iterations more may find them.
func (r *finish) settled() bool {
	r.settle()
	if r.exact.more || !r.exacts() || r.result.Polished && r.proves(r.result.Gap) {
		return true
	}
	r.exact.more = true
	r.set.Tol = math.Max(leastTol*r.scale, math.Min(exactGap*r.scale, 1e-2*r.set.Tol))
	r.set.MaxIterations = min(r.set.MaxIterations, r.result.Iterations+mostMore)
	return false
}

// settle makes the structure exact, in brief with the last Hessian if that does.
func (r *finish) settle() {
	if r.set.Brief && (r.polishEarly() || r.last.rested) {
		return
	}
	r.path.hessian()
	r.polish(true)
}

// interrupted asks whether to go on.
func (r *finish) interrupted() bool {
	if r.set.Interrupt == nil {
		return false
	}
	err := r.set.Interrupt()
	if !r.exact.more {
		r.result.Err = err
	}
	return err != nil
}

// exhausted reports whether the complementarity is so small that rounding decides.
func (r *finish) exhausted() bool {
	l := len(r.path.z)
	return l > 0 && r.tau*float64(l) < leastTau*r.scale
}

// restart gives a start up for x = 0.
func (r *finish) restart() {
	r.result.Restarted, r.start.warm = true, false
	r.begin(nil)
}

// end returns the result.
func (r *finish) end() *Result {
	if r.pending && !(r.result.Gap <= r.exact.goal) {
		r.propose()
	}
	if worse(r.atBest.value, r.start.value) {
		r.result.toStart(r.f, r.atBest, r.start.x)
	}
	r.result.X = append([]float64(nil), r.atBest.x...)
	r.result.Objective = r.atBest.value
	if r.result.Gap = r.best.gap; r.boundAt != r.atBest.value {
		r.result.Gap = r.f.evaluate(r.best, r.atBest)
	}
	r.result.Gap = gap.Rounded(r.result.Gap, r.atBest.value)
	r.result.Alpha, r.result.Z = r.f.feasible(r.best)
	return &r.result
}

// worse reports whether an objective is above another by more than rounding.
func worse(value, other float64) bool { return value > other+float64(1e-13*math.Abs(other)) }

// toStart makes the best point what it began with: a structure that is proved to be good
// enough may have a larger objective.
func (r *Result) toStart(f *Finisher, atBest *point, x []float64) {
	clear(atBest.x)
	copy(atBest.x, x)
	f.visit(atBest)
	r.Polished, r.Structure = false, structure.Partition{}
}
