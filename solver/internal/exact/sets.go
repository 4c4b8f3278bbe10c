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
// features that violate optimality most to the next set. A set that probably lacks features is solved roughly.
// The dual point of the smaller problem, together with multipliers for the rows of A outside this problem,
// proves a gap of the whole problem. A setSolver is not safe for concurrent use.
type setSolver struct {
	problem    *wholeProblem
	maxColumns int  // largest number of columns of a working set
	implicit   bool // a set may have all columns, and its Hessian need not be formed
	// The dual point for the next proof: from startTrial or a working set's solution.
	trial   *dualPoint
	outside *outsideSolver // finds multipliers of the rows of A whose features all have the coefficient 0

	refused bool // forming the Hessian of a working set would take too long
}

// newSetSolver returns a setSolver for p. p.hasL1Only() must be true, and p.A must not be the identity. If
// working sets cannot solve p, the error wraps ErrNotApplicable.
func newSetSolver(p *Problem) (*setSolver, error) {
	if err := p.checkLossAndA(); err != nil {
		return nil, err
	}
	q := *p // finish may set formsHessians
	w := &setSolver{problem: newWholeProblem(&q)}
	unheld := q.unheldCount()
	if unheld > mostUnheld {
		return nil, fmt.Errorf("%w: %d features have no row of A of their own that holds them at zero",
			ErrNotApplicable, unheld)
	}
	systems := q.linearSystems()
	w.maxColumns, w.implicit = mostInSet(&q, systems)+unheld, q.MaxWorking == 0 && systems.chol != nil
	w.trial = w.problem.newDualPoint()
	w.outside = newOutsideSolver(w.problem)
	return w, nil
}

// certify returns an upper bound of P(x) − P*: the smaller of the gaps that two dual points prove. Both have
// α = φ' at x. The first has the multipliers that startTrial and outside.reduceExcesses compute from z. The
// second has the multipliers z, and is left out if z is nil. The second may prove the smaller gap if x has
// small numbers (A x)_k where the optimum has zeros.
func (w *setSolver) certify(x, z []float64) float64 {
	w.problem.visit(x)
	w.startTrial(z)
	w.outside.reduceExcesses(w.trial)
	bestGap := w.problem.proveBy(w.trial, 0)
	if z != nil {
		copy(w.trial.z, w.problem.penalty.Restrict(z))
		bestGap = math.Min(bestGap, w.problem.proveBy(w.trial, 0))
	}
	return gap.RoundedGap(bestGap, w.problem.value)
}

// startTrial sets the dual point w.trial. Its alpha has the slopes at the current point x. If (A x)_k ≠ 0,
// the multiplier of row k of A is the limit of the row, with the sign of (A x)_k. The other multipliers come
// from z, or are 0 if z is nil.
func (w *setSolver) startTrial(z []float64) {
	copy(w.trial.alpha, w.problem.current.slope)
	clear(w.trial.z)
	if z != nil {
		copy(w.trial.z, w.problem.penalty.Restrict(z))
	}
	for row, v := range w.problem.image {
		if v != 0 {
			w.trial.z[row] = math.Copysign(w.problem.penalty.Limit[row], v)
		}
	}
}

// mostFeatures is the largest order of a coupled model's Hessian that is formed, unless Problem.MaxWorking is
// set. Features of a working set with neither a ridge nor a singleton row come in addition.
const mostFeatures = 4096

// newSetSolver refuses problems with more than mostUnheld features that have neither a ridge nor a singleton
// row. The cost of a proof grows with the square of their number.
const mostUnheld = 64

// mostInSet returns the largest number of columns of a working set. systems is the result of p.linearSystems. If
// no matrix is formed for the whole problem, a working set may have all columns.
func mostInSet(p *Problem, systems linearSystems) int {
	_, features := p.dims()
	if p.MaxWorking == 0 && systems.chol != nil {
		return features
	}
	return cmp.Or(p.MaxWorking, mostFeatures)
}

const (
	maxRounds  = 30  // largest number of working sets
	roughShare = 0.1 // tolerance for working sets that probably lack features, relative to the gap
	// A coefficient may become zero if the multiplier of its singleton row is below this fraction of the
	// limit.
	keptLimit = 0.5
	// The next working set is solved to the final tolerance if few features outside the present set violate
	// optimality: fewer than this fraction of the set's size.
	finalShare = 0.1
)

