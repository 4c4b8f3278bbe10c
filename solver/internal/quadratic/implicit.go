package quadratic

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/gap"
	"github.com/scas-admm/scas/solver/internal/linalg"
)

// An Implicit is the Hessian H of a Coupled, as a Columns and not as a matrix. It solves the linear systems of the
// Newton steps, K d = r, by the conjugate gradient method. The matrix is
//
//	K = H + A'(diag(w) − C)A + diag(b) + c vv'.
//
// Its parts after H are curvatures: diag(w) − C of the penalty, where C is the part of groups that is not diagonal
// (see rowCurvature); diag(b) of the bounds; and c vv' of a ball. On a simplex, the elements of d must have the sum 0.
// Then v is a vector of ones and c is infinite, which means that v'd = 0.
//
// A must be sparse, so that a matrix P = A'diag(w)A + diag(e) has a sparse Cholesky factor. The preconditioner is
// P + c vv' if the kind is ManyRows; then e is b plus the diagonal of the Columns. For the other kinds, the
// preconditioner is P + X'WX + c vv', and e is b plus the ridges plus a tiny part of the diagonal. Near the solution,
// w, b and c have numbers of very different size; the preconditioner contains them. If a few rows of A have many
// entries, P leaves these rows out (see WithoutLongRows), and fewRows adds them to the preconditioner.
type Implicit struct {
	// Square has numbers for the kept rows of A: H is the Columns plus A'diag(Square)A. Nil means zeros.
	Square []float64
	// FormedIterations is the number of iterations that take as long as one system with a formed Hessian. If the
	// systems need more on average, Exhausted returns true. 0 means that the Hessian cannot be formed.
	FormedIterations float64

	kind    SystemKind
	columns *Columns
	penalty *gap.Penalty
	chol    *linalg.SparseCholesky // of P; for SparseRows, of P + X'WX
	long    []int32                // the kept rows of A that are empty in the matrix of chol
	few     *fewRows               // nil unless the kind is FewRows or there are long rows

	w        []float64 // one number for each kept row of A, Square included
	weights  []float64 // w for all rows of A, 0 for those that are not kept; for SparseRows, those of X follow
	b        []float64
	rankOne  rankOne                // c vv'
	subtract func(dst, v []float64) // subtracts C v from dst; nil if C is 0
	gram     []float64              // the diagonal of A'diag(w)A
	diagonal []float64              // e
	image    []float64              // A times a vector d
	weighted []float64              // (diag(w) − C)A d
	cg       linalg.ConjugateGradients

	systems, iterations float64 // how many systems were solved, and the iterations for all of them
	capped              bool    // a system was not solved after mostImplicitIterations
}

// A SystemKind says how the linear systems of a Coupled are solved.
type SystemKind int

const (
	Formed SystemKind = iota // by a Cholesky factor of a matrix; there is no Implicit

	// The other kinds use conjugate gradients. They differ in the preconditioner.

	ManyRows   // a sparse factor, for X'WX replaced by its diagonal
	FewRows    // the same factor without the diagonal, and a dense matrix with a row for each row of X
	SparseRows // a sparse factor that includes X'WX
)

const (
	// e is b plus the ridges plus share times the rest of the diagonal of H, plus shift times the diagonal of
	// A'diag(w)A. The first share is 1 for ManyRows; otherwise it is tinyShare. If P cannot be factored, the share
	// and the shift are multiplied by shareFactor, until the share is above mostShare.
	tinyShare, mostShare, shareFactor = 1e-10, 1e4, 100

	// Implicit.solve has a residual r and a preconditioner M. It ends when the energy r'M⁻¹r is at most this part
	// of its first value.

	stepEnergy  = 1e-3  // in most Newton steps
	proofEnergy = 1e-16 // in Newton steps whose multipliers may be part of a proof

	// The reduced problem is solved until the energy is at most reducedEnergy times the slack (see
	// Coupled.solveReduced), or leastEnergy times its first value.
	reducedEnergy, leastEnergy = 1e-6, 1e-24

	mostImplicitIterations = 1000 // the largest number of iterations for one system
	stopEvery              = 16   // Implicit.solve calls its argument stop once in this number of iterations
	// Exhausted compares the average number of iterations with FormedIterations. It counts this number of systems more
	// than were solved, so that the first systems alone do not decide.
	firstSystems = 5
)

