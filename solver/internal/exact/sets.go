package exact

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/scas-admm/scas/solver/internal/ending"
	"github.com/scas-admm/scas/solver/internal/gap"
	"github.com/scas-admm/scas/solver/internal/quadratic"
)

// A setSolver solves a coupled problem with many features, if the solution has few non-zero coefficients.
// It holds all coefficients outside a working set at zero, solves this smaller problem, and adds the
// features that violate optimality most to the next set. The dual point of the smaller problem, with
// multipliers for the other rows of A, proves a gap of the whole problem. A setSolver is not safe for
// concurrent use.
type setSolver struct {
	all      *unrestricted
	most     int      // largest number of columns of a working set
	trial    *dual    // the dual point for the next proof: from startTrial, or from the solution for a working set
	best     *dual    // the dual point that proves the smallest gap
	rest     *outside // finds multipliers of the rows of A whose features all have the coefficient 0
	position []int32  // position of each feature in the working set, counted from 1; 0 outside the set

	refused bool // forming the Hessian of a working set would take too long
}

// newSetSolver prepares p, for which Absolute must be true, and whose A must not be the identity. If working
// sets cannot solve p, the error wraps ErrNotApplicable.
func newSetSolver(p *Problem) (*setSolver, error) {
	_, features := p.Data.Dims()
	if err := p.unknown(); err != nil {
		return nil, err
	}
	w := &setSolver{all: newUnrestricted(p), position: make([]int32, features)}
	unheld := 0
	for j := range features {
		if w.all.isUnheld(j) {
			unheld++
		}
	}
	if unheld > mostUnheld {
		return nil, fmt.Errorf("%w: %d features have no row of A of their own that holds them at zero", ErrNotApplicable, unheld)
	}
	w.most = mostInSet(p) + unheld
	w.trial, w.best = w.all.newDual(), w.all.newDual()
	w.rest = newOutside(w.all)
	return w, nil
}

// certify returns an upper bound of P(x) − P*. Its dual points have the slopes φ' at x as α. The first has
// multipliers that begin at z, or at zeros if z is nil. The second has the multipliers z: it may prove a
// smaller gap if x has small numbers (A x)_k where the optimum has zeros.
func (w *setSolver) certify(x, z []float64) float64 {
	w.all.visit(x)
	w.startTrial(z)
	w.rest.settle(w.trial)
	best := w.all.proveBy(w.trial, 0)
	if z != nil {
		copy(w.trial.z, w.all.rows.Restrict(z))
		best = math.Min(best, w.all.proveBy(w.trial, 0))
	}
	return gap.Rounded(best, w.all.value)
}

// startTrial sets the trial dual point to α = φ'(t) at the current point, and to the multipliers z of the
// rows of A, or to zeros if z is nil. For a row with (A x)_k ≠ 0, the limit with the sign of (A x)_k replaces
// the given multiplier.
func (w *setSolver) startTrial(z []float64) {
	copy(w.trial.alpha, w.all.at.slope)
	clear(w.trial.z)
	if z != nil {
		copy(w.trial.z, w.all.rows.Restrict(z))
	}
	for row, v := range w.all.image {
		if v != 0 {
			w.trial.z[row] = math.Copysign(w.all.rows.Limit[row], v)
		}
	}
}

// MostFeatures is the largest number of columns of a setSolver's working set if Problem.MaxWorking is 0.
// Features with neither a ridge nor a singleton row come in addition.
const MostFeatures = 4096

// mostUnheld is the largest number of features with neither a ridge nor a singleton row. The cost of a proof
// grows with the square of this number.
const mostUnheld = 64

func mostInSet(p *Problem) int { return cmp.Or(p.MaxWorking, MostFeatures) }

const (
	maxRounds  = 30   // largest number of working sets
	firstShare = 1e-3 // tolerance for the first working set, relative to the loss at x = 0
	laterShare = 1e-2 // tolerance for later working sets that still lack features, relative to the gap
	// A coefficient may become zero if the multiplier of its singleton row is below this fraction of the
	// limit.
	keptLimit = 0.5
	// If the features outside a working set that violate optimality are fewer than this fraction of the set's
	// size, the next set is solved to the final tolerance.
	finalShare = 0.1
)

// finish tries to prove a gap of at most set.Tol. It starts at x, and at the multipliers z of the rows of A,
// or at zeros if z is nil. If y is not nil, it must be close to A x. Then the elements of y for singleton
// rows give the first coefficients of their features, because y has exact zeros.
func (w *setSolver) finish(x, y, z []float64, set *Settings) *Solution {
	r := &rounds{setSolver: w, set: *set, result: &Solution{Result: Result{Gap: math.Inf(1), Objective: math.Inf(1)}}}
	r.tol = math.Max(set.Tol/2, firstShare*w.all.lossAtZero())
	w.all.visit(withSingletons(w.all.rows, x, y))
	w.startTrial(z)
	w.trim()
	r.judge(&Solution{})
	for k := 0; !(r.result.Gap <= set.Tol) && r.result.Err == nil; k++ {
		if k == maxRounds {
			r.lastWhy = ending.Iterations
			break
		}
		if !r.round() {
			break
		}
	}
	return r.solution()
}

