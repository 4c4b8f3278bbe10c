package exact

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/quadratic"
	"github.com/scas-admm/scas/sparse/pages"
)

// separable is the model of a separable problem: A = I, and the domain is a product of intervals.
type separable struct {
	*Solver
	problem quadratic.Separable
	ridges  []float64 // the ridge of each column of the working set
	move    []float64 // memory for newtonStep.move
}

func (m *separable) begin(*Solver, float64) {}

// columnsChanged implements model. It makes vectors for the columns of the working set, and memory for the
// Hessian.
func (m *separable) columnsChanged() {
	w, q, count := &m.set, &m.problem, len(m.set.cols)
	q.X, q.Gradient = w.x, w.gradient
	q.Limit, q.Unit, m.ridges = make([]float64, count), make([]float64, count), make([]float64, count)
	q.MaxMove, q.Lower, q.Upper = nil, nil, nil
	if reach := m.Loss.Traits().MarginReach; reach > 0 {
		q.MaxMove = make([]float64, count)
		for k, j := range w.cols {
			q.MaxMove[k] = reach / m.columns.LargestEntry[j]
		}
	}
	if m.box != nil {
		q.Lower, q.Upper = make([]float64, count), make([]float64, count)
		for k, j := range w.cols {
			q.Lower[k], q.Upper[k] = m.box.Lower[j], m.box.Upper[j]
		}
	}
	if !w.formed {
		w.implicit.XT, w.implicit.Cols = m.transpose(), w.cols
		// An iteration of the conjugate gradient method visits each column twice. All iterations together may
		// cost as much as a formed Hessian.
		w.implicit.MaxIterations = int(min(m.formedVisits(w.cols, w.cost)/2, mostIterations))
		q.H = &w.implicit
		return
	}
	if m.gram == nil { // otherwise dense.H is set already
		w.dense.H = pages.Resize(w.dense.H, count*count)
	}
	w.dense.Order, w.dense.Threads = count, w.threads
	q.H = &w.dense
}

func (m *separable) setHessian(fresh bool) {
	w := &m.set
	switch {
	case !fresh:
	case w.formed:
		m.rows.hessian(w.dense.H, m.work.damping)
		w.dense.Mirror()
	default:
		m.rows.hessian(nil, m.work.damping)
	}
	for k, j := range w.cols {
		m.ridges[k] = m.ridge[j]
	}
	m.problem.H.Prepare(m.ridges)
}

func (m *separable) minimise(tol float64) newtonStep {
	w, q := &m.set, &m.problem
	q.Stop = m.stop
	for k, j := range w.cols {
		q.Limit[k] = m.limit[j]
	}
	q.FreeIndex = m.positionOfFree()
	if m.work.damping == 0 && q.LacksCurvature() {
		m.work.damping, w.reusable = jumpDamping, false
		m.updateHessian(false)
	}
	set := quadratic.SeparableSettings{Tolerance: m.work.tightening * m.setUnits(tol)}
	switch {
	case m.work.nearOptimum || m.hasConstantCurvature(): // if φ″ is constant, the model is the problem itself
		set.RelTolerance = m.work.relTolerance
	case q.IsLinear():
		set.RelTolerance = linearPart
	default:
		set.RelTolerance = innerPart
		// A fall so small means that this step may be the last one. A proof after it succeeds only if the
		// model is solved accurately.
		set.Accurate = func(fall float64) bool { return m.excessAfter(fall, math.Sqrt(fall)) <= tol }
	}
	if !w.formed {
		set.MaxSweeps, set.DescentOnly = mostSweeps, !m.work.nearOptimum
	}
	solved := q.Solve(&set)
	if solved || w.formed {
		m.work.unsolvedInRow = 0
	} else if m.work.nearOptimum {
		m.work.unsolvedInRow++
	}
	if !w.formed {
		visits := w.implicit.Visits()
		if !m.work.nearOptimum {
			m.work.farReads += float64(visits * w.cost.entries)
		}
		// If the curvature of the loss jumps, models are often not solved near the optimum, formed or not.
		if solved || !m.work.nearOptimum || !m.Loss.Traits().ContinuousCurvature {
			m.work.visits = max(leastVisits, visits)
		} else {
			m.work.visits += 2 * visits
		}
	}
	m.move = append(m.move[:0], q.U...)
	kernels.Axpy(-1, w.x, m.move)
	rise := w.firstOrder(q.U)
	for k, u := range q.U {
		rise += float64(q.Limit[k] * (math.Abs(u) - math.Abs(w.x[k])))
	}
	return newtonStep{u: q.U, move: m.move, fall: -q.Value(), rise: rise}
}

