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

// A Wide solves problems with more features than have room in a dense matrix, where
// few coefficients are not zero: it finishes on working sets of columns. The dual point
// of the last set, with multipliers of the rows that it leaves out, is one of the whole
// problem: that proves the result. It is not for concurrent use.
type Wide struct {
	whole *whole // without matrices that are dense in the features
	most  int    // columns of a working set
	at    *place // where the last certificate was
	trial *dual
	best  *dual
	rest  *outside
	place []int32 // of a feature in the working set, from 1; 0 if it is not there

	refused bool // forming the Hessian of a working set takes too long
}

// NewWide prepares a problem; an error that wraps ErrNotApplicable says why it is none
// for working sets.
func NewWide(p *Problem) (*Wide, error) {
	_, features := p.Data.Dims()
	switch {
	case !p.A.Identity() && p.A.Matrix() == nil:
		return nil, fmt.Errorf("%w: A is no matrix", ErrNotApplicable)
	case p.Loss == nil:
		return nil, fmt.Errorf("%w: the conjugate of the loss is not known", ErrNotApplicable)
	}
	w := &Wide{whole: newWhole(p), most: mostWide(p), place: make([]int32, features)}
	free := 0
	for j := range features {
		if w.whole.isFree(j) {
			free++
		}
	}
	if free > mostFree {
		return nil, fmt.Errorf("%w: %d features have no row of A of their own that holds them at zero", ErrNotApplicable, free)
	}
	w.at, w.trial, w.best = w.whole.newPlace(), w.whole.newDual(), w.whole.newDual()
	w.rest = newOutside(w.whole)
	return w, nil
}

// Refused reports whether a call of Finish ended because forming a Hessian takes too long.
func (w *Wide) Refused() bool { return w.refused }

// Certify bounds P(x) − P*, P(x) as computed, by the dual point φ'(Xx) and multipliers like
// z, of length l, that close its equality as far as they can; nil for those of the signs of
// A x.
func (w *Wide) Certify(x, z []float64) float64 {
	w.visit(x)
	w.slopes(z)
	w.rest.settle(w.trial, w.at)
	return gap.Rounded(w.admit(0), w.at.value)
}

// visit makes x the point.
func (w *Wide) visit(x []float64) {
	copy(w.at.x, x)
	w.whole.visit(w.at)
}

// slopes sets the trial dual point to φ'(t) and multipliers z, of the signs of A x
// where that is not zero.
func (w *Wide) slopes(z []float64) {
	copy(w.trial.alpha, w.at.slope)
	clear(w.trial.z)
	if z != nil {
		copy(w.trial.z, w.whole.rows.Restrict(z))
	}
	for row, v := range w.at.image {
		if v != 0 {
			w.trial.z[row] = math.Copysign(w.whole.rows.Limit[row], v)
		}
	}
}

// admit makes the trial dual point feasible, and returns the gap of the point.
func (w *Wide) admit(goal float64) float64 { return w.whole.admit(w.trial, w.at, goal) }

// MostFeatures is the number of columns of a working set if Problem.MaxWorking does not
// say. Its matrices take 500 MB, a step about a second on one thread.
const MostFeatures = 4096

// mostFree is the most features without a row of their own, such as an intercept: each
// pair of them takes a pass over their columns.
const mostFree = 64

// mostWide is the number of columns of a working set.
func mostWide(p *Problem) int { return cmp.Or(p.MaxWorking, MostFeatures) }

const (
	maxRounds  = 30
	firstShare = 1e-3 // of the loss at 0: the gap to which the first set is finished
	laterShare = 1e-2 // of the gap: that to which later ones are, with features missing
	keptLimit  = 0.5  // of its own row: a coefficient whose multiplier is nearer to zero is zero
	finalShare = 0.1  // of the set: the features that violate optimality when the next one is solved to the end
)

