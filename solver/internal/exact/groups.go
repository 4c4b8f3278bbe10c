package exact

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/quadratic"
	"github.com/scas-admm/scas/sparse/pages"
)

// hasFeatureGroups reports whether the model of the problem is grouped. This needs a group lasso: the penalty is a
// sum of norms, and each norm is that of one group of coefficients. The groups are disjoint. A may multiply each
// coefficient by a factor. Either all coefficients in groups have a ridge or none has one. There must be no squares
// and no domain, and one process must hold all samples in memory.
func (p *Problem) hasFeatureGroups() bool {
	a := p.A.Matrix()
	if p.joint || p.Groups == nil || p.Square != nil || p.Set != nil || p.File != nil || !p.Team.Alone() ||
		a == nil && !p.A.IsIdentity() {
		return false
	}
	_, features := p.dims()
	seen, groupedCount, ridgeCount := make([]bool, features), 0, 0
	for k, limit := range p.Limit {
		j := k
		if a != nil {
			idx, _ := a.Row(k)
			if len(idx) != 1 || seen[idx[0]] {
				return false
			}
			j = int(idx[0])
			seen[j] = true
		}
		if limit > 0 {
			groupedCount++
			if p.Ridge[j] > 0 || p.FixedRidge != nil && p.FixedRidge[j] > 0 {
				ridgeCount++
			}
		}
	}
	return ridgeCount == 0 || ridgeCount == groupedCount
}

// mostInGroupSet returns the largest number of columns of a working set, if hasFeatureGroups is true.
func (p *Problem) mostInGroupSet() int {
	_, features := p.dims()
	if p.MaxWorking == 0 && features > mostFeatures {
		return DenseFeatures
	}
	return min(features, cmp.Or(p.MaxWorking, mostFeatures))
}

// hasLargeGroups reports whether a point of a problem with a grouped model may have more non-zero coefficients than
// a working set has columns, see mostInGroupSet.
func (p *Problem) hasLargeGroups() bool {
	_, features := p.dims()
	return features > mostFeatures && p.hasFeatureGroups()
}

// columnGroups describes the groups of a problem with a grouped model. All its slices except size have an
// element for each column. A column in no group has the limit 0.
type columnGroups struct {
	number []int32   // the group of the column: an index of gap.Penalty.Groups, or −1
	limit  []float64 // the limit of the group
	// The norm of the multipliers of the column's group. If it is at most limit, zeros are optimal for all
	// coefficients of the group.
	correlation []float64
	nonzero     []bool // a coefficient of the group is not zero
	size        []int  // the number of columns of each group
}

// update computes the groups at the point x of s, with the dual residuals s.e.
func (g *columnGroups) update(s *Solver) {
	pen, multipliers := s.bounds.Penalty, s.multipliersOfResiduals()
	g.number = slices.Repeat([]int32{-1}, s.p)
	g.limit, g.correlation, g.nonzero = make([]float64, s.p), make([]float64, s.p), make([]bool, s.p)
	g.size = make([]int, len(pen.Groups))
	columnOf := make([]int32, pen.Len()) // the column of each kept row of A
	for j, row := range pen.Singleton {
		if row >= 0 {
			columnOf[row] = int32(j)
		}
	}
	for k := range pen.Groups {
		group := &pen.Groups[k]
		g.size[k] = len(group.Rows)
		correlation := group.Norm(multipliers)
		nonzero := slices.ContainsFunc(group.Rows, func(row int32) bool { return s.x[columnOf[row]] != 0 })
		for _, row := range group.Rows {
			j := columnOf[row]
			g.number[j], g.limit[j], g.correlation[j], g.nonzero[j] = int32(k), group.Limit, correlation, nonzero
		}
	}
}

// complete changes a list of columns so that it has all columns of a group or none. It adds the missing columns of
// each group that has a column in cols. If the list would then have more than maxColumns columns, complete instead
// removes the columns of each group that is not complete. The result is in increasing order.
func (g *columnGroups) complete(cols []int32, maxColumns int) []int32 {
	chosen, size := make([]int, len(g.size)), 0 // chosen counts the columns of each group in cols
	for _, j := range cols {
		k := g.number[j]
		if k < 0 {
			size++
			continue
		}
		if chosen[k] == 0 {
			size += g.size[k]
		}
		chosen[k]++
	}
	alone := make([]bool, len(g.number)) // columns of cols in no group
	for _, j := range cols {
		alone[j] = g.number[j] < 0
	}
	var whole []int32
	for j, k := range g.number {
		if k < 0 && alone[j] || k >= 0 && (chosen[k] == g.size[k] || chosen[k] > 0 && size <= maxColumns) {
			whole = append(whole, int32(j))
		}
	}
	return whole
}

// multipliersOfResiduals returns the multipliers z of the kept rows of A that solve the optimality equation
// X'Cα + R x + A'z = 0, where s.e is X'Cα and R has the ridges on its diagonal. Each kept row must have one
// entry. The multipliers may exceed their limits.
func (s *Solver) multipliersOfResiduals() []float64 {
	pen := s.bounds.Penalty
	z := make([]float64, pen.Len())
	for j, row := range pen.Singleton {
		if row >= 0 {
			z[row] = -math.FMA(s.ridge[j], s.x[j], s.e[j]) / pen.SingletonEntry[j]
		}
	}
	return z
}

