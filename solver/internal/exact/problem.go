package exact

import (
	"fmt"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/gap"
	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

// A Problem is what the package works with. Its slices are only read.
type Problem struct {
	Data    *sparse.CSR  // X, n × p
	Rows    kernels.Rows // Data as the kernels hold it
	Labels  []float64    // bᵢ
	Weights []float64    // ωᵢ ≥ 0, one of them positive; nil for equal ones
	Offset  []float64    // oᵢ; nil for none
	Loss    term.Loss
	A       *linalg.Algebra // a matrix, or the identity; nil for the identity
	Limit   []float64       // of each row of A, not negative
	Square  []float64       // coefficient of v²/2 of each row v of A x; nil for none
	Groups  [][]int         // disjoint sets of rows whose norm is penalised, by their rows' Limit, in the place of |v|; nil for none
	Ridge   []float64       // of each feature, not negative
	Fixed   []float64       // a ridge of each feature that lambda does not multiply; nil for none
	Set     term.Region     // X; nil for R^p
	Threads int             // 0 for GOMAXPROCS; results do not depend on it
	Team    *rows.Team      // others with other samples of the problem; nil for none
	File    *File           // has the samples, after its Survey, in the place of Data, Rows, Labels, Weights and Offset; nil for none
	// MaxWorking bounds the columns of a working set; 0 for all in one process, and for some thousands
	// on ranks and in a Wide.
	MaxWorking int
	// Joined is what of the ridges is the penalty's, see Penalise.
	Joined float64

	joint bool // the model is the coupled one, even if the problem is separable
}

const (
	wholeSet       = 64   // features up to which the working set has them all
	defaultWorking = 3072 // columns up to which a Hessian may be formed
)

// A Solver is a problem prepared, and the point it is at. It is not for concurrent use.
type Solver struct {
	*Problem
	p       int
	rows    samples
	summary columnSummary
	scale   float64 // what tolerances are parts of, see term.Labels.Unit

	x, e         []float64 // the point; X'Cα of the last dual point
	limit, ridge []float64 // of rows of A, and of features
	lambda       float64
	box          *term.Box // X, where it is a product of intervals; nil for R^p

	bounds *gap.Problem

	at   standing
	work workspace
	set  working
	// gram are the rows, where a Gram matrix takes their place; nil where none does.
	gram *gram
	// coupled is the model where steps are not coordinate by coordinate; nil where they are.
	coupled *coupled
}

// columnSummary are what is asked about columns.
type columnSummary struct {
	gap.Columns
	columns rowsOf  // X'; nil until a working set leaves columns out
	free    []int32 // features without limit and ridge
	apart   *gap.Separated
	allFree bool // lambda is 0, so that no L1 weight holds a feature
	cheap   bool // the Hessian of all columns takes little time: the working set has them all
}

// A standing is the mean loss Σ cᵢ φ at the point, and the objective P.
type standing struct{ loss, value float64 }

// A workspace is what steps learn from those before.
type workspace struct {
	flat    float64 // damping where the loss is flat, see term.Damping.Flat; 0 for none
	tail    float64 // damping where it is straight, see term.Damping.Tail; 0 for none
	sweeps  int     // of a model that is not formed
	fall    float64 // of the last model
	most    float64 // the largest fall since the last lambda
	part    float64 // of the first violation that a model near the optimum may leave
	visits  float64 // of the columns by the last model that was not formed
	near    bool    // the last step lowered the objective by little
	crawls  bool    // the last step lowered the objective by far less than the gap
	started bool    // at and e are of x
	placed  bool    // Start has said where to begin
	uphill  bool    // the last step was none, as the objective rises along it
	stale   bool    // the model's Hessian is one of an earlier point
	spare   float64 // the last proved gap over the one asked for: where it is small, the Hessian is used again
}

// New prepares a problem; an error that wraps ErrNotApplicable says why it is none for this package.
// The point is x = 0, or the nearest of X.
func New(p *Problem) (*Solver, error) {
	n, features := p.dims()
	q := *p
	if p = &q; q.A == nil {
		q.A = linalg.New(nil, features)
	}
	if err := p.Refusal(); err != nil {
		return nil, err
	}
	if l, _ := p.A.Dims(); len(p.Limit) != l || len(p.Ridge) != features || p.File == nil && len(p.Labels) != n {
		return nil, fmt.Errorf("exact: %d and %d weights, %d labels for %d x %d data and %d rows of A", len(p.Limit), len(p.Ridge), len(p.Labels), n, features, l)
	}
	s := &Solver{Problem: p, p: features}
	s.set.threads = rows.Threads(p.Threads)
	s.set.most = min(features, p.MaxWorking)
	switch {
	case !p.Team.Alone():
		s.set.most = min(features, defaultWorking) // what is not formed has a sum over rows for each coordinate
	case p.MaxWorking == 0:
		s.set.most = features
	}
	s.summary.cheap = !p.byCoordinate() || p.File != nil || features <= min(s.set.most, defaultWorking) && (features <= wholeSet || p.Assembly() <= cheapCost)
	s.prepareRows()
	for _, v := range []*[]float64{&s.x, &s.e, &s.ridge} {
		*v = make([]float64, features)
	}
	s.limit = make([]float64, len(p.Limit))
	if p.Set != nil {
		if box, ok := p.Set.Box(); ok {
			s.box = &box
		}
	}
	s.summary.Columns, s.scale = s.rows.columns(), s.rows.Scale()
	if !p.byCoordinate() {
		s.newCoupled()
	}
	s.Start(s.x)
	s.work.placed = false
	s.work.flat, s.work.spare, s.work.visits = s.firstDamping(), 1, leastVisits
	return s, nil
}

// prepareRows makes the rows ready.
func (s *Solver) prepareRows() {
	if s.File != nil {
		s.rows = s.File
		return
	}
	m := newMemory(s.Problem, &s.set)
	if s.rows = m; !s.gramServes(s.summary.cheap) {
		return
	}
	if !s.summary.cheap {
		m.dense = newDense(s.Data, s.set.threads)
		s.summary.columns = m.dense
	}
	s.gram = newGram(m)
	s.rows = s.gram
}

// Take makes the samples of p those of a file.
func (p *Problem) Take(f *File) { p.File, p.Loss, p.Threads, p.Team = f, f.Loss, f.Threads, f.Team }

// dims returns the number of samples of this process and of features.
func (p *Problem) dims() (n, features int) {
	if p.File != nil {
		return len(p.File.Labels), p.File.p
	}
	return p.Data.Dims()
}

// X returns the point, which the next call of Solve changes.
func (s *Solver) X() []float64 { return s.x }

// Scale returns what tolerances are parts of: P at x = 0, but see term.Labels.Unit.
func (s *Solver) Scale() float64 { return s.scale }

// Start moves the point to x, of length p.
func (s *Solver) Start(x []float64) {
	copy(s.x, x)
	if s.Set != nil {
		s.Set.Project(s.x)
	}
	s.work.started, s.work.placed = false, true
}
