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
	"github.com/scas-admm/scas/solver/internal/term"
)

// An Iterate is x of length p, y, of length l unless B says otherwise, and Dual, the
// multiplier beta of A x + B y = c, of length l.
type Iterate struct {
	X, Y, Dual []float64
}

// proof is what is known of the distance from the optimum.
type proof struct {
	prover    *exact.Prover
	unit      float64    // what tolerances are parts of
	goal      float64    // gap at which the run ends; 0 for none
	budget    float64    // of the finisher, in passes; +Inf where it was left to the method
	gap       float64    // proved of x; +Inf if nothing is
	exact     bool       // zeros and ties of x are exact
	exhausted bool       // the finisher went as far as it could
	ended     ending.Why // why
	spent     bool       // it was the budget that stopped it
	groups    [][]int
	judged    Snapshot // scratch
}

// set copies from, whose slices have the same lengths or are nil.
func (it Iterate) set(from Iterate) { admm.Point(it).Set(admm.Point(from)) }

// A Run is one call of Minimize as its method sees it.
type Run struct {
	// Iterate is what the method works on, at first the start. Its slices are
	// overwritten when the run goes back to an earlier iterate, and never replaced.
	Iterate
	// Mean has the x and y of the average that is reported. Average keeps that of
	// the outer iterates; a method may write its own.
	Mean Iterate
	// Problem and Settings are only read. Zero fields of Settings are filled in
	// where they do not depend on the data.
	Problem  *Problem
	Settings Settings
	// Samples are the data.
	Samples *Samples
	// A has the products with A and A' and the algebra behind them.
	A *linalg.Product
	// Snapshot is filled by WatchedSnapshot, and free otherwise.
	Snapshot Snapshot
	// Stats are reported. The method keeps Eta, InnerSteps and BatchSize.
	Stats Stats

	ctx      context.Context
	stop     float64        // why the run is to stop; 0 if it is not
	dual     *admm.DualStep // nil before prepare
	residual []float64      // A x + B y − c
	averaged int            // iterates in Mean
	loose    bool           // the objective is not one of a feasible point
	scales   admm.Scales
	keeper   admm.Keeper
	proof
	clock admm.Clock
}

// newRun begins a run whose clock runs since it began; p and set have been validated.
func newRun(ctx context.Context, p *Problem, set Settings, began time.Time) *Run {
	r := &Run{ctx: ctx, Problem: p, Settings: set, clock: admm.NewClock(began)}
	_, features := p.Data.Dims()
	algebra := p.algebra()
	l, _ := algebra.Dims()
	_, q := p.Coupling.dims(l)
	r.A = algebra.Product()
	r.Samples = newSamples(p, &set, r.Err() != nil && r.stop == ending.Canceled)
	r.Iterate = Iterate{make([]float64, features), make([]float64, q), make([]float64, l)}
	r.Mean = Iterate{X: make([]float64, features), Y: make([]float64, q)}
	info := set.Method.Info()
	r.Stats = Stats{Name: cmp.Or(set.Name, info.Name), Method: info.Name, Storage: r.Samples.rows.Form(), DualUpdates: 1, BatchSize: 1}
	r.prover = exact.NewProver(p.forExact(algebra, r.Samples.rows, set.Threads))
	r.gap = math.Inf(1)
	r.unit = p.unit()
	r.goal = set.RelTol * r.unit
	r.toStart()
	return r
}

// prepare makes what steps of a method need and Newton steps do not, unless it is there.
func (r *Run) prepare() {
	if r.dual != nil {
		return
	}
	p := r.Problem
	n, features := p.Data.Dims()
	l, q := len(r.Dual), len(r.Y)
	r.Samples.measure()
	r.Snapshot = newSnapshot(n, features)
	r.residual = make([]float64, l)
	r.dual = p.dualStep(l, q)
	r.Stats.Constants = p.constants(r.A.Algebra, r.Samples.longest)
	r.scales = r.newScales()
	r.SetRho(r.Settings.Rho)
	if r.Settings.Rho == 0 {
		r.SetRho(r.NaturalRho(1))
	}
}

// toStart makes the starting point of the settings the iterate.
func (r *Run) toStart() {
	clear(r.X)
	r.Iterate.set(Iterate{X: r.Settings.Start.X})
	r.Problem.project(r.X)
	if y, ok := r.Problem.Coupling.form().Y(r.A.Image(r.X)); ok {
		copy(r.Y, y)
	}
	clear(r.Dual)
	r.Iterate.set(Iterate{Y: r.Settings.Start.Y, Dual: r.Settings.Start.Dual})
	r.startMean()
}

