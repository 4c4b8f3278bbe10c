package solver

import (
	"cmp"
	"context"
	"math"
	"time"

	"github.com/scas-admm/scas/solver/internal/admm"
	"github.com/scas-admm/scas/solver/internal/ending"
	"github.com/scas-admm/scas/solver/internal/exact"
	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/quadratic"
	"github.com/scas-admm/scas/solver/internal/term"
)

// An Iterate holds x, of length p; y, with an entry for each column of B, or for each row of A if B is not
// given; and Dual, the multiplier beta of A x + B y = c, with an entry for each row of A.
type Iterate struct {
	X, Y, Dual []float64
}

// set copies X, Y and Dual of source into the slices of iterate, which must have the same lengths. It leaves
// out nil slices.
func (iterate Iterate) set(source Iterate) { admm.Point(iterate).Set(admm.Point(source)) }

// A Run is the state of one call of Minimize, which a Method reads and changes.
type Run struct {
	// Iterate is the point that the method moves; at the beginning it is the start. If the run
	// restores an earlier iterate, the slices are overwritten; they are never replaced.
	Iterate
	// Mean holds XAverage and YAverage of the Result: the mean of the outer iterates for which
	// Average was called, or the values that the method writes here.
	Mean Iterate
	// Problem and Settings are only read. Zero fields of Settings have been replaced by their
	// defaults, except fields whose default depends on the data.
	Problem  *Problem
	Settings Settings
	// Samples gives access to the data.
	Samples *Samples
	// A computes products with A and A'. It must not be used concurrently.
	A Operator
	// Snapshot is set by WatchedSnapshot. A method that does not call WatchedSnapshot may use it
	// for other purposes.
	Snapshot Snapshot
	// Stats become Result.Stats. The method must set InnerSteps if it has inner loops, BatchSize if it is
	// not 1, and Eta if the method does not call StepSize.
	Stats Stats

	ctx           context.Context
	product       *linalg.Product // the constraint matrix A, with the methods of package linalg
	stopCause     float64         // why the run must stop, see ending.CauseOf; 0 if it may go on
	dual          *admm.DualStep  // nil before the first call of prepare
	residual      []float64       // result of the last call of violation
	averagedCount int             // number of iterates whose mean is Run.Mean
	// automaticStep returns the automatic step size at the iterate; nil if the method has none.
	automaticStep func() float64
	// loose is true if objective returned loose at a snapshot or at the end of the run. Then the objective of
	// the iterate in keeper may not be the objective at its x.
	loose bool
	// lastObjective is the objective at the last snapshot or the last Newton step; +Inf if none is known.
	lastObjective float64
	scales        admm.Scales // sizes of the data, labels and penalty, for the automatic ρ
	keeper        admm.Keeper // holds the iterate to which the run returns if it diverges
	clock         clock

	// The distance from the optimum, and Newton steps.
	prover      *exact.Prover
	unit        float64              // the number to which tolerances are relative
	goal        float64              // the run ends when the gap is at most goal; 0 or less means no goal
	budget      float64              // Settings.Passes, or +Inf if the caller left it 0; limits Newton steps
	gap         float64              // proved gap of x; +Inf if nothing is proved
	newton      bool                 // Newton steps found x
	structure   *quadratic.Partition // zeros and ties of x that Newton steps made exact; nil if they did not
	whyEnded    ending.Why           // why Newton steps ended; 0 before
	snapshotAtX Snapshot             // snapshot at x, computed by lagrangianGradient; empty before
}

// emptyRun returns a Run with the fields that do not depend on where the data are, in memory or in a file. The iterate
// is 0. a is the matrix A of the constraint.
func emptyRun(ctx context.Context, p *Problem, set Settings, a *linalg.Algebra, began time.Time) *Run {
	l, features := a.Dims()
	q := p.Coupling.columnCount(l)
	product := a.Product()
	return &Run{
		Iterate: Iterate{make([]float64, features), make([]float64, q), make([]float64, l)},
		Problem: p, Settings: set, A: product, product: product,
		Stats: Stats{Method: nameOf(set.Method), DualUpdates: 1, BatchSize: 1},
		ctx:   ctx, clock: clock{resumed: began},
		gap: math.Inf(1), lastObjective: math.Inf(1),
	}
}

