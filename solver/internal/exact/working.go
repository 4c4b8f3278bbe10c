package exact

import (
	"cmp"
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/quadratic"
	"github.com/scas-admm/scas/solver/internal/rows"
)

// working is a working set: some columns of the data, and the quadratic model in their
// coefficients.
type working struct {
	most, threads int
	cols          []int32 // in increasing order
	place         []int32 // position of each feature in cols, counted from 1; 0 for features outside
	full          bool    // choose had no room for all columns that belong to the set

	// The data of the columns: by rows if the Hessian is formed, else by columns.
	formed        bool
	rows, columns kernels.Rows

	// x is the point, gradient the gradient there, u the solution of the model, and move the step
	// from the point to a point close to the solution, where the model's multipliers satisfy its
	// optimality equation.
	x, gradient, u, move []float64

	model    quadratic.Separable // the model of a separable problem
	dense    quadratic.Dense
	implicit quadratic.Columns
	reusable bool // the Hessian has the columns cols; it may belong to an earlier point
	scratch  []*kernels.HessianScratch
	cut      []int
}

const (
	leastRoom = 16 // number of columns that may always enter, even if fewer coefficients are non-zero
	// If a column must enter because its correlation exceeds share times its limit, then columns whose
	// correlation exceeds early·share times their limit may enter too. So the set changes less often.
	early = 0.9
)

// choose makes the working set. The set needs the columns of non-zero coefficients, the columns without a
// limit, and the columns whose correlation exceeds share times their limit. The set stays as it is if it has
// all columns that it needs, and not many more (if φ″ is constant, any number more). Otherwise the set has
// the first two kinds of columns, and columns whose correlation exceeds early·share times their limit: those
// that are in the set already, and others in decreasing order of the ratio of correlation to limit. At most
// as many others enter as there are columns of the first two kinds, or leastRoom if that is more. If the
// model is coupled or summary.cheap is set, the set has all columns. choose returns true if the set has
// changed because columns were missing.
func (s *Solver) choose(share float64) bool {
	w := &s.set
	if w.place == nil {
		w.place = make([]int32, s.p)
	}
	if s.coupled != nil {
		if len(w.cols) == 0 {
			s.build(all(s.p))
		}
		return false
	}
	if s.gram != nil && s.gram.whole {
		s.summary.cheap = true
	}
	var cols, stay, enter []int32
	needed, missing := 0, len(w.cols) == 0
	for j, limit := range s.limit {
		correlation := s.correlation(j)
		inside := w.place[j] > 0
		must := s.x[j] != 0 || limit == 0 || s.summary.cheap || s.gram != nil && inside
		if !must && correlation <= early*share*limit {
			continue
		}
		if must || correlation > share*limit {
			needed++
			missing = missing || !inside
		}
		switch {
		case must:
			cols = append(cols, int32(j))
		case inside:
			stay = append(stay, int32(j))
		default:
			enter = append(enter, int32(j))
		}
	}
	if !missing && (s.constant() || len(w.cols) <= 2*needed+50) {
		return false
	}
	if w.full = len(cols) > w.most-w.most/16 && needed > w.most; w.full {
		return false
	}
	excess := func(j int32) float64 { return s.correlation(int(j)) / s.limit[j] }
	slices.SortStableFunc(enter, func(a, b int32) int { return cmp.Compare(excess(b), excess(a)) })
	enter = enter[:min(len(enter), max(leastRoom, len(cols)))]
	for _, more := range [][]int32{enter, stay} {
		cols = append(cols, more[:min(len(more), w.most-len(cols))]...)
	}
	slices.Sort(cols)
	s.build(cols)
	return missing
}

// all returns 0, 1, …, columns − 1.
func all(columns int) []int32 {
	cols := make([]int32, columns)
	for j := range cols {
		cols[j] = int32(j)
	}
	return cols
}

// correlation returns the absolute correlation |eⱼ| of column j with the slopes. A zero coefficient
// is optimal if this is at most the limit. If X does not allow negative values of the coefficient,
// correlation returns −eⱼ; if it does not allow positive values, eⱼ.
func (s *Solver) correlation(j int) float64 {
	e := s.e[j]
	switch {
	case s.box == nil:
		return math.Abs(e)
	case s.box.Lower[j] >= 0:
		return -e
	case s.box.Upper[j] <= 0:
		return e
	}
	return math.Abs(e)
}