// startMean makes the iterate the mean, of none so far.
func (r *Run) startMean() {
	copy(r.Mean.X, r.X)
	copy(r.Mean.Y, r.Y)
	r.averaged = 0
}

// Average takes the x and y of the iterate into Mean.
func (r *Run) Average() {
	r.averaged++
	intoMean(r.Mean.X, r.X, r.averaged)
	intoMean(r.Mean.Y, r.Y, r.averaged)
}

// intoMean updates the mean of k−1 vectors to that of k vectors, of which v is the last.
func intoMean(mean, v []float64, k int) {
	if k == 1 {
		copy(mean, v)
		return
	}
	weight := 1 / float64(k)
	for j, x := range v {
		mean[j] = math.FMA(weight, x-mean[j], mean[j])
	}
}

// known returns v, or +Inf if v is NaN: a bound that says nothing.
func known(v float64) float64 {
	if math.IsNaN(v) {
		return math.Inf(1)
	}
	return v
}

// SetRho makes ρ that of the run, but at most linalg.Largest, as where it overflowed.
func (r *Run) SetRho(rho float64) {
	c := &r.Stats.Constants
	rho = math.Min(known(rho), linalg.Largest)
	r.Stats.Rho = rho
	c.NuL = r.Problem.nuL(c, rho)
	r.dual.SetRho(rho)
}

// NaturalRho returns factor times lambda times the root mean square of |aᵢ|,
// divided by the size of the labels for regression. beta lives in [−lambda, lambda],
// so lambda/rho must be comparable with the entries of A x, whose unit is that of the
// labels divided by that of the features. For a penalty without a scale, such as an
// indicator, it is the curvature of the loss along a feature.
func (r *Run) NaturalRho(factor float64) float64 { return r.scales.NaturalRho(factor) }

// newScales returns what the automatic ρ and η follow from.
func (r *Run) newScales() admm.Scales {
	p, c := r.Problem, &r.Stats.Constants
	s := admm.Scales{
		Samples: p.team().Each(len(p.Labels)), Features: len(r.X), Row: r.Samples.scale, Unit: 1,
		Curvature: p.loss().Curvature(), Mu: p.L2, Lambda1: c.Lambda1, LambdaP: c.LambdaP,
		Lambda: p.penalty().Scale(), Limited: term.Limits(p.penalty(), len(r.Y)) != nil,
	}
	if p.regression() {
		s.Unit = p.team().Unit(p.Labels)
	}
	return s
}

// Limits returns lambda times the weights of the rows of A, the bounds of |beta|, or
// nil where the penalty is not an L1 of y = A x − c. Callers only read it.
func (r *Run) Limits() []float64 { return r.dual.Limit }

// DualStep updates y and beta at x.
func (r *Run) DualStep() { r.dual.Update(r.A.Image(r.X), r.Y, r.Dual) }

// violation returns A x + B y − c, valid until the next call.
func (r *Run) violation() []float64 {
	r.dual.Violation(r.residual, r.A.Image(r.X), r.Y)
	return r.residual
}

// takeSnapshot fills r.Snapshot at x and returns the objective there, which comes
// for free.
func (r *Run) takeSnapshot() float64 {
	r.Samples.Gradient(&r.Snapshot, r.X)
	return r.objective(r.Snapshot.Loss)
}

// objective returns the objective at x, given the mean loss there.
func (r *Run) objective(loss float64) float64 {
	return loss + r.Problem.ridge(r.X) + r.penaltyNow()
}

// penaltyNow returns g at the y that x implies, or, where there is none or g is
// infinite there, at the iterate y, plus (ρ/2)|A x + B y − c|². In the second
// case r.loose is set: the objective may then lie below the optimum.
func (r *Run) penaltyNow() float64 {
	g := r.Problem.penalty()
	if y, ok := r.Problem.Coupling.form().Y(r.A.Image(r.X)); ok {
		if v := g.Value(y); !math.IsInf(v, 0) {
			return v
		}
	}
	r.loose = true
	return g.Value(r.Y) + float64(0.5*r.Stats.Rho*linalg.SumSquares(r.violation()))
}

// primalResidual returns |A x + B y − c|₂. After Newton steps alone y is A x.
func (r *Run) primalResidual() float64 {
	if r.dual == nil {
		return 0
	}
	return math.Sqrt(linalg.SumSquares(r.violation()))
}

// paperPasses are the passes as the paper counts them.
func (r *Run) paperPasses() float64 {
	if r.Settings.Method.Info().PaperPass {
		return float64(r.Stats.OuterIterations)
	}
	return r.Stats.Passes
}
