package exact

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/quadratic"
	"github.com/scas-admm/scas/solver/internal/rows"
)

// A workingSet has some columns of the data, and what a quadratic model of the objective needs of them. The
// model is a function of the coefficients of these columns.
type workingSet struct {
	maxColumns int // the largest allowed number of columns
	threads    int
	cols       []int32 // the columns, in increasing order
	position   []int32 // for each feature: its position in cols plus 1, or 0 if it is not in cols
	// noRoom is true if the set has no room for the required columns, see chooseSet. Without groups, this means
	// that columns required for their coefficient or limit nearly fill the set, and others are required too.
	noRoom       bool
	lacksColumns bool // chooseSet has left out columns whose correlation exceeds their limit
	needsAll     bool // all columns are required

	// formed is true if the Hessian is computed as a matrix, and always in a coupled model, whose Hessian may be
	// implicit. The entries of X in the columns cols are then stored in rows, unless there is a Gram matrix, or the
	// samples are in a file.
	formed bool
	rows   kernels.Rows
	copied kernels.Rows // the rows of the last set that lacked columns of X; their memory is used again
	cost   formingCost  // of cols

	// x is the point at which the model was made, and gradient the gradient of the loss and the ridges there.
	// Both have one number for each column in cols.
	x, gradient []float64

	dense quadratic.Dense // the Hessian of a separable or grouped model, used if formed is true
	// The Hessian without a matrix: of a separable model if formed is false, and of a coupled model as long as
	// hasImplicitHessian is true.
	implicit quadratic.Columns
	// The Hessian has the columns cols, but perhaps belongs to an earlier point.
	reusable   bool
	former     formerHessian // a Hessian for other columns, from which growHessian can make one for cols
	scratch    []*kernels.HessianScratch
	candidates []candidate // scratch memory of chooseSet
	cuts       []int       // see cutHessian
}

const (
	// chooseSet adds at most as many columns as are required, or leastRoom columns if this is more.
	leastRoom = 16
	// When chooseSet changes the set, it also adds columns whose correlation exceeds this part of the
	// correlation at which they must enter. So the set changes less often.
	earlyShare = 0.9
)

// chooseSet makes the working set. A column is required in the set if its coefficient is not zero, if its
// limit is 0, or if its correlation exceeds share times its limit. If s.set.needsAll is true, all columns are
// required. With a Gram matrix, the columns of the present set are required too.
//
// The set keeps its columns if it has all required columns and is not much too large. A set of any size is
// kept if the curvature of the loss is constant. For a set that is kept, chooseSet only decides again whether
// to form the Hessian (see formsHessian).
//
// Otherwise new columns enter, first those with the largest ratio of correlation to limit. There is one
// exception: more than maxColumns columns are required, and more than 15/16 of maxColumns of them because of
// their coefficient or limit. Then the set stays, and noRoom becomes true.
//
// With Solver.groups, a coefficient, a limit or a correlation in these rules is that of the column's group, and
// only whole groups enter. If none enters that violates its limit, the set stays, and noRoom becomes true.
//
// chooseSet reports whether the set lacked required columns.
func (s *Solver) chooseSet(share float64) bool {
	w := &s.set
	w.lacksColumns = false
	if w.needsAll {
		if w.x == nil || len(w.cols) < s.p { // a set without columns must be built, too
			s.buildSet(allColumns(s.p))
		}
		return false
	}
	limits := s.limit // of the columns: a separable problem has no matrix A
	if s.groups != nil {
		s.groups.update(s)
		limits = s.groups.limit
	}
	var cols, staying []int32
	candidates := w.candidates[:0]
	neededCount, violatingCount, missing := 0, 0, len(w.cols) == 0
	for j, limit := range limits {
		correlation := s.correlation(j)
		inside := w.position[j] > 0
		required := s.isNonzero(j) || limit == 0 || s.gram != nil && inside
		if !required && correlation <= earlyShare*share*limit {
			continue
		}
		if required || correlation > share*limit {
			neededCount++
			missing = missing || !inside
		}
		switch {
		case required:
			cols = append(cols, int32(j))
		case inside:
			staying = append(staying, int32(j))
		default:
			candidates = append(candidates, candidate{int32(j), correlation / limit})
			if correlation > limit {
				violatingCount++
			}
		}
	}
	if !missing && (s.hasConstantCurvature() || len(w.cols) <= 2*neededCount+50) {
		if !w.formed && s.formsHessian() {
			s.buildSet(w.cols)
		}
		return false
	}
	w.noRoom = len(cols) > w.maxColumns-w.maxColumns/16 && neededCount > w.maxColumns
	if w.noRoom {
		return missing
	}
	requiredCount := len(cols)
	room := min(max(leastRoom, requiredCount), w.maxColumns-requiredCount)
	w.candidates = candidates
	cols = appendLargest(cols, candidates, room)
	if s.groups != nil {
		cols = s.groups.complete(cols, w.maxColumns)
	}
	newCount := len(cols) - requiredCount
	w.lacksColumns = violatingCount > newCount
	if s.groups != nil && violatingCount > 0 && newCount == 0 { // no group fits
		w.noRoom = true
		return missing
	}
	if s.groups == nil || len(cols)+len(staying) <= w.maxColumns {
		cols = append(cols, staying[:min(len(staying), w.maxColumns-len(cols))]...)
	}
	slices.Sort(cols)
	if w.x == nil || !slices.Equal(w.cols, cols) || !w.formed && s.formsHessian() {
		s.buildSet(cols)
	}
	return missing
}