// NewImplicit returns an Implicit. The caller must call Columns.Prepare before the first use, and after each change
// of the columns, the weights or the ridges. The kind must not be Formed. chol must be a factor for the matrix that
// WithoutLongRows makes of A or, if the kind is SparseRows, for this matrix with the rows of X below it.
func NewImplicit(
	kind SystemKind, columns *Columns, penalty *gap.Penalty, chol *linalg.SparseCholesky,
) *Implicit {
	order, rowCount := len(penalty.Singleton), penalty.TotalRows
	if kind == SparseRows {
		rowCount += columns.XT.Cols
	}
	m := &Implicit{
		kind: kind, columns: columns, penalty: penalty, chol: chol, weights: make([]float64, rowCount),
		gram: make([]float64, order), diagonal: make([]float64, order), image: make([]float64, penalty.Len()),
		weighted: make([]float64, penalty.Len()),
	}
	if chol.A() != nil {
		for k, row := range penalty.KeptRows {
			if idx, _ := chol.A().Row(int(row)); len(idx) == 0 {
				m.long = append(m.long, int32(k))
			}
		}
	}
	if kind == FewRows || len(m.long) > 0 {
		m.few = &fewRows{order: order}
	}
	return m
}

// ForgetIterations makes Exhausted count anew.
func (m *Implicit) ForgetIterations() { m.systems, m.iterations, m.capped = 0, 0, false }

// Exhausted reports whether the Hessian should be formed, because the systems need too many iterations on average, or
// because mostImplicitIterations were not enough for one of them.
func (m *Implicit) Exhausted() bool {
	return m.FormedIterations > 0 &&
		(m.capped || m.iterations > (m.systems+firstSystems)*m.FormedIterations)
}

// factor prepares solve. w does not include Square. subtract subtracts C v from dst; it is nil if C is 0. The caller
// must not change b and v before its last call of solve.
func (m *Implicit) factor(w, b []float64, subtract func(dst, v []float64), c float64, v []float64) bool {
	m.w, m.b, m.subtract = append(m.w[:0], w...), b, subtract
	for k, s := range m.Square {
		m.w[k] += s
	}
	clear(m.gram)
	for k, weight := range m.w {
		m.weights[m.penalty.KeptRows[k]] = weight
		m.penalty.EachEntry(int32(k), func(j int32, v float64) { m.gram[j] += float64(weight * float64(v*v)) })
	}
	share, shift := 1.0, firstShift
	if m.kind != ManyRows {
		share = tinyShare
	}
	if m.kind == SparseRows {
		copy(m.weights[m.penalty.TotalRows:], m.columns.Weights)
	}
	m.setFewRows()
	for ; share <= mostShare; share, shift = share*shareFactor, shift*shareFactor {
		for j, h := range m.columns.Diagonal() {
			ridge := m.columns.ridge[j]
			m.diagonal[j] = b[j] + ridge + float64(share*(h-ridge)) + float64(shift*m.gram[j])
			if m.diagonal[j] == 0 { // the coordinate has no data and no penalty
				m.diagonal[j] = 1
			}
		}
		if m.chol.Factor(m.diagonal, m.weights) && m.few.factor(m.chol) {
			m.rankOne.prepare(c, v, m.solveWithout)
			return true
		}
	}
	return false
}

// times sets dst to the product of K and d. Because K may be singular, times adds a tiny part of the diagonal of the
// Columns to it. A part of the diagonal of A'diag(w)A would be too large near the solution: where w is large, it would
// exceed the curvatures of H.
func (m *Implicit) times(dst, d []float64) {
	m.multiply(dst, d, m.w, m.subtract)
	for j, h := range m.columns.Diagonal() {
		dst[j] = math.FMA(m.b[j]+float64(firstShift*h), d[j], dst[j])
	}
	m.rankOne.addProduct(dst, d)
}