const (
	// quadratic.SeparableSettings.RelTolerance far from the optimum, unless φ″ is constant. linearPart, which
	// is √innerPart, is for problems without limits and bounds.
	innerPart, linearPart = 3e-2, 0.17320508075688773
	// mostSweeps is the largest number of sweeps over the coordinates of a model whose Hessian is not formed.
	mostSweeps = 4
	// The gap may grow by this fraction of the tolerance when a dual point is scaled to be feasible.
	scaledPart = 0.5
)

// setUnits sets the units of the violations of optimality conditions, and returns the largest violation
// allowed, in these units (see Separable.Unit). tol is the gap to reach.
func (m *separable) setUnits(tol float64) float64 {
	q := &m.problem
	leastRatio := math.Sqrt(m.scale)
	for k, l := range q.Limit {
		if norm := m.columns.Norm[m.set.cols[k]]; l > 0 && norm > 0 {
			leastRatio = math.Min(leastRatio, l/norm)
		}
	}
	tolerance := math.Min(1e-3, scaledPart*tol/max(m.current.value, m.current.value-m.current.loss, tol))
	diagonal := q.H.Diagonal()
	for k, l := range q.Limit {
		ridge := m.ridge[m.set.cols[k]]
		switch {
		case ridge > 0:
			q.Unit[k] = math.Sqrt(0.2*ridge*tol/float64(len(q.X))) / tolerance
			if l > 0 {
				q.Unit[k] = math.Min(q.Unit[k], l)
			}
		case l > 0:
			q.Unit[k] = l
		default:
			q.Unit[k] = 0.1 * math.Sqrt(math.Max(diagonal[k], 0)) * leastRatio
		}
	}
	return tolerance
}

// positionOfFree returns the position in the working set of a free feature without bounds, or −1 if there is
// none. It also returns −1 if the curvature φ″ of the loss jumps. Such a loss has linear parts, on which the
// minimum along a coefficient can be far away.
func (m *separable) positionOfFree() int {
	if !m.Loss.Traits().ContinuousCurvature {
		return -1
	}
	for _, j := range slices.Backward(m.free) {
		if above, below := m.unboundedSides(int(j)); above && below {
			if k := m.set.position[j]; k > 0 {
				return int(k) - 1
			}
		}
	}
	return -1
}

func (m *separable) value(loss float64) float64 {
	sum := loss
	if m.set.noRoom || m.set.cols == nil { // the set may lack non-zero coefficients
		for j := range m.x {
			sum += m.penaltyAndRidge(j)
		}
		return sum
	}
	for _, j := range m.set.cols {
		sum += m.penaltyAndRidge(int(j))
	}
	return sum
}

// penaltyAndRidge returns the penalty and the ridge term of coefficient j.
func (m *separable) penaltyAndRidge(j int) float64 {
	v := m.x[j]
	if v == 0 {
		return 0
	}
	return float64(m.limit[j]*math.Abs(v)) + float64(float64(0.5*m.ridge[j])*float64(v*v))
}

// multipliers implements model. It computes the multipliers from the optimality equation.
func (m *separable) multipliers() []float64 {
	z := make([]float64, m.p)
	for j, e := range m.e {
		z[j] = linalg.Clip(-math.FMA(m.ridge[j], m.x[j], e), m.limit[j])
	}
	return z
}

// isExact returns true, because coordinate descent makes zeros exact, and there are no ties.
func (m *separable) isExact() bool { return true }

func (m *separable) structure() (structure quadratic.Partition, ok bool) {
	return quadratic.ReadPartition(nil, m.x, m.limit, m.p, true), true
}
