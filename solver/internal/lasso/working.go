package lasso

import (
	"cmp"
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/sparse"
)

// A working set is some columns of the data, and the quadratic model over them.
type working struct {
	most, threads int
	cols          []int32 // in increasing order
	place         []int32 // of each feature: 1 + its position in cols, 0 if it is not there
	rows          kernels.Rows
	full          bool // it had no room for all that belong there
	model         model
}

const (
	leastRoom = 300  // columns that may enter at once, however few there are
	ahead     = 0.16 // part of the limit by which columns enter before they must
	farAhead  = 0.5  // where the Hessian would else be there to stay
)

// choose makes the working set one of the columns that are not zero, of those without
// limit, and of those with a pull above share times the limit, the most violated first.
// It is left as it is if it has them all and not twice as many.
func (s *Solver) choose(share float64) {
	w := &s.set
	if w.place == nil {
		w.place = make([]int32, s.p)
	}
	needed, missing := 0, len(w.cols) == 0
	for j := range s.p {
		if s.belongs(j, share) {
			needed++
			missing = missing || w.place[j] == 0
		}
	}
	if !missing && (len(w.cols) <= 2*needed+50 || s.constant()) {
		return
	}
	var cols, rest []int32
	early := ahead
	if s.constant() {
		early = farAhead
	}
	for j := range s.p {
		switch {
		case s.p <= wholeSet || s.belongs(j, math.Inf(1)):
			cols = append(cols, int32(j))
		case s.belongs(j, share-early):
			rest = append(rest, int32(j))
		}
	}
	excess := func(j int32) float64 { return s.pull(int(j)) / s.limit[j] }
	slices.SortStableFunc(rest, func(a, b int32) int { return cmp.Compare(excess(b), excess(a)) })
	if w.full = len(cols) > w.most-w.most/16 && len(cols)+len(rest) > w.most; w.full {
		return
	}
	rest = rest[:min(len(rest), max(leastRoom, len(cols)), w.most-len(cols))]
	cols = append(cols, rest...)
	slices.Sort(cols)
	s.build(cols)
}

// belongs reports whether a feature is not zero, has no limit, or has a pull above that
// share of it.
func (s *Solver) belongs(j int, share float64) bool {
	return s.x[j] != 0 || s.limit[j] == 0 || s.pull(j) > share*s.limit[j]
}

// pull is what moves a coefficient from zero once it is more than the limit.
func (s *Solver) pull(j int) float64 {
	if s.Nonnegative {
		return -s.e[j]
	}
	return math.Abs(s.e[j])
}

// build makes the working set that of the columns.
func (s *Solver) build(cols []int32) {
	w := &s.set
	for _, j := range w.cols {
		w.place[j] = 0
	}
	w.cols = cols
	for k, j := range cols {
		w.place[j] = int32(k) + 1
	}
	w.model.implicit = s.implicit(cols)
	w.model.resize(len(cols), w.threads)
	w.model.nonnegative = s.Nonnegative
	if w.rows = s.Rows; len(cols) < s.p {
		s.buildRows()
	}
	if w.model.implicit != nil {
		w.model.implicit.rows = w.rows
	} else {
		w.model.share(w.rows)
	}
}

// transpose returns X'.
func (s *Solver) transpose() *sparse.CSR {
	if s.facts.columns == nil {
		s.facts.columns = s.Data.Transpose()
	}
	return s.facts.columns
}

// buildRows makes rows of the columns, values in the form that the data have.
func (s *Solver) buildRows() {
	w, columns := &s.set, s.transpose()
	ptr := make([]int64, s.n+1)
	for _, j := range w.cols {
		idx, _ := columns.Row(int(j))
		for _, i := range idx {
			ptr[i+1]++
		}
	}
	for i := range s.n {
		ptr[i+1] += ptr[i]
	}
	w.rows = kernels.Rows{Ptr: ptr, Cols: len(w.cols)}
	nnz := ptr[s.n]
	w.rows.Idx16 = make([]uint16, nnz)
	w.rows.Val, w.rows.Val32 = nil, nil
	switch {
	case s.Rows.Val32 != nil:
		w.rows.Val32 = make([]float32, nnz)
	case s.Rows.Val != nil:
		w.rows.Val = make([]float64, nnz)
	}
	at := append([]int64(nil), ptr[:s.n]...)
	for k, j := range w.cols {
		w.fill(at, k, columns, int(j))
	}
}

// rowsOf is what fill asks of X'.
type rowsOf interface {
	Row(i int) ([]int32, []float64)
}

// fill writes column number k of the set, row j of columns, to where at says that each
// row goes on.
func (w *working) fill(at []int64, k int, columns rowsOf, j int) {
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