// newRun returns a run with data in memory, for a valid problem and valid settings.
func newRun(ctx context.Context, p *Problem, set Settings, began time.Time) *Run {
	algebra := p.algebra()
	r := emptyRun(ctx, p, set, algebra, began)
	features := len(r.X)
	r.Samples = newSamples(p, &set, r.Err() != nil && r.stopCause == ending.Canceled)
	r.Stats.Storage = r.Samples.rows.Form()
	r.Mean = Iterate{X: make([]float64, features), Y: make([]float64, len(r.Y))}
	_, isAuto := set.Method.(Auto)
	r.prover = exact.NewProver(p.exactProblem(algebra, r.Samples.exact, set.Threads), isAuto)
	r.unit = p.unit()
	solved := false
	if r.unit == 0 {
		nearZero := make([]float64, features)
		p.project(nearZero)
		at := p.Evaluate(nearZero)
		r.unit, solved = at.Loss, at.Objective == 0
	}
	r.goal = set.RelTol * r.unit
	if set.RelTol > 0 && solved {
		r.goal = math.SmallestNonzeroFloat64 // 0 would mean no goal
	}
	r.moveToStart()
	return r
}

// prepare computes the constants, scales and buffers of the run. Newton steps do not need them.
func (r *Run) prepare() {
	p := r.Problem
	n, features := p.Data.Dims()
	l, q := len(r.Dual), len(r.Y)
	r.Snapshot = newSnapshot(n, features)
	r.residual = make([]float64, l)
	r.dual = p.dualStep(l, q)
	maxNorm2, rmsNorm := p.team().Norms(p.Data.RowNormsSq())
	r.Stats.Constants = p.constants(r.product.Algebra, maxNorm2)
	r.scales = r.newScales(rmsNorm, p.Labels)
	r.SetRho(cmp.Or(r.Settings.Rho, r.NaturalRho()))
}

func (r *Run) moveToStart() {
	r.Iterate.set(r.start())
	r.startMean()
}

// start returns a copy of the iterate at which the run starts.
func (r *Run) start() Iterate {
	s := Iterate{make([]float64, len(r.X)), make([]float64, len(r.Y)), make([]float64, len(r.Dual))}
	s.set(Iterate{X: r.Settings.Start.X})
	r.Problem.project(s.X)
	if y, ok := r.Problem.coupling().Y(r.product.Image(s.X)); ok {
		copy(s.Y, y)
	}
	s.set(Iterate{Y: r.Settings.Start.Y, Dual: r.Settings.Start.Dual})
	return s
}

// startMean begins a new mean. Before the first call of Average, the mean is the iterate.
func (r *Run) startMean() {
	copy(r.Mean.X, r.X)
	copy(r.Mean.Y, r.Y)
	r.averagedCount = 0
}

// Average adds the x and y of the iterate to Mean.
func (r *Run) Average() {
	r.averagedCount++
	updateMean(r.Mean.X, r.X, r.averagedCount)
	updateMean(r.Mean.Y, r.Y, r.averagedCount)
}

// updateMean turns mean from the mean of k−1 vectors into the mean of these vectors and v.
func updateMean(mean, v []float64, k int) {
	if k == 1 {
		copy(mean, v)
		return
	}
	linalg.MoveTowards(mean, v, 1/float64(k))
}

func infIfNaN(v float64) float64 {
	if math.IsNaN(v) {
		return math.Inf(1)
	}
	return v
}

// SetRho sets ρ of the run to the number from 1e-100 to 1e100 that is nearest to rho, or to 1e100 if rho is
// NaN.
func (r *Run) SetRho(rho float64) {
	c := &r.Stats.Constants
	rho = admm.UsableRho(rho)
	r.Stats.Rho = rho
	c.NuL = r.Problem.nuL(c, rho)
	r.dual.SetRho(rho)
}