// grouped is the model of a group lasso, see hasFeatureGroups.
type grouped struct {
	*Solver
	problem quadratic.Grouped
	move    []float64 // memory for newtonStep.move
}

func (m *grouped) begin(*Solver, float64) { m.setGroups() }

// columnsChanged implements model. It makes the groups of the columns of the working set, and memory for the
// Hessian.
func (m *grouped) columnsChanged() {
	w, q, count := &m.set, &m.problem, len(m.set.cols)
	w.dense.H = pages.Resize(w.dense.H, count*count)
	w.dense.Order, w.dense.Threads = count, w.threads
	q.X, q.Gradient, q.Order = w.x, w.gradient, count
	m.setGroups()
}

// setGroups sets the groups and limits of the model, for the present limits and columns of the working set.
func (m *grouped) setGroups() {
	w, q, pen, count := &m.set, &m.problem, m.bounds.Penalty, len(m.set.cols)
	m.groups.update(m.Solver)
	q.Groups, q.Limit, q.Factor = nil, nil, slices.Repeat([]float64{1}, count)
	index := make(map[int32]int) // for each group that the set has, its index in q.Groups
	for k, j := range w.cols {
		number := m.groups.number[j]
		if number < 0 {
			continue
		}
		i, known := index[number]
		if !known {
			i = len(q.Groups)
			index[number] = i
			q.Groups, q.Limit = append(q.Groups, nil), append(q.Limit, pen.Groups[number].Limit)
		}
		q.Groups[i], q.Factor[k] = append(q.Groups[i], int32(k)), pen.SingletonEntry[j]
	}
}

func (m *grouped) setHessian(fresh bool) {
	if w := &m.set; fresh {
		m.rows.hessian(w.dense.H, m.work.damping)
		w.dense.Mirror()
	}
}

// useCoupledModel replaces the grouped model by a coupled model for all further steps. A coupled model has all
// columns. It usually takes more time, but it also solves problems with nearly equal columns in few steps.
func (s *Solver) useCoupledModel() {
	s.joint, s.groups, s.set.needsAll, s.set.noRoom, s.reuse = true, nil, true, false, coupledReuse
	s.model = newCoupled(s, s.linearSystems())
	s.set.removeAll()
	s.set.dense, s.set.former = quadratic.Dense{}, formerHessian{}
	s.chooseSet(1)
	s.model.begin(nil, math.Inf(1))
}

const (
	// If the working set has at most this number of columns, a grouped model is assumed to be faster than a coupled
	// one.
	leastCoupled = 1000
	// A coupled model solves at least this number of linear systems while a grouped model factors one matrix.
	systemsPerFactor = 20
)

// mostGrouped returns the largest number of columns of a working set for which a grouped model takes less time
// than a coupled model. The result is the number of features unless there are many more features than samples.
func (p *Problem) mostGrouped() int {
	size := p.systemSize()
	if size.kind() == quadratic.Formed {
		return int(size.features)
	}
	many, few := size.implicitCosts()
	cost := systemsPerFactor * min(many, few)
	return max(leastCoupled, sort.Search(int(size.features), func(k int) bool {
		order := float64(k + 1)
		return order*order*order/6 > cost
	}))
}

// Far from the optimum, a model's value need not fall to its minimum: minimise may stop when the rest of the
// fall is at most groupPart times the fall so far.
const groupPart = 1e-3

func (m *grouped) minimise(tol float64) newtonStep {
	w, q := &m.set, &m.problem
	q.H, q.Stop, q.Threads = w.dense.H, m.stop, w.threads
	set := quadratic.GroupedSettings{
		Gap:       m.work.tightening * gapPart * tol,
		Violation: m.work.tightening * math.Min(1e-3, scaledPart*tol/max(m.current.value, tol)),
	}
	if !m.work.nearOptimum && !m.hasConstantCurvature() {
		set.RelGap = groupPart
	}
	diagonal := m.addRidges()
	if !q.Solve(&set) {
		m.work.unsolved++
	}
	for k, v := range diagonal {
		q.H[k*q.Order+k] = v
	}
	m.move = append(m.move[:0], q.U...)
	kernels.Axpy(-1, w.x, m.move)
	return newtonStep{u: q.U, move: m.move, fall: -q.Value(), rise: w.firstOrder(q.U) + q.PenaltyRise()}
}

// addRidges adds the ridges to the Hessian. It returns the old diagonal, because a later model may keep the
// Hessian of the loss and have other ridges.
func (m *grouped) addRidges() (diagonal []float64) {
	q := &m.problem
	for k, j := range m.set.cols {
		entry := &q.H[k*q.Order+k]
		diagonal = append(diagonal, *entry)
		*entry += m.ridge[j]
	}
	return diagonal
}

func (m *grouped) value(loss float64) float64 { return m.bounds.Value(m.x, loss) }

// multipliers implements model. It computes the multipliers from the optimality equation.
func (m *grouped) multipliers() []float64 {
	z := m.multipliersOfResiduals()
	m.bounds.Penalty.Clip(z)
	return m.bounds.Penalty.Expand(z)
}

// isExact returns true, because the zeros of the model's solution are exact, and ties are not sought.
func (m *grouped) isExact() bool { return true }

func (m *grouped) structure() (structure quadratic.Partition, ok bool) {
	return quadratic.ReadPartition(nil, m.x, nil, m.p, true), true
}