// build makes cols the working set, and collects its data.
func (s *Solver) build(cols []int32) {
	w := &s.set
	if slices.Equal(w.cols, cols) && w.x != nil {
		return
	}
	for _, j := range w.cols {
		w.place[j] = 0
	}
	if s.gram != nil && len(cols) > defaultWorking { // too many for a Gram matrix: the rows take its place
		s.rows, s.gram = s.gram.memory, nil
		s.at.loss = s.rows.moveTo(s.x, s.e, s.work.damping)
	}
	before := w.cols
	w.cols, w.reusable = cols, false
	for k, j := range cols {
		w.place[j] = int32(k) + 1
	}
	m, q := len(cols), &w.model
	for _, v := range []*[]float64{&w.x, &w.gradient, &q.Limit, &q.Unit} {
		*v = make([]float64, m)
	}
	if q.X, q.Gradient = w.x, w.gradient; s.coupled != nil {
		w.formed, w.rows = true, s.Rows
		w.share()
		return
	}
	q.MaxMove, q.Lower, q.Upper = nil, nil, nil
	if reach := s.Loss.Traits().Reach; reach > 0 {
		q.MaxMove = make([]float64, m)
		for k, j := range cols {
			q.MaxMove[k] = reach / s.summary.Largest[j]
		}
	}
	if s.box != nil {
		q.Lower, q.Upper = make([]float64, m), make([]float64, m)
		for k, j := range cols {
			q.Lower[k], q.Upper[k] = s.box.Lower[j], s.box.Upper[j]
		}
	}
	if w.formed = s.formed(cols); w.formed {
		if s.gram != nil {
			w.dense.H, w.reusable = s.gram.grow(w.dense.H, before, cols), true
		} else {
			s.buildRows()
			w.share()
			w.dense.H = slices.Grow(w.dense.H[:0], m*m)[:m*m]
		}
		w.dense.Order, w.dense.Threads, w.dense.Ridge = m, w.threads, make([]float64, m)
		q.H = &w.dense
	} else {
		s.buildColumns()
		w.implicit.N, w.implicit.Ridge = s.Rows.Len(), make([]float64, m)
		q.H = &w.implicit
	}
}

// Costs, in units of a multiplication that forms a Hessian.
const (
	visitCost = 2.0 // for an entry in a coordinate sweep or a product, if the Hessian is not formed
	// How often sweeps and products are assumed to visit the columns at least, if the Hessian is not formed.
	leastVisits = 50.0
	panelFrom   = 64.0 // if rows have more entries on average, a pair of entries costs half a unit
	factorCost  = 0.4  // for a multiplication in a Cholesky factorisation
	// The Hessian of all columns is cheap if it costs at most this for each entry of the data.
	cheapCost = 12.0
)

// formed reports whether to form the Hessian of the columns. It is always formed if there are
// several processes, if summary.cheap is set, or if there is a Gram matrix. Otherwise it is formed
// if there are at most defaultWorking columns, and if this Hessian and a Cholesky factor for the
// support cost at most as much as the visits of the columns by a model without a formed Hessian.
func (s *Solver) formed(cols []int32) bool {
	if !s.Team.Alone() || s.summary.cheap || s.gram != nil {
		// With several processes, a model without a formed Hessian needs a message for each
		// coordinate.
		return true
	}
	if len(cols) > defaultWorking {
		return false
	}
	entries, pairs := s.pairs(cols)
	if pairs > panelFrom/2*entries {
		pairs *= 0.5
	}
	support := 0.0
	for _, j := range cols {
		if s.x[j] != 0 || s.limit[j] == 0 {
			support++
		}
	}
	return pairs+denseCost(len(cols), support) <= s.work.visits*visitCost*entries
}

// denseCost returns the cost of solving a model whose Hessian is already formed. columns is its number of
// columns, support the number of non-zero coefficients. The cost includes a Cholesky factor for these.
func denseCost(columns int, support float64) float64 {
	m := float64(columns)
	support = math.Min(m, float64(1.25*support)+leastRoom)
	return float64(factorCost/6*support*float64(support*support)) + float64(m*m)
}

// pairs returns the number of entries of the columns, and the number of pairs of entries in the
// same row.
func (s *Solver) pairs(cols []int32) (entries, pairs float64) {
	if len(cols) == s.p {
		for i := range s.Rows.Len() {
			k := float64(s.Rows.Ptr[i+1] - s.Rows.Ptr[i])
			entries += k
			pairs += float64(k * (k + 1) / 2)
		}
		return entries, pairs
	}
	columns := s.transpose()
	count := make([]int32, s.Rows.Len())
	for _, j := range cols {
		idx, _ := columns.Row(int(j))
		for _, i := range idx {
			count[i]++
		}
	}
	for _, c := range count {
		k := float64(c)
		entries += k
		pairs += float64(k * (k + 1) / 2)
	}
	return entries, pairs
}

// transpose returns X'.
func (s *Solver) transpose() columnSource {
	if s.summary.columns == nil {
		s.summary.columns = s.Data.Transpose()
	}
	return s.summary.columns
}

// buildRows stores the data of the columns in w.rows, row by row. Values have 32 or 64 bits, or are
// not stored, as in the data.
func (s *Solver) buildRows() {
	w := &s.set
	if len(w.cols) == s.p {
		w.rows = s.Rows
		return
	}
	columns := s.transpose()
	ptr := make([]int64, s.Rows.Len()+1)
	for _, j := range w.cols {
		idx, _ := columns.Row(int(j))
		for _, i := range idx {
			ptr[i+1]++
		}
	}
	for i := range s.Rows.Len() {
		ptr[i+1] += ptr[i]
	}
	w.rows = kernels.Rows{Ptr: ptr, Cols: len(w.cols)}
	nnz := ptr[s.Rows.Len()]
	w.rows.Idx16 = make([]uint16, nnz)
	switch {
	case s.Rows.Val32 != nil:
		w.rows.Val32 = make([]float32, nnz)
	case s.Rows.Val != nil:
		w.rows.Val = make([]float64, nnz)
	}
	at := append([]int64(nil), ptr[:s.Rows.Len()]...)
	for k, j := range w.cols {
		w.fill(at, k, columns, int(j))
	}
}

