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

// A Problem is what a Solver minimises, as the package comment defines it. A Solver only reads its slices;
// Penalise writes to Ridge.
type Problem struct {
	Data    *sparse.CSR  // X, n × p
	Rows    kernels.Rows // Data as the kernels hold it
	Labels  []float64    // bᵢ
	Weights []float64    // ωᵢ ≥ 0, one of them positive; nil for equal ones
	Offset  []float64    // oᵢ; nil for none
	Loss    term.Loss
	A       *linalg.Algebra // a matrix, or the identity; nil for the identity
	Limit   []float64       // limit_k ≥ 0 of each row of A
	Square  []float64       // square_k ≥ 0 of each row of A; nil for 0
	Groups  [][]int         // disjoint sets of rows of A: the norm of each is penalised with the Limit of its rows; nil for none
	Ridge   []float64       // ridgeⱼ ≥ 0 of each feature
	Fixed   []float64       // a further ridge of each feature, which lambda does not multiply; nil for 0
	Set     term.Region     // X; nil for R^p
	Threads int             // goroutines, 0 for GOMAXPROCS; results do not depend on it
	Team    *rows.Team      // processes that hold other samples; nil if this process holds all
	// File has the samples, instead of Data, Rows, Labels, Weights and Offset, once it was surveyed; nil
	// for samples in memory.
	File *File
	// MaxWorking is the number of columns that a working set may have. 0 stands for all columns if one
	// process holds the samples, for defaultWorking with several processes, and for MostFeatures
	// in a setSolver.
	MaxWorking int
	// Joined is the part of every Ridge that Penalise has added.
	Joined float64

	joint bool // use the coupled model even if the problem is separable
}

const (
	wholeSet       = 64   // with up to this number of features, the working set has all
	defaultWorking = 3072 // a Hessian is formed of at most this number of columns
)

// A Solver is a problem, prepared, and a point x. It is not for concurrent use.
type Solver struct {
	*Problem
	p       int
	rows    samples
	summary columnSummary
	scale   float64 // the unit of tolerances, see term.Labels.Unit

	x, e         []float64 // the point; X'Cα of the last dual point α
	limit, ridge []float64 // limit_k of rows of A, and ridgeⱼ of features, for lambda
	lambda       float64
	box          *term.Box // X if it is a product of intervals; nil for R^p and for other sets

	bounds *gap.Problem // proves gaps

	at      standing
	work    workspace
	set     working
	gram    *gram    // rows, if a Gram matrix replaces them; else nil
	coupled *coupled // the model of a coupled problem; nil for a separable one
}

// columnSummary is what is known of the columns.
type columnSummary struct {
	gap.Columns
	columns rowsOf         // X'; nil until a working set leaves columns out
	free    []int32        // the free features
	apart   *gap.Separated // samples that free features separate; nil for none
	allFree bool           // free was found for lambda = 0, where no limit holds a feature
	cheap   bool           // the Hessian of all columns costs little: the working set has them all
}

// A standing is the mean loss Σ cᵢ φ at the point, and the objective P.
type standing struct{ loss, value float64 }

// A workspace is what a step learns from the steps before.
type workspace struct {
	flat    float64 // damping where the loss is flat, see term.Damping.Flat; 0 for none
	tail    float64 // damping where the loss is straight, see term.Damping.Tail; 0 for none
	sweeps  int     // coordinate sweeps that a model without a formed Hessian may take
	fall    float64 // by how much the last model fell
	most    float64 // the largest fall since lambda changed
	part    float64 // part of its first violation that a model near the optimum may leave
	visits  float64 // how often the last model without a formed Hessian visited its columns
	warm    bool    // the last lambda was near: this is one of a path
	near    bool    // the last step lowered the objective by little
	crawls  bool    // the last step lowered the objective by far less than the gap
	started bool    // at and e are those of x
	placed  bool    // Start was called: do not begin with a part of the samples
	uphill  bool    // the last step was dropped because the objective rises along it
	stale   bool    // the model's Hessian is that of an earlier point
	spare   float64 // the last proved gap over the gap asked for: if it is small, the Hessian is used again
}

// New prepares a problem. The point is 0, or the point of X nearest to 0. Its error wraps ErrNotApplicable
// if the package cannot solve p, and says why.
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
		s.set.most = min(features, defaultWorking) // without a formed Hessian each coordinate takes a message
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

// prepareRows chooses the implementation of samples.
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

// Take makes f the samples of p.
func (p *Problem) Take(f *File) { p.File, p.Loss, p.Threads, p.Team = f, f.Loss, f.Threads, f.Team }

// dims returns the number of samples that this process holds, and the number of features.
func (p *Problem) dims() (n, features int) {
	if p.File != nil {
		return len(p.File.Labels), p.File.p
	}
	return p.Data.Dims()
}

// X returns the point. The next call of Solve changes it in place.
func (s *Solver) X() []float64 { return s.x }

// Scale returns the unit of tolerances: P(0), or what term.Labels.Unit says.
func (s *Solver) Scale() float64 { return s.scale }

// Start moves the point to x, of length p, or to the point of X nearest to x.
func (s *Solver) Start(x []float64) {
	copy(s.x, x)
	if s.Set != nil {
		s.Set.Project(s.x)
	}
	s.work.started, s.work.placed = false, true
}
