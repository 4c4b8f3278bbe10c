package exact

import (
	"cmp"
	"math"
	"slices"

	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/sparse"
)

// A restrictedProblem has the features of a working set only. A row of A with several features of the set
// stays a row. For each feature j, the rows whose only feature in the set is j become one singleton row.
type restrictedProblem struct {
	w       *setSolver
	cols    []int32 // the features, in increasing order
	rows    []int32 // the rows of the penalty with several features of the set
	problem Problem
	x       []float64 // the starting point
}

// firstRoom is the largest number of columns of the first working set, not counting the features that every
// working set has. It is small, because an early iterate has many more non-zero coefficients than the
// solution.
const firstRoom = 750

// chooseColumns returns the columns of the next working set, in increasing order: the columns of non-zero
// coefficients, of features with neither a ridge nor a singleton row, and of the features with the largest
// outside.nearExcess. full is true if a set after the first has no room for all non-zero coefficients.
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
	size := func(j int32) float64 { return math.Abs(w.problem.x[j]) * w.problem.bounds.Columns.LargestEntry[j] }
	slices.SortStableFunc(cols, func(a, b int32) int { return cmp.Compare(size(b), size(a)) })
	slices.SortStableFunc(candidates, func(a, b int32) int { return cmp.Compare(w.outside.nearExcess[b], w.outside.nearExcess[a]) })
	maxColumns := w.maxColumns - len(unheld)
	if first {
		maxColumns = min(maxColumns, firstRoom)
	}
	room := maxColumns - maxColumns/16 // a sixteenth is reserved for features that violate optimality
	full = !first && len(cols) > room
	cols = cols[:min(len(cols), room)]
	cols = append(cols, candidates[:min(len(candidates), len(cols)+200, maxColumns-len(cols))]...)
	cols = append(cols, unheld...)
	slices.Sort(cols)
	return cols, full
}

// restrict returns the problem restricted to the columns. It starts at the current point.
func (w *setSolver) restrict(cols []int32) *restrictedProblem {
	s := &restrictedProblem{w: w, cols: cols, problem: *w.problem.Problem, x: make([]float64, len(cols))}
	clear(w.position)
	for k, j := range cols {
		w.position[j] = int32(k) + 1
		s.x[k] = w.problem.x[j]
	}
	s.problem.Data = columnsOf(w.problem.Data, w.position, len(cols))
	s.problem.Rows = s.problem.Data.Compact(false)
	s.problem.MaxWorking = len(cols)
	s.problem.Ridge = slices.Repeat([]float64{w.problem.mu()}, len(cols))
	s.setPenalty()
	return s
}

// setPenalty sets A and the limits of the restricted problem.
func (s *restrictedProblem) setPenalty() {
	r, k := s.w.problem.penalty, len(s.cols)
	singletonLimits := make([]float64, k) // for each feature, the limit of its singleton row
	s.problem.A, s.problem.Limit = linalg.New(nil, k), singletonLimits
	for i, j := range s.cols {
		rows, val := r.T.Row(int(j))
		for m, row := range rows {
			switch count, firstFeature := s.members(row); {
			case val[m] == 0:
			case count == 1:
				singletonLimits[i] += float64(r.Limit[row] * math.Abs(val[m]))
			case firstFeature == j:
				s.rows = append(s.rows, row)
			}
		}
	}
	if len(s.rows) == 0 {
		return
	}
	s.problem.A = linalg.New(s.matrix(), k)
	s.problem.Limit = make([]float64, 0, len(s.rows)+k)
	for _, row := range s.rows {
		s.problem.Limit = append(s.problem.Limit, r.Limit[row])
	}
	s.problem.Limit = append(s.problem.Limit, singletonLimits...)
}

// members counts the features of the working set in a row of A, and returns the first of these features.
func (s *restrictedProblem) members(row int32) (count int, firstFeature int32) {
	idx, val := s.w.problem.penalty.M.Row(int(row))
	for k, j := range idx {
		if s.w.position[j] > 0 && val[k] != 0 {
			if count++; count == 1 {
				firstFeature = j
			}
		}
	}
	return count, firstFeature
}

// matrix returns A of the restricted problem: the rows with several features of the working
// set, followed by the identity.
func (s *restrictedProblem) matrix() *sparse.CSR {
	ptr := make([]int64, 1, len(s.rows)+len(s.cols)+1)
	var idx []int32
	var val []float64
	for _, row := range s.rows {
		columns, v := s.w.problem.penalty.M.Row(int(row))
		for k, j := range columns {
			if position := s.w.position[j]; position > 0 && v[k] != 0 {
				idx, val = append(idx, position-1), append(val, v[k])
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

// finish solves the restricted problem. It returns nil and false if New refuses the problem.
func (s *restrictedProblem) finish(set *Settings) (*Solution, bool) {
	f, err := New(&s.problem)
	if err != nil {
		return nil, false
	}
	return f.Finish(s.x, set), true
}

// expand moves the current point to a solution of the restricted problem, and sets w.trial to the dual point
// of the solution. If the zeros of the solution are not exact, expand sets a coefficient to zero if the
// multiplier of its singleton row is far below the limit. But if these zeros raise the objective by more than
// the gap, expand changes no coefficient of the solution.
func (s *restrictedProblem) expand(solution *Solution) {
	w := s.w
	x, originalX := make([]float64, w.problem.p), make([]float64, w.problem.p)
	z, r := w.trial.z, w.problem.penalty
	singletonZ := solution.Z[len(s.rows):] // multipliers of the singleton rows
	for k, j := range s.cols {
		originalX[j] = solution.X[k]
		limit := s.problem.Limit[len(s.rows)+k]
		if solution.Polished || math.Abs(singletonZ[k]) >= keptLimit*limit {
			x[j] = solution.X[k]
		}
	}
	if solution.Polished {
		solution.Structure = partition(solution.Structure, s.cols, w.problem.p)
	}
	if w.problem.visit(x); w.problem.value > solution.Objective+solution.Gap {
		// The coefficients that were set to zero raise the objective too much.
		w.problem.visit(originalX)
	}
	copy(w.trial.alpha, solution.Alpha)
	for k, j := range s.cols {
		share := singletonZ[k] / math.Max(s.problem.Limit[len(s.rows)+k], math.SmallestNonzeroFloat64)
		rows, val := r.T.Row(int(j))
		for m, row := range rows {
			if count, _ := s.members(row); count == 1 && val[m] != 0 {
				z[row] = r.Limit[row] * math.Copysign(share, share*val[m])
			}
		}
	}
	for k, row := range s.rows {
		z[row] = solution.Z[k]
	}
}

// columnsOf returns the columns j of m with position[j] > 0 as a matrix. Column j becomes column
// position[j] − 1.
func columnsOf(m *sparse.CSR, position []int32, count int) *sparse.CSR {
	n, _ := m.Dims()
	ptr := make([]int64, 1, n+1)
	var idx []int32
	var val []float64
	for i := range n {
		row, v := m.Row(i)
		for k, j := range row {
			if position[j] > 0 {
				idx, val = append(idx, position[j]-1), append(val, v[k])
			}
		}
		ptr = append(ptr, int64(len(idx)))
	}
	return mustSparse(n, count, ptr, idx, val)
}

// mustSparse calls sparse.New with entries that are known to be valid.
func mustSparse(rows, cols int, ptr []int64, idx []int32, val []float64) *sparse.CSR {
	out, err := sparse.New(rows, cols, ptr, idx, val)
	if err != nil {
		panic(err)
	}
	return out
}
