package exact

import (
	"cmp"
	"math"
	"slices"

	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/sparse"
)

// A workingSet is the problem with all features but a few held at zero. Of the rows of
// the penalty, those with several of its features stay as they are, and those with one
// add up to a row of its own.
type workingSet struct {
	w    *Wide
	cols []int32 // features, increasing
	rows []int32 // of the penalty: those with several of them
	sub  Problem
	x    []float64 // start
}

// firstRoom is the most columns of the first set: of an early iterate many more
// coefficients are not zero than at the solution, and time grows with the cube.
const firstRoom = 750

// choose returns the columns of the next working set, in order: those of coefficients
// that are not zero, and of the others the most violated, as many again and 200, with all
// that no row holds at zero; and whether there was no room for the first.
func (w *Wide) choose(first bool) (cols []int32, full bool) {
	var free, rest []int32
	for j, x := range w.at.x {
		if w.whole.isFree(j) {
			free = append(free, int32(j))
		} else if x != 0 {
			cols = append(cols, int32(j))
		} else if w.rest.near[j] > 0 {
			rest = append(rest, int32(j))
		}
	}
	size := func(j int32) float64 { return math.Abs(w.at.x[j]) * w.whole.bounds.Columns.Largest[j] }
	slices.SortStableFunc(cols, func(a, b int32) int { return cmp.Compare(size(b), size(a)) })
	slices.SortStableFunc(rest, func(a, b int32) int { return cmp.Compare(w.rest.near[b], w.rest.near[a]) })
	most := w.most
	if first {
		most = min(most, firstRoom)
	}
	room := most - most/16 // some for those that are violated
	full = !first && len(cols) > room
	cols = cols[:min(len(cols), room)]
	cols = append(cols, rest[:min(len(rest), len(cols)+200, most-len(cols))]...)
	cols = append(cols, free...)
	slices.Sort(cols)
	return cols, full
}

// restrict returns the problem on the columns, from the point.
func (w *Wide) restrict(cols []int32) *workingSet {
	s := &workingSet{w: w, cols: cols, sub: *w.whole.Problem, x: make([]float64, len(cols))}
	clear(w.place)
	for k, j := range cols {
		w.place[j] = int32(k) + 1
		s.x[k] = w.at.x[j]
	}
	s.sub.Data = columnsOf(w.whole.Data, w.place, len(cols))
	s.sub.Rows = s.sub.Data.Compact(nil)
	s.sub.MaxWorking = len(cols)
	s.sub.Ridge = slices.Repeat([]float64{w.whole.mu()}, len(cols))
	s.penalty()
	return s
}

// penalty sets the penalty of the working set.
func (s *workingSet) penalty() {
	r, k := s.w.whole.rows, len(s.cols)
	own := make([]float64, k)
	s.sub.A, s.sub.Limit = linalg.New(nil, k), own
	if r.M == nil {
		for i, j := range s.cols {
			own[i] = r.Limit[j]
		}
		return
	}
	for i, j := range s.cols {
		rows, val := r.T.Row(int(j))
		for m, row := range rows {
			switch count, first := s.members(row); {
			case val[m] == 0:
			case count == 1:
				own[i] += float64(r.Limit[row] * math.Abs(val[m]))
			case first == j:
				s.rows = append(s.rows, row)
			}
		}
	}
	if len(s.rows) == 0 {
		return
	}
	s.sub.A = linalg.New(s.matrix(), k)
	s.sub.Limit = make([]float64, 0, len(s.rows)+k)
	for _, row := range s.rows {
		s.sub.Limit = append(s.sub.Limit, r.Limit[row])
	}
	s.sub.Limit = append(s.sub.Limit, own...)
}

// members returns how many features of the set a row of the penalty has, and the first.
func (s *workingSet) members(row int32) (count int, first int32) {
	idx, val := s.w.whole.rows.M.Row(int(row))
	for k, j := range idx {
		if s.w.place[j] > 0 && val[k] != 0 {
			if count++; count == 1 {
				first = j
			}
		}
	}
	return count, first
}

// matrix returns the rows with several features of the set, over the identity.
func (s *workingSet) matrix() *sparse.CSR {
	ptr := make([]int64, 1, len(s.rows)+len(s.cols)+1)
	var idx []int32
	var val []float64
	for _, row := range s.rows {
		all, v := s.w.whole.rows.M.Row(int(row))
		for k, j := range all {
			if at := s.w.place[j]; at > 0 && v[k] != 0 {
				idx, val = append(idx, at-1), append(val, v[k])
			}
		}
		ptr = append(ptr, int64(len(idx)))
	}
	for k := range s.cols {
		idx, val = append(idx, int32(k)), append(val, 1)
		ptr = append(ptr, int64(len(idx)))
	}
	return mustSparse(len(s.rows)+len(s.cols), len(s.cols), ptr, idx, val)
}

// finish solves the problem of the working set, unless the finisher refuses.
func (s *workingSet) finish(set *Settings) (*Solution, bool) {
	f, err := New(&s.sub)
	if err != nil {
		return nil, false
	}
	return f.Finish(s.x, set), true
}

// expand makes a result the point, and its dual point the trial one, in which rows
// without a feature of the set keep their multipliers. Interior coefficients whose own
// multiplier is far from its limit become zeros.
func (s *workingSet) expand(part *Solution) {
	w := s.w
	x, whole, z, r := make([]float64, w.whole.p), make([]float64, w.whole.p), w.trial.z, w.whole.rows
	own := part.Z[len(s.rows):]
	for k, j := range s.cols {
		whole[j] = part.X[k]
		limit := s.sub.Limit[len(s.rows)+k]
		if part.Polished || math.Abs(own[k]) >= keptLimit*limit {
			x[j] = part.X[k]
		}
	}
	if part.Polished {
		part.Structure = partition(part.Structure, s.cols, w.whole.p)
	}
	if w.visit(x); w.at.value > part.Objective+part.Gap { // multipliers far from the optimum say nothing
		w.visit(whole)
	}
	copy(w.trial.alpha, part.Alpha)
	if r.M == nil {
		for k, j := range s.cols {
			z[j] = own[k]
		}
		return
	}
	for k, j := range s.cols {
		share := own[k] / math.Max(s.sub.Limit[len(s.rows)+k], math.SmallestNonzeroFloat64)
		rows, val := r.T.Row(int(j))
		for m, row := range rows {
			if count, _ := s.members(row); count == 1 && val[m] != 0 {
				z[row] = r.Limit[row] * math.Copysign(share, share*val[m])
			}
		}
	}
	for k, row := range s.rows {
		z[row] = part.Z[k]
	}
}

// columnsOf returns the columns of a matrix that have a place, counted from 1, in the
// order of the places, which increase.
func columnsOf(m *sparse.CSR, place []int32, count int) *sparse.CSR {
	n, _ := m.Dims()
	ptr := make([]int64, 1, n+1)
	var idx []int32
	var val []float64
	for i := range n {
		row, v := m.Row(i)
		for k, j := range row {
			if place[j] > 0 {
				idx, val = append(idx, place[j]-1), append(val, v[k])
			}
		}
		ptr = append(ptr, int64(len(idx)))
	}
	return mustSparse(n, count, ptr, idx, val)
}

// mustSparse returns a part of a valid matrix.
func mustSparse(rows, cols int, ptr []int64, idx []int32, val []float64) *sparse.CSR {
	out, err := sparse.New(rows, cols, ptr, idx, val)
	if err != nil {
		panic(err)
	}
	return out
}
