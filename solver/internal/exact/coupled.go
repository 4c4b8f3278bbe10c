package exact

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/solver/internal/gap"
	"github.com/scas-admm/scas/solver/internal/quadratic"
	"github.com/scas-admm/scas/sparse/pages"
)

// coupled is the model of a coupled problem. It has all columns of the data.
type coupled struct {
	*Solver
	systems     linearSystems
	problem     quadratic.Coupled
	penalty     gap.Penalty // the penalty g(A x) without its squared terms: problem.H contains them
	lossHessian []float64   // the Hessian of the loss; nil unless the Hessian is formed
	excess      float64     // an estimate of the objective minus its optimum; +Inf if there is none

	partition quadratic.Partition // the zeros and ties that MakeExact returned last
	exact     bool                // the last model's solution has exactly the zeros and ties of partition
}

func newCoupled(s *Solver, systems linearSystems) *coupled {
	c := &coupled{Solver: s, systems: systems}
	c.problem = quadratic.Coupled{Order: s.p, Penalty: &c.penalty, Set: s.Set, Threads: s.Threads}
	if !c.isImplicit() {
		c.allocHessian()
	}
	if s.Set != nil {
		c.problem.TypicalSize = make([]float64, s.p)
		for j, largest := range s.columns.LargestEntry {
			c.problem.TypicalSize[j] = 1
			if largest > 0 {
				c.problem.TypicalSize[j] = 1 / largest
			}
		}
	}
	return c
}

// isImplicit reports whether the Hessian is implicit: a quadratic.Implicit, and no matrix.
func (c *coupled) isImplicit() bool { return c.systems.chol != nil }

// hasImplicitHessian reports whether the model is coupled and its Hessian is implicit.
func (s *Solver) hasImplicitHessian() bool {
	c, ok := s.model.(*coupled)
	return ok && c.isImplicit()
}

// allocHessian gives up an implicit Hessian, if there is one, and makes memory for a matrix.
func (c *coupled) allocHessian() {
	c.systems, c.problem.Implicit = linearSystems{}, nil
	c.lossHessian, c.problem.H = pages.Make[float64](c.p*c.p), pages.Make[float64](c.p*c.p)
}

// giveUpImplicit replaces the implicit Hessian of a coupled model by a matrix, for all further steps. It does
// nothing if there is none, or with more than mostFeatures features. The caller must set the Hessian again.
func (s *Solver) giveUpImplicit() {
	if c, ok := s.model.(*coupled); ok && c.isImplicit() && c.p <= mostFeatures {
		s.set.reusable = false
		c.allocHessian()
	}
}

// begin implements model. The first model starts with the multipliers of sample, if it has a coupled model.
func (c *coupled) begin(sample *Solver, excess float64) {
	oldRows := c.penalty.M
	c.penalty = *c.bounds.Penalty
	c.penalty.Square = nil
	if c.penalty.Len() == 0 && (c.Set == nil || c.box != nil) && !c.systems.size.sparseRows {
		c.giveUpImplicit() // the matrix of the systems may be singular; a factor of all of it gets a shift
	}
	if size := &c.systems.size; c.isImplicit() && (c.problem.Implicit == nil || c.penalty.M != oldRows) {
		m := quadratic.NewImplicit(size.kind(), &c.set.implicit, &c.penalty, c.systems.chol)
		if c.p <= mostFeatures {
			m.FormedIterations = size.formedCost() / size.iterationCost()
		}
		c.problem.Implicit = m
	}
	if c.isImplicit() {
		c.problem.Implicit.Square = c.bounds.Penalty.Square
	}
	c.exact = false
	c.forget()
	c.excess = excess
	if sample != nil {
		if m, ok := sample.model.(*coupled); ok {
			c.problem.StartFrom(&m.problem)
		}
	}
}

// forget makes the next model start without multipliers, and without an estimate of the objective minus its
// optimum.
func (c *coupled) forget() {
	c.excess = math.Inf(1)
	c.problem.ForgetMultipliers()
}