// multiply sets dst = (L + A'(diag(w) − C)A) d, where L is the Columns. subtract subtracts C v from dst; it is nil if C
// is 0. With w = Square and C = 0, the matrix is H.
func (m *Implicit) multiply(dst, d, w []float64, subtract func(dst, v []float64)) {
	m.columns.multiply(dst, d)
	if w == nil {
		return
	}
	m.penalty.Mul(m.image, d)
	for k, weight := range w {
		m.weighted[k] = weight * m.image[k]
	}
	if subtract != nil {
		subtract(m.weighted, m.image)
	}
	m.penalty.AddTrans(dst, m.weighted)
}

// precondition sets dst = M⁻¹ r with the preconditioner M. dst and r must not overlap.
func (m *Implicit) precondition(dst, r []float64) {
	m.solveWithout(dst, r)
	m.rankOne.complete(dst)
}

// solveWithout sets dst = M⁻¹ r with the preconditioner M, but without the matrix c vv'.
func (m *Implicit) solveWithout(dst, r []float64) {
	m.few.precondition(dst, r, m.chol)
}

// A rankOne is the matrix c vv' in a sum M + c vv'. If c is 0, solution and product are not set.
type rankOne struct {
	c        float64   // may be +Inf, see Implicit
	v        []float64 // the caller must not change it as long as the rankOne is used
	solution []float64 // M⁻¹v
	product  float64   // v'M⁻¹v
}

// prepare sets the matrix. solve must set dst to M⁻¹ r.
func (o *rankOne) prepare(c float64, v []float64, solve func(dst, r []float64)) {
	o.c, o.v = c, v
	if c == 0 {
		return
	}
	o.solution = append(o.solution[:0], v...)
	solve(o.solution, v)
	o.product = kernels.Dot(v, o.solution)
}

// complete changes x from M⁻¹ r to d = (M + c vv')⁻¹ r (Sherman and Morrison 1950).
func (o *rankOne) complete(x []float64) {
	if o.c != 0 {
		kernels.Axpy(-o.multiplier(x), o.solution, x)
	}
}

// multiplier returns the number ν = c v'd for x = M⁻¹ r, so that M d + ν v = r. If c is infinite, ν is the Lagrange
// multiplier of the equation v'd = 0.
func (o *rankOne) multiplier(x []float64) float64 { return kernels.Dot(o.v, x) / (1/o.c + o.product) }

// addProduct adds c vv'd to dst. If c is infinite, it does nothing: then v'd = 0.
func (o *rankOne) addProduct(dst, d []float64) {
	if o.c != 0 && !math.IsInf(o.c, 1) {
		kernels.Axpy(float64(o.c*kernels.Dot(o.v, d)), o.v, dst)
	}
}

// solve sets step to an approximate solution of K step = b. It ends in one of these cases: the energy of the residual
// is at most the given part of its first value; the absolute value of each entry of the residual is at most the same
// entry of largest; stop returns true. largest and stop may be nil. solve may change b.
func (m *Implicit) solve(step, b []float64, part float64, largest []float64, stop func() bool) {
	if o := &m.rankOne; math.IsInf(o.c, 1) { // the solution stays the same, and b has smaller rounding errors
		m.solveWithout(step, b)
		kernels.Axpy(-o.multiplier(step), o.v, b)
	}
	iterations := m.solveByCG(m.times, m.precondition, step, b, stop, func(energy, first float64) bool {
		return !(energy > part*first) || largest != nil && isWithin(m.cg.Residual, largest)
	})
	m.systems++
	m.iterations += float64(iterations)
	m.capped = m.capped || iterations == mostImplicitIterations
}