// trim sets a coefficient to zero if the multiplier that its singleton row needs is far below the limit.
func (w *setSolver) trim() {
	w.rest.residual(w.trial)
	x := slices.Clone(w.all.x)
	for j, row := range w.all.rows.Singleton {
		if row >= 0 && math.Abs(w.rest.sum[j]) < keptLimit*w.rest.capacity[j] {
			x[j] = 0
		}
	}
	w.all.visit(x)
	copy(w.trial.alpha, w.all.at.slope)
}

// withSingletons returns a copy of x with xⱼ = y_k/A_kj for each feature j that has a singleton row k. If y
// is nil, the copy equals x.
func withSingletons(r *gap.Penalty, x, y []float64) []float64 {
	at := slices.Clone(x)
	if y == nil {
		return at
	}
	for j, row := range r.Singleton {
		if row >= 0 {
			at[j] = y[r.From[row]] / r.SingletonEntry[j]
		}
	}
	return at
}

// rounds is the state of a run of setSolver.finish. A round solves the problem of one working set.
type rounds struct {
	*setSolver
	set     Settings
	result  *Solution  // the result so far
	tol     float64    // tolerance of the gap for the next working set
	lastTol float64    // tolerance of the gap for the last working set
	cols    []int32    // the last working set
	known   bool       // the dual point best has been computed
	keep    bool       // the next set should keep the columns of the last set, which has not halved the gap
	full    bool       // the last working set had no room for all non-zero coefficients
	lastWhy ending.Why // why the run on the last working set ended
}

// judge returns the smaller of the gaps that the dual points trial and best prove at the current point. The
// better dual point becomes best. If the gap or the objective is smaller than in the result, the current
// point becomes the result. part is the solution for the working set.
func (r *rounds) judge(part *Solution) float64 {
	r.rest.settle(r.trial)
	gap := r.all.proveBy(r.trial, r.set.Tol)
	if r.known {
		known := r.all.evaluate(r.best)
		r.known = known <= gap
		gap = math.Min(gap, known)
	}
	if !r.known {
		r.best, r.trial, r.known = r.trial, r.best, true
		copy(r.trial.z, r.best.z)
	}
	res, value := r.result, r.all.value
	if value < res.Objective || gap < res.Gap {
		res.X, res.Objective, res.Gap = slices.Clone(r.all.x), value, gap
		res.Polished, res.Structure = part.Polished, part.Structure
	}
	return gap
}

// round solves the problem of the next working set, and reports whether another round can help.
func (r *rounds) round() bool {
	cols, full := r.choose(r.cols == nil)
	if all := union(cols, r.cols); r.keep && len(all) <= r.most {
		cols = all
	}
	if slices.Equal(cols, r.cols) && r.tol >= r.lastTol {
		r.result.Full = len(cols) == r.most && r.rest.over > 0
		return false
	}
	r.lastTol = r.tol
	s := r.restrict(cols)
	settings := &Settings{Tol: r.tol, Interrupt: r.set.Interrupt, Stop: r.set.Stop, MaxIterations: 60}
	part, ok := s.finish(settings)
	if !ok {
		r.refused, r.result.Full = true, r.cols != nil
		return false
	}
	r.cols = cols
	r.result.Err, r.lastWhy = part.Err, part.Why
	r.result.Iterations += part.Iterations
	s.expand(part)
	before, gapBefore := r.result.Objective, r.result.Gap
	gap := r.judge(part)
	r.keep = r.result.Gap > gapBefore/2
	if r.full = full && r.full || full && !(r.result.Objective < before); r.full {
		r.result.Full = r.result.Gap > r.set.Tol
		return false
	}
	r.full = full
	if gap < 2*part.Gap || float64(r.rest.over) < finalShare*float64(len(cols)) {
		r.tol = 0
	}
	r.tol = math.Max(r.set.Tol/2, math.Min(r.tol, laterShare*gap))
	return true
}

// union returns the union of two increasing slices, in increasing order.
func union(a, b []int32) []int32 {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

func (r *rounds) solution() *Solution {
	res := r.result
	res.Gap = gap.Rounded(res.Gap, res.Objective)
	full, spent := res.Full || r.refused, r.lastWhy == ending.Iterations
	separated := func() bool { return r.all.fallsForever(res.X) }
	res.Why = ending.Of(res.Err, res.Gap, r.set.Tol, full, separated, spent)
	res.Z = r.all.multipliers(r.best)
	return res
}

// partition extends the partition of a working set's columns to all p features. The features
// outside the set are zero.
func partition(part quadratic.Partition, cols []int32, p int) quadratic.Partition {
	out := quadratic.Partition{Group: make([]int32, p), Factor: make([]float64, p), Count: part.Count}
	for j := range out.Group {
		out.Group[j], out.Factor[j] = -1, 1
	}
	for k, j := range cols {
		out.Group[j], out.Factor[j] = part.Group[k], part.Factor[k]
	}
	return out
}