// StepSize sets Stats.Eta to Settings.Eta or, if this is zero, to the given automatic step size. It
// returns Stats.Eta. If the run diverges, the error proposes a step size that is at most the automatic
// one.
func (r *Run) StepSize(automatic float64) float64 {
	r.automaticStep = func() float64 { return automatic }
	r.Stats.Eta = cmp.Or(r.Settings.Eta, automatic)
	return r.Stats.Eta
}

// NaturalRho returns lambda times the root mean square of |aᵢ|, where lambda is Scale of the penalty. For
// regression it divides this product by the root mean square of the labels. If the product is 0, it returns
// another number instead.
func (r *Run) NaturalRho() float64 { return r.scales.NaturalRho(1) }

// newScales returns the scales of the problem. rowNorm is the root mean square of |aᵢ|. labels are the labels
// of the samples, or of some of them.
func (r *Run) newScales(rowNorm float64, labels []float64) admm.Scales {
	p := r.Problem
	s := admm.Scales{
		Samples: p.team().MeanCount(len(p.Labels)), Features: len(r.X), RowNorm: rowNorm, Unit: 1,
		Curvature: p.loss().Curvature(), Mu: p.L2, Lambda1: r.product.LargestEigenvalue(),
		LambdaP: r.product.SmallestEigenvalue(),
		Lambda:  p.penalty().Scale(), Limited: term.Limits(p.penalty(), len(r.Y)) != nil,
	}
	if p.isRegression() {
		s.Unit = p.team().RMSOrOne(labels)
	}
	return s
}

// Limits returns the limits of |beta| if y = A x − c and the penalty is nil or an L1 penalty: lambda times
// the weight of each row of A. Otherwise it returns nil. The caller must not change the slice.
func (r *Run) Limits() []float64 { return r.dual.Limit }

// DualStep updates y and beta, given x.
func (r *Run) DualStep() { r.dual.Update(r.product.Image(r.X), r.Y, r.Dual) }

// violation returns A x + B y − c, valid until the next call.
func (r *Run) violation() []float64 {
	r.dual.SetViolation(r.residual, r.product.Image(r.X), r.Y)
	return r.residual
}

// takeSnapshot computes r.Snapshot at x and returns the objective there.
func (r *Run) takeSnapshot() float64 {
	r.Samples.Gradient(&r.Snapshot, r.X)
	objective, loose := r.objective(r.Snapshot.Loss)
	r.loose, r.lastObjective = r.loose || loose, objective
	return objective
}

// objective returns the objective at the iterate. loss is the mean loss there. If loose is true (see
// penaltyAt), (ρ/2)|A x + B y − c|² is added for the y of the iterate.
func (r *Run) objective(loss float64) (value float64, loose bool) {
	penalty, loose := r.penaltyAt(r.Iterate)
	if loose {
		penalty += float64(0.5 * r.Stats.Rho * linalg.SumSquares(r.violation()))
	}
	return loss + r.Problem.ridge(r.X) + penalty, loose
}

// penaltyAt returns g(y) for the y with A x + B y = c, where x is at.X. If x does not determine y, or g(y) is
// infinite, it returns g(at.Y), and loose is true.
func (r *Run) penaltyAt(at Iterate) (value float64, loose bool) {
	g := r.Problem.penalty()
	if y, ok := r.Problem.coupling().Y(r.product.Image(at.X)); ok {
		if v := g.Value(y); !math.IsInf(v, 0) {
			return v, false
		}
	}
	return g.Value(at.Y), true
}

// primalResidual returns |A x + B y − c|₂, or 0 if only Newton steps were made.
func (r *Run) primalResidual() float64 {
	if r.dual == nil {
		return 0
	}
	return math.Sqrt(linalg.SumSquares(r.violation()))
}

// paperPasses returns the number of passes as the paper counts them.
func (r *Run) paperPasses() float64 {
	if r.Settings.Method.Info().PaperPass {
		return float64(r.Stats.OuterIterations)
	}
	return r.Stats.Passes
}