// A candidate is a column that may enter the working set.
type candidate struct {
	col   int32
	ratio float64 // Solver.correlation(col) divided by the limit of the column
}

// appendLargest appends to cols the columns of the candidates with the largest ratios, at most room of them.
// Of equal ratios it takes the first ones.
func appendLargest(cols []int32, candidates []candidate, room int) []int32 {
	if room == 0 {
		return cols
	}
	// The smallest ratio to take, and the number of candidates to take that have it.
	least, tieCount := math.Inf(-1), 0
	if len(candidates) > room {
		largest := make([]float64, 0, 2*room)
		for _, c := range candidates {
			if c.ratio <= least {
				continue
			}
			largest = append(largest, c.ratio)
			if len(largest) == 2*room {
				largest = keepLargest(largest, room)
				least = largest[0]
			}
		}
		largest = keepLargest(largest, room)
		for least = largest[0]; tieCount < room && largest[tieCount] == least; {
			tieCount++
		}
	}
	for _, c := range candidates {
		if c.ratio == least {
			tieCount--
			if tieCount < 0 {
				continue
			}
		}
		if c.ratio >= least {
			cols = append(cols, c.col)
		}
	}
	return cols
}

// keepLargest sorts values, and moves the largest count of them to the front, in increasing order.
func keepLargest(values []float64, count int) []float64 {
	slices.Sort(values)
	return append(values[:0], values[len(values)-count:]...)
}

// removeAll removes all columns, so that chooseSet makes a new set.
func (w *workingSet) removeAll() {
	w.cols, w.x, w.reusable = nil, nil, false
	w.former.cols = nil
	clear(w.position)
}

// allColumns returns 0, 1, …, columns−1.
func allColumns(columns int) []int32 {
	cols := make([]int32, columns)
	for j := range cols {
		cols[j] = int32(j)
	}
	return cols
}

// isNonzero reports whether coefficient j, or another coefficient of its group, is not zero.
func (s *Solver) isNonzero(j int) bool {
	if s.groups != nil {
		return s.groups.nonzero[j]
	}
	return s.x[j] != 0
}

// correlation returns |eⱼ| of Solver.e, or eⱼ or −eⱼ if a bound excludes one sign of the coefficient; with
// groups, columnGroups.correlation. A zero coefficient or group is optimal if the result is at most its limit.
func (s *Solver) correlation(j int) float64 {
	e := s.e[j]
	switch {
	case s.groups != nil:
		return s.groups.correlation[j]
	case s.box == nil:
		return math.Abs(e)
	case s.box.Lower[j] == s.box.Upper[j]: // the coefficient cannot move
		return 0
	case s.box.Lower[j] >= 0:
		return -e
	case s.box.Upper[j] <= 0:
		return e
	}
	return math.Abs(e)
}

