package exact

import (
	"cmp"
	"fmt"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/gap"
	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

// A Problem is what a Solver minimises: the objective P of the package comment, over x in the domain. The
// slices are shared: neither a Solver nor a File changes them. Only the method Problem.Penalise changes
// Ridge.
type Problem struct {
	Data    *sparse.CSR  // the data matrix X, n × p
	Rows    kernels.Rows // Data in the form that the kernels use
	Labels  []float64    // bᵢ
	Weights []float64    // ωᵢ ≥ 0, not all 0; nil for equal weights
	Offset  []float64    // oᵢ; nil for no offsets
	Loss    term.Loss
	A       *linalg.Algebra // a matrix or the identity; New takes nil for the identity
	Limit   []float64       // limit_k ≥ 0 of each row of A, for lambda = 1
	// square_k ≥ 0 of each row of A, which adds (square_k/2) (A x)_k² to the objective; nil for zeros.
	Square []float64
	// Disjoint groups of rows of A; nil if there are no groups. The rows of a group must have equal Limit. If
	// there are groups, rows outside them must have Limit 0.
	Groups     [][]int
	Ridge      []float64   // ridgeⱼ ≥ 0 of each feature, for lambda = 1
	FixedRidge []float64   // a second ridge of each feature, which lambda does not multiply; nil means 0
	Set        term.Region // the domain; nil for R^p
	Threads    int         // number of goroutines, 0 for GOMAXPROCS; results do not depend on it
	Team       *rows.Team  // the processes that hold the samples; nil if this process holds all
	// File, if not nil, reads the samples from a file; Rows is not used. The File must have the same samples,
	// Loss, Threads and Team as this Problem, and its method Survey must have been called.
	File *File
	// MaxWorking is the largest number of columns of a working set. 0 means all columns for a Solver,
	// mostInGroupSet for a grouped model, and for a setSolver mostFeatures, or all columns if no matrix is
	// formed. A Solver with several processes ignores this number and uses defaultWorking.
	// For a coupled problem, there is also a largest number of features: MaxWorking if it is positive, and otherwise
	// DenseFeatures. Two kinds of coupled problems may have any number of features: those with a sparse factor of
	// A'A + X'X (quadratic.SparseRows), and, if MaxWorking is 0, those for which no matrix is formed and which a
	// setSolver cannot solve.
	MaxWorking int
	// HasOnes says that X has a last column of ones that Data does not store. New accepts such a problem only
	// with a File.
	HasOnes bool
	// PenaltyRidge is the number that Penalise has added to every element of Ridge.
	PenaltyRidge float64

	// ManyLambdas says that Solve will be called for many values of lambda. Some Gram matrices cost more time than they
	// save for a single lambda. With ManyLambdas, a Solver uses them, and the result of Memory includes them.
	ManyLambdas bool

	joint bool // use the coupled model with all columns, even if fewer columns are enough
	// formsHessians makes coupled models with up to mostFeatures columns form their Hessians. A setSolver sets it
	// after an implicit Hessian was given up.
	formsHessians bool
}

// A Solver holds a prepared problem and a point x. It is not safe for concurrent use.
type Solver struct {
	*Problem
	p           int
	rows        samples
	dataSummary // scale is the result of Scale

	x, e         []float64 // x: the current point; e: X'Cα for the last dual point α, with C = diag(cᵢ)
	z            []float64 // multipliers of the rows of A at the last dual point; zeros if the model is not coupled
	limit, ridge []float64 // lambda times Problem.Limit; lambda times Problem.Ridge, plus Problem.FixedRidge
	lambda       float64
	box          *term.Box // the domain if it is a product of intervals; nil for R^p and for other sets

	bounds     *gap.Problem // the problem for which package gap proves bounds
	free       []int32      // the free features
	zeroLambda bool         // free was computed for lambda = 0

	transposed kernels.Rows   // X'; zero as long as it is not needed
	counted    countedColumns // see rowCounts

	// stop reports whether to end the present step, see Settings.Stop. It is nil before the first run.
	stop      func() bool
	current   objective // at the point x: the loss and the value of P
	work      workspace
	past      pastSolutions
	set       workingSet
	groups    *columnGroups // nil unless the model is grouped
	model     model
	reuse     float64 // reusePart or, for a coupled problem, coupledReuse
	gram      *gram   // computes losses and gradients from a Gram matrix; nil if the rows are used instead
	continues bool    // the method continuation is running
	rough     bool    // the solution is only a start for another Solver: zeros and ties need not be exact
}

// An objective is the mean loss Σ cᵢ φ at a point, and the value of P there.
type objective struct{ loss, value float64 }

// A workspace holds what a Newton step uses from earlier Newton steps.
type workspace struct {
	started    bool    // Solver.current and Solver.e are set
	keepsStart bool    // Solve must start at x
	gapRatio   float64 // the gap at the end of the last Solve, divided by the tolerance; 1 before
	mostFall   float64 // in the present or last call of Solve, the largest decrease of a model's value
	// How often a model without a formed Hessian is expected to read each of its columns near the optimum: as often as
	// the last solved model did. Each later model that was not solved adds twice its own number of reads.
	visits float64

	// The next fields belong to the present call of Solve.

	nearOptimum bool // the point is near the optimum, see nearPart
	needsFormed bool // Solve makes no progress without a formed Hessian
	// The number of entries of X that models without a formed Hessian have read far from the optimum.
	farReads float64
	// The quadratic.SeparableSettings.RelTolerance with which a model is solved near the optimum.
	relTolerance float64
	// The quadratic.SeparableSettings.Tolerance of a model is multiplied by tightening. It is 1 until a step
	// does not move the point and the gap is still too large.
	tightening float64
	// The number of steps after the gap was small enough. They are made so that zeros and ties become exact.
	extraSteps int
	unsolved   int // the number of models that quadratic.Grouped has not solved as accurately as asked for
	// How many of the last models of a separable problem were not solved, without a solved model between them. Only
	// models near the optimum and without a formed Hessian count.
	unsolvedInRow int

	// The next fields belong to the last step.

	damping float64 // the damping of the next Hessian, see term.Loss.Curvatures
	stale   bool    // the model has the Hessian of an earlier point
	// Measures how far the point has moved since the Hessian was computed: the sum of √fall over the moves.
	// fall is the decrease of the model's value in a step, and of the objective in a call of extrapolate.
	distance  float64
	excess    float64 // the expected difference of the objective and its optimum after the last step
	uphill    bool    // the last step was rejected because the objective increases along it
	alphaSize float64 // the mean |αᵢ| of the dual point for which the gap was estimated last
	fenchel   float64 // the sum of the Fenchel terms of this dual point; 0 before the first estimate
}

// New returns a Solver of p, at the point 0 or at the point of the domain nearest to 0. If the package cannot
// solve p, the error says why, and wraps ErrNotApplicable. If a slice has the wrong length, the error does
// not wrap ErrNotApplicable.
func New(p *Problem) (*Solver, error) {
	q := *p
	if q.A == nil {
		_, features := q.dims()
		q.A = linalg.New(nil, features)
	}
	return newSolver(&q, q.linearSystems())
}

// newSolver is New for a problem whose A is not nil. systems is the result of p.linearSystems.
func newSolver(p *Problem, systems linearSystems) (*Solver, error) {
	n, features := p.dims()
	q := *p
	p = &q
	if l, _ := p.A.Dims(); len(p.Limit) != l || len(p.Ridge) != features || len(p.Labels) != n ||
		p.FixedRidge != nil && len(p.FixedRidge) != features {
		return nil, fmt.Errorf("exact: %d limits, %d ridges, %d fixed ridges and %d labels for %d x %d data and %d rows of A",
			len(p.Limit), len(p.Ridge), len(p.FixedRidge), len(p.Labels), n, features, l)
	}
	if err := p.refusal(systems); err != nil {
		return nil, err
	}
	s := &Solver{Problem: p, p: features}
	s.set.threads = rows.Threads(p.Threads)
	mostColumns, needsAll := cmp.Or(p.MaxWorking, features), !p.isSeparable()
	if p.hasFeatureGroups() {
		mostColumns, needsAll = p.mostInGroupSet(), false
	}
	if !p.Team.Alone() { // several processes need a formed Hessian, so the working set must be small
		mostColumns = defaultWorking
	}
	s.set.maxColumns, s.set.position = min(features, mostColumns), make([]int32, features)
	s.set.needsAll = needsAll || p.File != nil || features <= s.set.maxColumns && p.hasCheapHessian()
	s.prepareRows()
	for _, v := range []*[]float64{&s.x, &s.e, &s.ridge} {
		*v = make([]float64, features)
	}
	s.limit = make([]float64, len(p.Limit))
	if box, ok := p.Set.(term.Box); ok {
		s.box = &box
	}
	s.dataSummary = s.rows.summary()
	s.model, s.reuse = &separable{Solver: s}, reusePart
	switch {
	case p.hasFeatureGroups():
		s.model, s.groups = &grouped{Solver: s}, &columnGroups{}
	case !p.isSeparable():
		s.model, s.reuse = newCoupled(s, systems), coupledReuse
	}
	s.Start(s.x)
	s.forget()
	if s.scale == 0 && !s.allowsZero() {
		if loss := s.rows.meanLoss(s.x); s.rows.Err() == nil {
			s.scale = loss
		}
	}
	return s, nil
}

func (s *Solver) prepareRows() {
	if s.File != nil {
		s.rows = s.File
		return
	}
	m := newMemorySamples(s.Problem, &s.set)
	m.transposedData = s.transpose
	s.rows = m
	if !s.gramServes(s.set.needsAll) {
		if s.storesZeros() && s.Rows.Ptr[s.Rows.Len()] == s.Data.NNZ() { // otherwise Rows has the zeros already
			s.Rows = withZeros(s.Data, s.Rows.Val == nil)
		}
		return
	}
	if !s.set.needsAll {
		m.dense = newDense(s.Data, s.set.threads)
	}
	s.gram = newGram(m)
	s.rows = s.gram
}

// setData sets Data to x, and Rows to its compact form.
func (p *Problem) setData(x *sparse.CSR) { p.Data, p.Rows = x, x.Compact(false) }

// dims returns the number of samples that this process holds, and the number of features.
func (p *Problem) dims() (n, features int) {
	n, features = p.Data.Dims()
	if p.HasOnes {
		features++
	}
	return n, features
}

// entries returns the number of entries of X that this process holds.
func (p *Problem) entries() int64 {
	if p.HasOnes {
		n, _ := p.Data.Dims()
		return p.Data.NNZ() + int64(n)
	}
	return p.Data.NNZ()
}

// X returns the point itself, not a copy.
func (s *Solver) X() []float64 { return s.x }

// Scale returns the number to which tolerances are relative, see term.LabelKind.ToleranceUnit. If this is 0,
// Scale is the mean loss at the point of the domain nearest to 0.
func (s *Solver) Scale() float64 { return s.scale }

// Start moves the point to x, of length p, or to the point of the domain nearest to x.
func (s *Solver) Start(x []float64) {
	copy(s.x, x)
	if s.Set != nil {
		s.Set.Project(s.x)
	}
	s.work.started, s.work.keepsStart = false, true
}
