package exact

import (
	"math"

	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/sparse"
)

const (
	wholeSet       = 64   // Problem.hasCheapHessian returns true up to this number of features
	defaultWorking = 3072 // largest number of columns for which a separable problem forms the Hessian
)

// The unit of a cost is one multiplication in the computation of a Hessian.
const (
	visitCost = 2.0 // the cost of a visit to one entry of the data, if the Hessian is not formed
	// If the Hessian is not formed, a model is assumed to read each column at least leastVisits times. Far
	// from the optimum, a model need not be solved accurately. There the Hessian is formed if it costs at
	// most leastFarVisits, or at most as much as the earlier models there; see workspace.farReads.
	leastVisits, leastFarVisits = 150.0, 15.0
	// The cost of a multiplication in a Cholesky factorisation. It includes the coordinate descent before the
	// factorisation.
	factorCost     = 0.8
	mostIterations = 200 // largest number of iterations of the conjugate gradient method
	// The Hessian of all columns is cheap if forming it costs at most cheapCost for each entry of the data,
	// and solving a model with it costs at most cheapSolve for each entry.
	cheapCost, cheapSolve = 12.0, 500.0
)

// formsHessian reports whether to form the Hessian of the working set.
func (s *Solver) formsHessian() bool {
	visits := s.work.visits
	if !s.work.nearOptimum {
		visits = max(leastFarVisits, s.work.farReads/max(1, s.set.cost.entries))
	}
	cost := s.formedVisits(s.set.cols, s.set.cost)
	return cost <= visits || s.work.needsFormed && !math.IsInf(cost, 1)
}

// A formingCost is the cost of forming the Hessian of some columns.
type formingCost struct {
	multiplications float64 // 0 if the Hessian must be formed, +Inf if there are too many columns
	entries         float64 // the number of entries of X in the columns
}

// costOfForming returns the cost of forming the Hessian of the columns.
func (s *Solver) costOfForming(cols []int32) (f formingCost) {
	if !s.Team.Alone() || s.set.needsAll || s.gram != nil || !s.isSeparable() {
		// If the Hessian were not formed, several processes would exchange a message for each coordinate. Grouped
		// models need the Hessian as a matrix, and coupled models use their own rule, see linearSystems.
		return formingCost{}
	}
	if len(cols) > defaultWorking {
		return formingCost{multiplications: math.Inf(1)}
	}
	for _, count := range s.rowCounts(cols) {
		f.entries += float64(count)
		f.multiplications += linalg.PairsOf(int(count))
	}
	return f
}

// formedVisits returns the cost of a model with a formed Hessian: the cost of forming the Hessian of the
// columns, plus the cost of solving the model. f must be costOfForming(cols). The unit is a visit: reading
// all entries of the columns once. The result is 0 if the Hessian must be formed, and +Inf if there are too
// many columns.
func (s *Solver) formedVisits(cols []int32, f formingCost) float64 {
	if f.multiplications == 0 {
		return 0
	}
	nonzeros := 0.0
	for _, j := range cols {
		if s.x[j] != 0 || s.limit[j] == 0 {
			nonzeros++
		}
	}
	return (f.multiplications + denseCost(len(cols), nonzeros)) / (visitCost * max(1, f.entries))
}

// denseCost estimates the cost of solving a model with a formed Hessian. columns is the order of the Hessian,
// and nonzeros the present number of non-zero coefficients; the solution may have somewhat more.
func denseCost(columns int, nonzeros float64) float64 {
	m := float64(columns)
	expectedNonzeros := math.Min(m, float64(1.25*nonzeros)+leastRoom)
	return float64(factorCost/6*expectedNonzeros*float64(expectedNonzeros*expectedNonzeros)) + float64(m*m)
}

// hasCheapHessian reports whether the Hessian of all columns may be formed, and costs little. If the
// curvature of the loss is not constant, each step factors a new Hessian; then the factorization must also
// cost little.
func (p *Problem) hasCheapHessian() bool {
	_, features := p.dims()
	switch {
	case features <= wholeSet:
		return true
	case features > defaultWorking:
		return false
	}
	pairs, entries := p.hessianCost()
	return pairs <= cheapCost*entries &&
		(p.Loss.Traits().ConstantCurvature || denseCost(features, float64(features)) <= cheapSolve*entries)
}

// Assembly returns the cost of forming the Hessian of the loss, in passes over the data of all processes. A
// pass costs as much as a gradient.
func (p *Problem) Assembly() float64 {
	pairs, entries := p.hessianCost()
	return pairs / entries
}

// hessianCost returns the number of pairs of entries in the same row, including each entry's pair with
// itself, and the number of entries, or 1 if there are none. Both are sums over all processes.
func (p *Problem) hessianCost() (pairsInRows, entries float64) {
	totals := []float64{pairs(p.Data), float64(p.entries())}
	if p.HasOnes {
		totals[0] += totals[1]
	}
	p.Team.Sum(totals)
	return totals[0], max(1, totals[1])
}

// pairs returns the number of pairs of entries in the same row, including each entry's pair with itself.
func pairs(m *sparse.CSR) (sum float64) {
	n, _ := m.Dims()
	for i := range n {
		idx, _ := m.Row(i)
		sum += linalg.PairsOf(len(idx))
	}
	return sum
}