// A columnSource is X', whose rows are the columns of X.
type columnSource interface {
	Row(j int) ([]int32, []float64)
}

// fill appends the entries of column j of X, as column k of the set, to w.rows. at[i] is the
// position of the next entry of row i.
func (w *working) fill(at []int64, k int, columns columnSource, j int) {
	idx, val := columns.Row(j)
	for m, i := range idx {
		to := at[i]
		at[i]++
		w.rows.Idx16[to] = uint16(k)
		switch {
		case w.rows.Val != nil:
			w.rows.Val[to] = val[m]
		case w.rows.Val32 != nil:
			w.rows.Val32[to] = float32(val[m])
		}
	}
}

// buildColumns stores the data of the columns in w.columns, column by column.
func (s *Solver) buildColumns() {
	w, from := &s.set, s.transpose()
	to := kernels.Rows{Ptr: make([]int64, 1, len(w.cols)+1), Cols: s.Rows.Len()}
	for k, j := range w.cols {
		idx, _ := from.Row(int(j))
		to.Ptr = append(to.Ptr, to.Ptr[k]+int64(len(idx)))
	}
	nnz := to.Ptr[len(w.cols)]
	to.Idx, to.Val = make([]int32, 0, nnz), make([]float64, 0, nnz)
	for _, j := range w.cols {
		idx, val := from.Row(int(j))
		to.Idx, to.Val = append(to.Idx, idx...), append(to.Val, val...)
	}
	w.columns = to
	w.implicit.Z = kernels.Rows{Idx: make([]int32, 0, nnz), Val: make([]float64, 0, nnz), Cols: to.Cols}
}

// margins sets dst = X u, where X has the columns of the set.
func (w *working) margins(s *rows.Sums, dst, u []float64) {
	if w.formed {
		s.Margins(dst, w.rows, u)
		return
	}
	clear(dst)
	kernels.Gradient(dst, w.columns, u)
}

// transposed sets dst = X'C alpha, where X has the columns of the set.
func (w *working) transposed(s *rows.Sums, dst, alpha []float64) {
	if w.formed {
		s.Transposed(dst, w.rows, alpha)
		return
	}
	kernels.Margins(dst, w.columns, s.Scaled(alpha))
}

// Goroutines share the work of a Hessian if rows have at least sharedFrom entries on average.
const sharedFrom = 32

// share divides the columns of the Hessian among goroutines: goroutine k forms columns cut[k] to
// cut[k+1]−1.
func (w *working) share() {
	if w.rows.Ptr == nil {
		return
	}
	threads := w.threads
	if n := w.rows.Len(); n == 0 || (w.rows.Ptr[n]-w.rows.Ptr[0])/int64(n) < sharedFrom {
		threads = 1
	}
	w.cut = w.cut[:0]
	for k := range threads {
		if k == len(w.scratch) {
			w.scratch = append(w.scratch, kernels.NewHessianScratch())
		}
		w.cut = append(w.cut, kernels.HessianCut(w.rows, len(w.cols), k, threads))
	}
	w.cut = append(w.cut, len(w.cols))
}

// weigh prepares a Hessian X'diag(c)X that is not formed: it multiplies the entries of sample i by
// √cᵢ, and leaves out samples with cᵢ = 0. It overwrites c.
func (w *working) weigh(c []float64) {
	for i, v := range c {
		c[i] = math.Sqrt(v)
	}
	z := &w.implicit.Z
	z.Ptr, z.Idx, z.Val = append(z.Ptr[:0], 0), z.Idx[:0], z.Val[:0]
	for k := range w.cols {
		for e := w.columns.Ptr[k]; e < w.columns.Ptr[k+1]; e++ {
			if i := w.columns.Idx[e]; c[i] != 0 {
				z.Idx, z.Val = append(z.Idx, i), append(z.Val, w.columns.Val[e]*c[i])
			}
		}
		z.Ptr = append(z.Ptr, int64(len(z.Val)))
	}
}

// form sets the upper triangle of h to X'diag(c)X, where X has the columns of the set.
func (w *working) form(h, c []float64) {
	m, parts := len(w.cols), len(w.cut)-1
	clear(h)
	rows.Spread(parts, parts, func(k int) { kernels.Hessian(h, m, m, w.cut[k], w.cut[k+1], w.rows, c, w.scratch[k]) })
}

// ridges sets the numbers that are added to the diagonal of the model's Hessian. ridge(k) is the number
// for column k of the set.
func (w *working) ridges(ridge func(k int) float64) {
	of, prepare := w.dense.Ridge, w.dense.Prepare
	if !w.formed {
		of, prepare = w.implicit.Ridge, w.implicit.Prepare
	}
	for k := range w.cols {
		of[k] = ridge(k)
	}
	prepare()
}