func (c *coupled) columnsChanged() {
	c.problem.X, c.problem.Gradient = c.set.x, c.set.gradient
	if c.isImplicit() {
		c.set.implicit.XT, c.set.implicit.Cols = c.transpose(), c.set.cols
	}
}

// setHessian implements model. A Hessian of the loss that is formed is stored, because a later model may keep it
// and have other ridges.
func (c *coupled) setHessian(fresh bool) {
	q := &c.problem
	if c.isImplicit() {
		if fresh {
			c.rows.hessian(nil, c.work.damping)
		}
		c.set.implicit.Prepare(c.ridge)
		return
	}
	if fresh {
		c.rows.hessian(c.lossHessian, c.work.damping)
	}
	copy(q.H, c.lossHessian)
	quadratic.AddGram(q.H, nil, c.ridge)
	quadratic.AddGram(q.H, c.bounds.Penalty.M, c.bounds.Penalty.Square)
}

const (
	// The first barrier weight τ if nothing is known about the distance to the optimum, in units of
	// Solver.Scale divided by the result of quadratic.Coupled.TermCount.
	startTau  = 0.05
	modelPart = 1e-3 // tolerance of a model, relative to the excess that is expected after its step
	gapPart   = 0.02 // smallest tolerance of a model before the last step, relative to Settings.Tol
	// A step may be the last one if, after this step, the objective minus its optimum is expected to be at
	// most mayEndPart times the tolerance of the gap.
	mayEndPart = 100
	// If the curvature of the loss jumps, one more condition holds: at the present point, the sum of the Fenchel
	// terms is at most exactPart times the tolerance, see mayEnd.
	exactPart = 1e-3
	// Largest tolerance of the model in a step that may be the last one, as a multiple of Solver.Scale. It is
	// so small that the zeros and ties of the solution can be found.
	modelEnd     = 1e-12
	mostResidual = 1e-2 // the largest quadratic.CoupledSettings.Residual that is finite
	// If the tolerance of the gap is at most this multiple of Solver.Scale, the multipliers of steps that may be the
	// last one are as accurate as possible.
	preciseTol = 1e-9
	// The barrier weight τ falls at least by this factor in a step that may be the last one.
	leastFall = 100
)

// minimise implements model. If this may be the last step of the run, minimise tries to make the zeros and
// ties of the solution exact.
func (c *coupled) minimise(tol float64) newtonStep {
	q := &c.problem
	c.addSquareGradient()
	q.Stop = c.stop
	termCount := q.TermCount()
	firstTau := startTau * c.scale / termCount
	if !math.IsInf(c.excess, 1) {
		firstTau = math.Min(firstTau, math.Max(q.Tau, c.excess/termCount))
	}
	expectedExcess := c.expectedExcess()
	mayBeLast := !c.rough && (c.mayEnd(expectedExcess, tol) || c.work.extraSteps > 0)
	goal := math.Max(gapPart*tol, modelPart*expectedExcess)
	if mayBeLast {
		goal = math.Min(gapPart*tol, modelEnd*c.scale)
		firstTau = math.Max(firstTau, leastFall*goal/termCount)
	}
	set := &quadratic.CoupledSettings{
		Gap: goal, StartTau: firstTau, Residual: math.Min(mostResidual, math.Max(goal, gapPart*tol)/c.scale),
	}
	switch {
	case !mayBeLast && !c.rough: // a proof after this step would fail, so it needs no multipliers
		set.Residual = math.Inf(1)
	case mayBeLast && tol <= preciseTol*c.scale:
		set.Residual = 0
	}
	q.Solve(set)
	if c.isImplicit() && q.Implicit.Exhausted() && !(q.Stop != nil && q.Stop()) {
		c.giveUpImplicit()
		c.setHessian(true)
		c.set.reusable, c.work.stale = true, false
		q.Solve(set)
	}
	stopped := q.Stop != nil && q.Stop()
	used := !stopped && finite(q.U) && finite(q.Move)
	if !used { // x does not move
		copy(q.U, q.X)
		clear(q.Move)
		clear(q.Z)
		c.forget()
	} else if c.Set != nil {
		c.Set.Project(q.U)
	}
	c.exact = false
	if mayBeLast && !stopped {
		c.partition, c.exact = q.MakeExact(0.1*tol, c.leastCurvatures())
	}
	c.setMultipliers()
	fall := -q.Value()
	if used {
		c.excess = math.Max(fall, 0)
	}
	// PenaltyRise leaves out the squared terms, because the gradient contains them.
	rise := c.set.firstOrder(q.U) + q.PenaltyRise()
	return newtonStep{u: q.U, move: q.Move, snapped: c.exact, fall: fall, rise: rise}
}