// finish tries to prove a gap of at most set.Tol. It starts at x, with the multipliers that startTrial sets
// from x and z. If y is not nil, y must be close to A x. Then each coefficient with a singleton row starts at
// the value that y gives, because y has exact zeros.
func (w *setSolver) finish(x, y, z []float64, set *Settings) *Solution {
	r := &rounds{
		setSolver: w, set: *set, result: &Solution{Result: Result{Gap: math.Inf(1), Objective: math.Inf(1)}},
	}
	w.outside.stop = set.Stop
	w.problem.visit(withSingletons(w.problem.penalty, x, y))
	w.startTrial(z)
	w.trim()
	r.proved = r.judge(&Solution{})
	r.tol = r.roughTol()
	for k := 0; !(r.result.Gap <= set.Tol && !r.isRough(r.lastTol)) && r.result.Err == nil; k++ {
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

// trim sets coefficients to zero that are probably zero at the optimum. For each feature with a singleton
// row, it computes the multiplier of this row from the optimality equation (see outsideSolver). The
// coefficient becomes zero if the absolute value of the multiplier is below keptLimit times the row's limit.
func (w *setSolver) trim() {
	w.outside.computeSums(w.trial)
	x := slices.Clone(w.problem.x)
	for j, row := range w.problem.penalty.Singleton {
		if row >= 0 && math.Abs(w.outside.sums[j]) < keptLimit*w.outside.capacity[j] {
			x[j] = 0
		}
	}
	w.problem.visit(x)
	copy(w.trial.alpha, w.problem.current.slope)
}

// withSingletons returns a copy of x with xⱼ = y_k/A_kj for each feature j that has a singleton row k. If y
// is nil, the copy equals x.
func withSingletons(r *gap.Penalty, x, y []float64) []float64 {
	result := slices.Clone(x)
	if y == nil {
		return result
	}
	for j, row := range r.Singleton {
		if row >= 0 {
			result[j] = y[r.KeptRows[row]] / r.SingletonEntry[j]
		}
	}
	return result
}

// rounds is the state of a run of setSolver.finish. A round solves the problem of one working set.
type rounds struct {
	*setSolver
	set          Settings
	result       *Solution  // the result so far
	tol          float64    // tolerance of the gap for the next working set
	lastTol      float64    // tolerance of the gap for the last working set; 0 before
	proved       float64    // the gap that is proved at the current point
	cols         []int32    // the last working set
	bestDual     *dualPoint // the dual point that proves the smallest gap; nil before the first proof
	keepsColumns bool       // the last working set has not halved the gap; the next one keeps its columns
	full         bool       // the last working set had no room for all non-zero coefficients
	lastWhy      ending.Why // why the run on the last working set ended
}

// judge returns the smaller of the gaps that the dual points trial and bestDual prove at the current point.
// The dual point with the smaller gap becomes bestDual. If the gap or the objective is smaller than in the
// result, the current point becomes the result. solution is the solution for the working set.
func (r *rounds) judge(solution *Solution) float64 {
	r.outside.reduceExcesses(r.trial)
	proved, keepsBest := r.problem.proveBy(r.trial, r.set.Tol), r.bestDual != nil
	if keepsBest {
		provedByBest := r.problem.proveBy(r.bestDual, r.set.Tol)
		keepsBest = provedByBest <= proved
		proved = math.Min(proved, provedByBest)
	} else {
		r.bestDual = r.problem.newDualPoint()
	}
	if !keepsBest {
		r.bestDual, r.trial = r.trial, r.bestDual
		copy(r.trial.z, r.bestDual.z)
	}
	res, value := r.result, r.problem.value
	if value < res.Objective || proved < res.Gap {
		res.X, res.Objective, res.Gap = slices.Clone(r.problem.x), value, proved
		res.Polished, res.Structure = solution.Polished, solution.Structure
	}
	return proved
}

// round solves the problem of the next working set, and reports whether another round can help.
func (r *rounds) round() bool {
	cols, full := r.chooseColumns(r.cols == nil)
	if merged := union(cols, r.cols); r.keepsColumns && len(merged) <= r.maxColumns {
		cols = merged
	}
	if slices.Equal(cols, r.cols) && r.tol >= r.lastTol {
		if !r.isRough(r.lastTol) {
			r.result.Full = len(cols) == r.maxColumns && r.outside.excessCount > 0
			return false
		}
		r.tol = r.set.Tol / 2
	}
	r.lastTol = r.tol
	s := r.problem.restrict(cols)
	s.setProblem()
	settings := &Settings{
		Tol: r.tol, StartGap: r.proved, Interrupt: r.set.Interrupt, Stop: r.set.Stop, Watch: r.watch,
		MaxIterations: 60,
	}
	solution := s.finish(settings, r.isRough(r.tol))
	if solution == nil {
		r.refused, r.result.Full = true, true
		return false
	}
	r.cols = cols
	r.problem.formsHessians = r.problem.formsHessians || s.gaveUp // for the next working sets, too
	r.result.Err, r.lastWhy = solution.Err, solution.Why
	r.result.Iterations += solution.Iterations
	s.expand(solution, r.trial)
	oldObjective, oldGap := r.result.Objective, r.result.Gap
	r.proved = r.judge(solution)
	r.keepsColumns = r.result.Gap > oldGap/2
	r.full = full && r.full || full && !(r.result.Objective < oldObjective)
	if r.full {
		r.result.Full = r.result.Gap > r.set.Tol
		return false
	}
	r.full = full
	r.tol = math.Min(r.tol, r.roughTol())
	if float64(r.outside.excessCount) < finalShare*float64(len(cols)) {
		r.tol = r.set.Tol / 2
	}
	return true
}

// isRough reports whether the solution for a working set with this tolerance is only a start for the next set. Its zeros
// and ties need not be exact.
func (r *rounds) isRough(tol float64) bool { return tol > r.set.Tol/2 }

// roughTol returns the tolerance for the next working set if the set probably lacks features.
func (r *rounds) roughTol() float64 {
	return math.Max(r.set.Tol/2, roughShare*math.Min(r.proved, r.problem.zeroLoss))
}

// watch calls Settings.Watch for a point that the solver of a working set has reached. The gap is that of the best
// point before this working set.
func (r *rounds) watch(reached *Result) error {
	if r.set.Watch == nil {
		return nil
	}
	result := r.result.Result
	result.Objective, result.Loss = reached.Objective, reached.Loss
	result.Iterations += reached.Iterations
	return r.set.Watch(&result)
}

// A working set that would have more than this part of all features gets all of them, if no Hessian need be
// formed. Such a set takes longer, but no larger sets follow.
const wholePart = 0.5

// chooseColumns returns the columns of the next working set, in increasing order: the columns of non-zero
// coefficients, of features with neither a ridge nor a singleton row, and of the features with the largest
// outside.nearExcess; or all columns, see wholePart. full is true if a set after the first has no room for all
// non-zero coefficients.
func (w *setSolver) chooseColumns(first bool) (cols []int32, full bool) {
	var unheld, candidates []int32
	for j, x := range w.problem.x {
		if w.problem.isUnheld(j) {
			unheld = append(unheld, int32(j))
		} else if x != 0 {
			cols = append(cols, int32(j))
		} else if w.outside.nearExcess[j] > 0 {
			candidates = append(candidates, int32(j))
		}
	}
	size := func(j int32) float64 {
		return math.Abs(w.problem.x[j]) * w.problem.bounds.Columns.LargestEntry[j]
	}
	slices.SortStableFunc(cols, func(a, b int32) int { return cmp.Compare(size(b), size(a)) })
	slices.SortStableFunc(candidates,
		func(a, b int32) int { return cmp.Compare(w.outside.nearExcess[b], w.outside.nearExcess[a]) })
	maxColumns := w.maxColumns - len(unheld)
	room := maxColumns
	if maxColumns < w.problem.p {
		room -= maxColumns / 16 // a sixteenth is reserved for features that violate optimality
	}
	full = !first && len(cols) > room
	cols = cols[:min(len(cols), room)]
	cols = append(cols, candidates[:min(len(candidates), len(cols)+200, maxColumns-len(cols))]...)
	cols = append(cols, unheld...)
	if p := w.problem.p; w.implicit && !w.problem.formsHessians && float64(len(cols)) > wholePart*float64(p) {
		cols = allColumns(p)
	}
	slices.Sort(cols)
	return cols, full
}

// union returns the union of two increasing slices, in increasing order.
func union(a, b []int32) []int32 {
	merged := slices.Concat(a, b)
	slices.Sort(merged)
	return slices.Compact(merged)
}

func (r *rounds) solution() *Solution {
	res := r.result
	res.Gap = gap.RoundedGap(res.Gap, res.Objective)
	separated := func() bool { return r.problem.fallsForever(res.X) }
	res.Why = ending.WhyEnded(res.Err, res.Gap, r.set.Tol, res.Full, separated,
		r.lastWhy == ending.Iterations)
	res.Z = r.problem.multipliers(r.bestDual)
	return res
}

// partition extends structure, the partition of a working set's columns, to all p features. The coefficients
// of the features outside the set are zero.
func partition(structure quadratic.Partition, cols []int32, p int) quadratic.Partition {
	out := quadratic.Partition{
		Group: make([]int32, p), Factor: make([]float64, p), GroupCount: structure.GroupCount,
	}
	for j := range out.Group {
		out.Group[j], out.Factor[j] = -1, 1
	}
	for k, j := range cols {
		out.Group[j], out.Factor[j] = structure.Group[k], structure.Factor[k]
	}
	return out
}