// buildSet makes cols the working set, collects the data of its columns, and decides whether the Hessian of
// the model is formed. It stores a Hessian of other columns in former. With too many columns for the Gram
// matrix, it gives up the Gram matrix and uses the rows.
func (s *Solver) buildSet(cols []int32) {
	w := &s.set
	for _, j := range w.cols {
		w.position[j] = 0
	}
	if s.gram != nil && len(cols) > defaultWorking { // the Gram matrix would have too many columns
		s.rows, s.gram, w.reusable = s.gram.memorySamples, nil, false
		s.current.loss = s.rows.moveTo(s.x, s.e, s.work.damping)
		s.rows.useSlopes(s.x, s.e, false) // the last α was computed from the Gram matrix
	}
	oldCols := w.cols
	if w.reusable && w.formed && s.gram == nil {
		w.former, w.dense.H = formerHessian{oldCols, w.dense.H}, w.former.h
	}
	w.cols, w.reusable = cols, false
	for k, j := range cols {
		w.position[j] = int32(k) + 1
	}
	w.x, w.gradient = make([]float64, len(cols)), make([]float64, len(cols))
	w.cost = s.costOfForming(cols)
	w.formed = s.formsHessian()
	switch {
	case s.gram != nil:
		w.dense.H, w.reusable = s.gram.grow(w.dense.H, oldCols, cols), true
	case w.formed:
		w.rows = s.Rows
		if len(cols) < s.p {
			transposeRows(&w.copied, s.transpose(), cols, s.rowCounts(cols))
			w.rows = w.copied
		}
		w.cutHessian()
	}
	s.model.columnsChanged()
}

// margins sets dst = X u, where X is the data of the columns in w.cols.
func (w *workingSet) margins(s *rows.Sums, dst, u []float64) {
	if w.formed {
		s.Margins(dst, w.rows, u)
		return
	}
	w.implicit.Margins(dst, u)
}

// transposed sets dst = X'C alpha, where X is the data of the columns in w.cols, and C = diag(s.MeanWeights).
func (w *workingSet) transposed(s *rows.Sums, dst, alpha []float64) {
	if w.formed {
		s.MulTrans(dst, w.rows, alpha)
		return
	}
	w.implicit.Transposed(dst, s.Scaled(alpha))
}

// If rows have at least sharedEntries entries on average, several goroutines compute a Hessian.
const sharedEntries = 32

// cutHessian divides the upper triangle of the Hessian among goroutines: goroutine k computes rows cuts[k] to
// cuts[k+1]−1.
func (w *workingSet) cutHessian() {
	if w.rows.Ptr == nil {
		return
	}
	threads := w.threads
	if n := w.rows.Len(); n == 0 || (w.rows.Ptr[n]-w.rows.Ptr[0])/int64(n) < sharedEntries {
		threads = 1
	}
	w.cuts = w.cuts[:0]
	for k := range threads {
		if k == len(w.scratch) {
			w.scratch = append(w.scratch, new(kernels.HessianScratch))
		}
		w.cuts = append(w.cuts, kernels.HessianCut(w.rows, len(w.cols), k, threads))
	}
	w.cuts = append(w.cuts, len(w.cols))
}

// formHessian sets the upper triangle of h to X'diag(c)X, where X is the data of the columns in cols.
func (w *workingSet) formHessian(h, c []float64) {
	m, parts := len(w.cols), len(w.cuts)-1
	rows.Spread(parts, parts, func(k int) {
		lo, hi := w.cuts[k], w.cuts[k+1]
		for i := lo; i < hi; i++ {
			clear(h[i*m+i : (i+1)*m])
		}
		kernels.Hessian(h, m, m, lo, hi, w.rows, c, w.scratch[k])
	})
}