// expectedExcess returns the expected difference of the objective and its optimum after the next step.
func (c *coupled) expectedExcess() float64 {
	switch {
	case c.hasConstantCurvature():
		return 0
	case math.IsInf(c.excess, 1):
		return c.scale
	}
	return math.Min(c.excess, squaredFactor*c.excess*c.excess/c.scale)
}

// mayEnd reports whether the next step may be the last one. expectedExcess is the result of c.expectedExcess.
//
// If the curvature of the loss jumps, the curvatures of a model may be wrong at the model's solution. A proof with
// this solution fails, even if the solution is accurate. The sum of the Fenchel terms after a step is then large: it
// is 0 only if the loss has the slopes that the model predicted. So mayEnd returns false if this sum was large after
// the last step.
//
// If expectedExcess is 0, mayEnd always returns true. There are two such cases. In the first, the model is the problem
// itself, so that one step solves it. In the second, the value of the last model did not fall, so that only a more
// accurate solution can help.
func (c *coupled) mayEnd(expectedExcess, tol float64) bool {
	hasRightCurvatures := c.Loss.Traits().ContinuousCurvature || c.work.fenchel <= exactPart*tol
	return expectedExcess == 0 || expectedExcess <= mayEndPart*tol && hasRightCurvatures
}

// addSquareGradient adds the gradient of the squared terms of g to the gradient of the model.
func (c *coupled) addSquareGradient() {
	square := c.bounds.Penalty.Square
	if square == nil {
		return
	}
	v := make([]float64, len(square))
	c.penalty.Mul(v, c.set.x)
	for k, s := range square {
		v[k] *= s
	}
	c.penalty.AddTrans(c.set.gradient, v)
}

// setMultipliers sets Solver.z to the multipliers at the model's solution: those of the model, plus the
// derivatives of the squared terms of g.
func (c *coupled) setMultipliers() {
	q, square := &c.problem, c.bounds.Penalty.Square
	copy(c.z, q.Z)
	if square == nil {
		return
	}
	v, image := make([]float64, len(square)), make([]float64, len(square))
	c.penalty.Mul(v, q.Move)
	c.penalty.Mul(image, q.X)
	for k, s := range square {
		c.z[k] = math.FMA(s, image[k]+v[k], c.z[k])
	}
}

func finite(v []float64) bool {
	return !slices.ContainsFunc(v, func(u float64) bool { return math.IsNaN(u) || math.IsInf(u, 0) })
}

// assumedCurvature times Scale times the square of a feature's largest absolute value is taken as a lower
// bound of the curvature along the feature.
const assumedCurvature = 1e-6

func (c *coupled) leastCurvatures() []float64 {
	out := make([]float64, c.p)
	for j, v := range c.columns.LargestEntry {
		out[j] = float64(assumedCurvature*c.scale) * float64(v*v)
	}
	return out
}

func (c *coupled) value(loss float64) float64 { return c.bounds.Value(c.x, loss) }

// multipliers implements model. It makes the multipliers feasible, see gap.Penalty.Clip.
func (c *coupled) multipliers() []float64 {
	z := slices.Clone(c.z)
	c.bounds.Penalty.Clip(z)
	return c.bounds.Penalty.Expand(z)
}

func (c *coupled) isExact() bool { return c.exact }

func (c *coupled) structure() (structure quadratic.Partition, ok bool) {
	if c.exact && c.partition.Holds(c.x) {
		return c.partition, true
	}
	return quadratic.Partition{}, false
}
