package exact

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/sparse"
)

// A restrictedProblem has the features of a working set only. A row of A with several features of the set
// stays a row. For each feature j, the rows whose only feature in the set is j become one singleton row.
type restrictedProblem struct {
	whole *wholeProblem
	cols  []int32 // the features, in increasing order
	// The position of each feature of the whole problem in cols, from 1 on; 0 for no position.
	position []int32
	// The rows of A, in the numbering of the whole problem, that have several features of cols.
	rows []int32
	// The problem for the features of cols. Its A has the rows of the field rows, then a singleton row for
	// each feature, in the order of cols.
	problem Problem
	systems linearSystems // the result of problem.linearSystems
	gaveUp  bool          // the method finish has given up an implicit Hessian
}

// restrict returns a restrictedProblem for the features cols. The caller must then set its field problem, as
// setProblem does.
func (f *wholeProblem) restrict(cols []int32) *restrictedProblem {
	s := &restrictedProblem{whole: f, cols: cols, position: make([]int32, f.p)}
	for k, j := range cols {
		s.position[j] = int32(k) + 1
	}
	return s
}

// setProblem sets the problem to the whole problem without the other features.
func (s *restrictedProblem) setProblem() {
	f, k, pen := s.whole, len(s.cols), s.whole.penalty
	s.problem = *f.Problem
	s.problem.setData(columnsOf(f.Data, s.position, k))
	s.problem.MaxWorking = k
	s.problem.Ridge = slices.Repeat([]float64{f.mu()}, k)
	var rows []int32
	singletonLimits := make([]float64, k)
	for i, j := range s.cols {
		rowsOfFeature, val := pen.T.Row(int(j))
		for m, row := range rowsOfFeature {
			switch count, firstFeature := s.members(row); {
			case count == 1:
				singletonLimits[i] += float64(pen.Limit[row] * math.Abs(val[m]))
			case firstFeature == j:
				rows = append(rows, row)
			}
		}
	}
	s.setPenalty(rows, singletonLimits)
	if k > mostFeatures && !s.problem.isSeparable() && s.systems.chol == nil {
		s.problem.MaxWorking = mostFeatures // so that newSolver refuses the problem: the matrix would be too large
	}
}

// setPenalty sets A and the limits of the problem, and then systems. rows are the rows of the whole problem's
// penalty that stay rows.
func (s *restrictedProblem) setPenalty(rows []int32, singletonLimits []float64) {
	k, pen := len(s.cols), s.whole.penalty
	s.rows = rows
	if len(rows) == 0 {
		s.problem.A, s.problem.Limit = linalg.New(nil, k), singletonLimits
		return
	}
	indices, limits := make([]int, len(rows)), make([]float64, len(rows))
	for i, row := range rows {
		indices[i], limits[i] = int(row), pen.Limit[row]
	}
	severalFeatures := columnsOf(must(pen.M.SelectRows(indices)), s.position, k)
	s.problem.A = linalg.New(must(sparse.Stack(severalFeatures, sparse.Identity(k))), k)
	s.problem.Limit = append(limits, singletonLimits...)
	s.systems = s.problem.linearSystems()
}

// members counts the features of the working set in a row of A, and returns the first of these features.
func (s *restrictedProblem) members(row int32) (count int, firstFeature int32) {
	idx, _ := s.whole.penalty.M.Row(int(row))
	for _, j := range idx {
		if s.position[j] > 0 {
			count++
			if count == 1 {
				firstFeature = j
			}
		}
	}
	return count, firstFeature
}

// finish solves the problem, starting at the current point of the whole problem. If rough is true, zeros and ties need
// not be exact. finish returns nil if newSolver refuses the problem.
func (s *restrictedProblem) finish(set *Settings, rough bool) *Solution {
	solver, err := newSolver(&s.problem, s.systems)
	if err != nil {
		return nil
	}
	x := make([]float64, len(s.cols))
	for k, j := range s.cols {
		x[k] = s.whole.x[j]
	}
	solver.rough = rough
	isImplicit := solver.hasImplicitHessian()
	solution := solver.Finish(x, set)
	s.gaveUp = isImplicit && !solver.hasImplicitHessian()
	return solution
}

// expand moves the current point of the whole problem to a solution of the restricted one, and sets d to the
// dual point of the solution. If the zeros of the solution are not exact, expand sets a coefficient to zero
// if the multiplier of its singleton row is far below the limit. But if these zeros raise the objective by
// more than the gap, expand changes no coefficient of the solution.
func (s *restrictedProblem) expand(solution *Solution, d *dualPoint) {
	f, pen := s.whole, s.whole.penalty
	x, originalX := make([]float64, f.p), make([]float64, f.p)
	singletonZ, singletonLimits := solution.Z[len(s.rows):], s.problem.Limit[len(s.rows):]
	for k, j := range s.cols {
		originalX[j] = solution.X[k]
		if solution.Polished || math.Abs(singletonZ[k]) >= keptLimit*singletonLimits[k] {
			x[j] = solution.X[k]
		}
	}
	if solution.Polished {
		solution.Structure = partition(solution.Structure, s.cols, f.p)
	}
	f.visit(x)
	if f.value > solution.Objective+solution.Gap {
		// The coefficients that were set to zero raise the objective too much.
		f.visit(originalX)
	}
	copy(d.alpha, solution.Alpha)
	for k, j := range s.cols {
		share := singletonZ[k] / math.Max(singletonLimits[k], math.SmallestNonzeroFloat64)
		rows, val := pen.T.Row(int(j))
		for m, row := range rows {
			if count, _ := s.members(row); count == 1 {
				d.z[row] = pen.Limit[row] * math.Copysign(share, share*val[m])
			}
		}
	}
	for k, row := range s.rows {
		d.z[row] = solution.Z[k]
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
	return must(sparse.New(n, count, ptr, idx, val))
}

// must returns m. It panics if there is an error, for calls whose arguments are known to be valid.
func must(m *sparse.CSR, err error) *sparse.CSR {
	if err != nil {
		panic(err)
	}
	return m
}