// reducedSolver is Coupled.reducedSolver for an implicit Hessian. E maps the values of the groups of the partition
// to coordinates. The matrix is E'(H + A'diag(w)A)E, where w has the weights h of the constrained rows, and 0 for
// the other rows. The preconditioner has the diagonal of the Columns in place of the Columns, unless the kind is
// SparseRows.
func (m *Implicit) reducedSolver(
	partition *Partition, kind []rowKind, h []float64, slack float64, stop func() bool,
) (solve func(step, g []float64)) {
	w, count := make([]float64, len(h)), partition.GroupCount
	copy(w, m.Square)
	var rows []int
	var weights []float64
	add := func(row int, weight float64) {
		if weight > 0 {
			rows, weights = append(rows, row), append(weights, weight)
		}
	}
	var few *fewRows
	for k, is := range kind {
		if is == constrained {
			w[k] += h[k]
		}
		add(int(m.penalty.KeptRows[k]), w[k])
		if w[k] > 0 && slices.Contains(m.long, int32(k)) {
			if few == nil {
				few = &fewRows{order: count}
			}
			row := make([]float64, count)
			partition.Collect(row, m.denseRow(int32(k)))
			few.rows, few.weights = append(few.rows, row...), append(few.weights, w[k])
		}
	}
	// The diagonals of E'LE and E'RE, where L is the Columns, and R has the ridges on its diagonal.
	full, ridges := make([]float64, count), make([]float64, count)
	for j, v := range m.columns.Diagonal() {
		if group := partition.Group[j]; group >= 0 {
			square := float64(partition.Factor[j] * partition.Factor[j])
			full[group] += float64(square * v)
			ridges[group] += float64(square * m.columns.ridge[j])
		}
	}
	share, shift := 1.0, firstShift
	if m.kind == SparseRows {
		share, shift = reducedShift, reducedShift
		for i, weight := range m.columns.Weights {
			add(m.penalty.TotalRows+i, weight)
		}
	}
	chol := linalg.NewSparseCholesky(partition.reduceRows(m.chol.A(), rows), count, math.Inf(1))
	if chol == nil {
		return nil
	}
	diagonal := make([]float64, count)
	for ; ; share, shift = share*shareFactor, shift*shareFactor {
		if share > mostShare {
			return nil
		}
		for k, v := range full {
			diagonal[k] = ridges[k] + float64(share*(v-ridges[k]))
			if diagonal[k] == 0 {
				diagonal[k] = 1
			}
		}
		if chol.Factor(diagonal, weights) && few.factor(chol) {
			break
		}
	}
	d, product := make([]float64, len(m.gram)), make([]float64, len(m.gram))
	times := func(dst, v []float64) {
		partition.Expand(d, v)
		m.multiply(product, d, w, nil)
		partition.Collect(dst, product)
		for k, u := range v { // the matrix may be singular, see times
			dst[k] = math.FMA(shift*full[k], u, dst[k])
		}
	}
	precondition := func(dst, r []float64) { few.precondition(dst, r, chol) }
	isAccurate := func(energy, first float64) bool {
		return !(energy > math.Max(reducedEnergy*slack, leastEnergy*first))
	}
	return func(step, g []float64) { m.solveByCG(times, precondition, step, g, stop, isAccurate) }
}

// addDiagonal adds the diagonal of H to dst.
func (m *Implicit) addDiagonal(dst []float64) {
	kernels.Axpy(1, m.columns.Diagonal(), dst)
	for k, s := range m.Square {
		m.penalty.EachEntry(int32(k), func(j int32, v float64) { dst[j] += float64(s * float64(v*v)) })
	}
}

// solveByCG sets step to an approximate solution of K step = b, by conjugate gradients. times multiplies by K, and
// precondition by the inverse of the preconditioner. Before each iteration, solveByCG calls isAccurate with the energy
// of the residual now and at first. It ends when isAccurate or stop returns true, or after mostImplicitIterations. It
// returns the number of iterations.
func (m *Implicit) solveByCG(
	times, precondition func(dst, v []float64), step, b []float64, stop func() bool,
	isAccurate func(energy, first float64) bool,
) (iterations int) {
	m.cg.Resize(len(b))
	m.cg.Multiply, m.cg.Precondition = times, precondition
	copy(m.cg.Residual, b)
	clear(step)
	first := 0.0
	return m.cg.Solve(step, mostImplicitIterations, func(round int, energy float64) bool {
		if round == 0 {
			first = energy
		}
		return isAccurate(energy, first) || stop != nil && round%stopEvery == stopEvery-1 && stop()
	})
}

// isWithin reports whether |v_j| ≤ largest_j for all j.
func isWithin(v, largest []float64) bool {
	for j, u := range v {
		if !(math.Abs(u) <= largest[j]) {
			return false
		}
	}
	return true
}