// Finish solves the problem from x to a gap proved to be at most set.Tol. Of y, of
// length l, and multipliers z it takes what is zero and what it begins with.
func (w *Wide) Finish(x, y, z []float64, set *Settings) *Solution {
	r := &rounds{Wide: w, set: *set, result: &Solution{Gap: math.Inf(1), Objective: math.Inf(1)}}
	r.scale = w.whole.lossAtZero()
	r.tol = math.Max(set.Tol/2, firstShare*r.scale)
	w.visit(cleared(w.whole.rows, x, y))
	w.slopes(z)
	w.trim()
	r.judge(&Solution{})
	for k := 0; !(r.result.Gap <= set.Tol) && r.result.Err == nil; k++ {
		if k == maxRounds {
			r.inner = ending.Iterations
			break
		}
		if !r.round() {
			break
		}
	}
	return r.end()
}

// trim makes coefficients zero whose own row need not be near its limit for the equality
// to hold: of an early iterate they are many.
func (w *Wide) trim() {
	w.rest.residual(w.trial, w.at)
	x := slices.Clone(w.at.x)
	for j, row := range w.whole.rows.Own {
		if row >= 0 && math.Abs(w.rest.sum[j]) < keptLimit*w.rest.room[j] {
			x[j] = 0
		}
	}
	w.visit(x)
	copy(w.trial.alpha, w.at.slope)
}

// cleared returns x with zeros where rows of a feature's own have y = 0.
func cleared(r *gap.Rows, x, y []float64) []float64 {
	at := slices.Clone(x)
	if y == nil {
		return at
	}
	for j, row := range r.Own {
		if row >= 0 {
			at[j] = y[r.From[row]] / r.Entry[j]
		}
	}
	return at
}

// rounds is the state of one call of Finish.
type rounds struct {
	*Wide
	set    Settings
	result *Solution
	scale  float64    // P(0)
	tol    float64    // gap to which the working set is solved
	last   float64    // the one before
	cols   []int32    // of the last working set
	known  bool       // there is a best dual point
	full   bool       // the last working set had no room for all that is not zero
	inner  ending.Why // of the last working set
}

// judge makes the trial dual point feasible, takes it and the point for the best if they
// are, and returns the gap.
func (r *rounds) judge(part *Solution) float64 {
	r.rest.settle(r.trial, r.at)
	gap := r.admit(r.set.Tol)
	if r.known {
		known := r.whole.evaluate(r.best, r.at)
		r.known = known <= gap
		gap = math.Min(gap, known)
	}
	if !r.known {
		r.best, r.trial, r.known = r.trial, r.best, true
		copy(r.trial.z, r.best.z)
	}
	res, value := r.result, r.at.value
	if value < res.Objective || gap < res.Gap {
		res.X, res.Objective, res.Gap = slices.Clone(r.at.x), value, gap
		res.Polished, res.Structure = part.Polished, part.Structure
	}
	return gap
}

// round finishes on the next working set, and reports whether there is a point in going
// on.
func (r *rounds) round() bool {
	cols, full := r.choose(r.cols == nil)
	if slices.Equal(cols, r.cols) && r.tol >= r.last { // the same again
		r.result.Full = len(cols) == r.most && r.rest.over > 0
		return false
	}
	r.last = r.tol
	s := r.restrict(cols)
	settings := &Settings{Tol: r.tol, Interrupt: r.set.Interrupt, Stop: r.set.Stop, MaxIterations: 60}
	part, ok := s.finish(settings)
	if !ok {
		r.refused, r.result.Full = true, r.cols != nil
		return false
	}
	r.cols = cols
	r.result.Err, r.inner = part.Err, part.Why
	r.result.Iterations += part.Iterations
	s.expand(part)
	before := r.result.Objective
	gap := r.judge(part)
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

// end returns the result.
func (r *rounds) end() *Solution {
	res := r.result
	res.Gap = gap.Rounded(res.Gap, res.Objective)
	res.Why = r.whole.ending(res, r.set.Tol, res.Full || r.refused, r.inner == ending.Iterations)
	_, res.Z = r.whole.feasible(r.best)
	return res
}

// partition makes that of a working set's features one of all.
func partition(part quadratic.Partition, cols []int32, p int) quadratic.Partition {
	out := quadratic.Partition{Of: make([]int32, p), Factor: make([]float64, p), Count: part.Count}
	for j := range out.Of {
		out.Of[j], out.Factor[j] = -1, 1
	}
	for k, j := range cols {
		out.Of[j], out.Factor[j] = part.Of[k], part.Factor[k]
	}
	return out
}
