package exact

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/solver/internal/gap"
	"github.com/scas-admm/scas/solver/internal/quadratic"
)

// coupled is the quadratic model of the objective P of a coupled problem. It has all columns of the data.
type coupled struct {
	model       quadratic.Coupled
	penalty     gap.Penalty // the penalty g(A x) without its squared terms, which model.H contains
	lossHessian []float64   // the Hessian of the loss
	z           []float64   // multipliers of the rows of A, plus the derivatives of the squared terms of g
	excess      float64     // an estimate of the objective minus its optimum; +Inf if there is none

	structure  quadratic.Partition // the zeros and ties that MakeExact returned last
	exact      bool                // the last model's solution has exactly the zeros and ties of structure
	extraSteps int                 // number of extra steps so far, to make zeros and ties exact
}

func (s *Solver) newCoupled() {
	shape := quadratic.NewTriangle(s.p, s.band())
	c := &coupled{lossHessian: make([]float64, shape.Size()), excess: math.Inf(1)}
	c.model = quadratic.Coupled{
		Triangle: shape, H: make([]float64, shape.Size()), Set: s.Set, Threads: s.Threads,
	}
	if s.Set != nil {
		c.model.TypicalSize = make([]float64, s.p)
		for j, largest := range s.columns.LargestEntry {
			c.model.TypicalSize[j] = 1
			if largest > 0 {
				c.model.TypicalSize[j] = 1 / largest
			}
		}
	}
	s.coupled = c
}

// forget makes the next model start without multipliers, and without an estimate of the objective minus its
// optimum.
func (c *coupled) forget() {
	c.excess = math.Inf(1)
	c.model.ForgetMultipliers()
}

// startFrom makes the next model start from the multipliers of sampleModel, a model for some of the samples.
// excess estimates the objective at the current point minus its optimum.
func (c *coupled) startFrom(sampleModel *coupled, excess float64) {
	c.excess = excess
	c.model.StartFrom(&sampleModel.model)
}

// setPenalty sets the rows of A, and their limits, in the model.
func (c *coupled) setPenalty(penalty *gap.Penalty) {
	c.penalty = *penalty
	c.penalty.Square = nil
	c.model.Penalty = &c.penalty
	c.z = make([]float64, penalty.Len())
	c.forget()
}

// fillCoupled computes model.H: the Hessian of the loss, plus the ridges and the squared terms of g.
func (s *Solver) fillCoupled() {
	c := s.coupled
	m := &c.model
	copy(m.H, c.lossHessian)
	m.AddGram(m.H, nil, s.ridge)
	m.AddGram(m.H, s.bounds.Penalty.M, s.bounds.Penalty.Square)
}

const (
	// The first barrier weight τ if nothing is known about the distance to the optimum, in units of
	// Solver.Scale divided by the result of quadratic.Coupled.TermCount.
	startTau = 0.05
	// If the objective is e above its optimum, a step is expected to reduce e to
	// squaredFactor·e²/Solver.Scale.
	squaredFactor = 30
	modelPart     = 1e-3 // tolerance of a model, relative to the e that is expected after its step
	gapPart       = 0.02 // smallest tolerance of a model before the last step, relative to Settings.Tol
	// A step may be the last one if, after this step, the objective minus its optimum is expected to be at
	// most mayEndPart times the tolerance of the gap.
	mayEndPart = 100
	// Largest tolerance of the model in a step that may be the last one, as a multiple of Solver.Scale. It is
	// so small that the zeros and ties of the solution can be found.
	modelEnd = 1e-12
	// The barrier weight τ falls at least by this factor in a step that may be the last one.
	leastFall = 100
	// Zeros and ties must be exact if the tolerance is at most exactTol·Solver.Scale.
	exactTol       = 1.001e-6
	mostExtraSteps = 3 // largest number of extra steps to make zeros and ties exact
)

// minimiseCoupled minimises the model of the objective at the current point, and returns by how much the
// model's value fell. tol is the tolerance of the gap. If this may be the last step of the run,
// minimiseCoupled tries to make the zeros and ties of the model's solution exact.
func (s *Solver) minimiseCoupled(tol float64) (fall float64) {
	c, w := s.coupled, &s.set
	m := &c.model
	m.X, m.Gradient = w.x, w.gradient
	if square := s.bounds.Penalty.Square; square != nil {
		v := make([]float64, len(square))
		m.Penalty.Mul(v, w.x)
		for k, q := range square {
			v[k] *= q
		}
		m.Penalty.AddTrans(m.Gradient, v)
	}
	m.Stop = s.stop
	termCount := m.TermCount()
	firstTau := startTau * s.scale / termCount
	expectedExcess := s.scale
	if !math.IsInf(c.excess, 1) {
		firstTau = math.Min(firstTau, math.Max(m.Tau, c.excess/termCount))
		expectedExcess = math.Min(c.excess, squaredFactor*c.excess*c.excess/s.scale)
	}
	if s.hasConstantCurvature() {
		expectedExcess = 0
	}
	mayBeLast := !s.rough && (expectedExcess <= mayEndPart*tol || c.extraSteps > 0)
	goal := math.Max(gapPart*tol, modelPart*expectedExcess)
	if mayBeLast {
		goal = math.Min(gapPart*tol, modelEnd*s.scale)
		firstTau = math.Max(firstTau, leastFall*goal/termCount)
	}
	m.Solve(&quadratic.CoupledSettings{Gap: goal, StartTau: firstTau, Precise: mayBeLast})
	stopped := m.Stop != nil && m.Stop()
	used := !stopped && finite(m.U) && finite(m.Move)
	if !used { // x does not move
		copy(m.U, m.X)
		clear(m.Move)
		clear(m.Z)
		c.forget()
	} else if s.Set != nil {
		s.Set.Project(m.U)
	}
	c.exact = false
	if mayBeLast && !stopped {
		c.structure, c.exact = m.MakeExact(0.1*tol, s.leastCurvatures())
	}
	s.acceptModel()
	fall = -m.Value()
	if used {
		c.excess = math.Max(fall, 0)
	}
	return fall
}

// isExact reports whether a run with a proved gap of at most tol may end: whether its zeros and ties are
// exact, or need not be exact, or too many steps have been made for this.
func (s *Solver) isExact(tol float64) bool {
	c := s.coupled
	return c == nil || s.rough || c.exact || tol > exactTol*s.scale || c.extraSteps == mostExtraSteps
}

func finite(v []float64) bool {
	return !slices.ContainsFunc(v, func(u float64) bool { return math.IsNaN(u) || math.IsInf(u, 0) })
}

// acceptModel stores the solution of the model. It stores the model's multipliers, plus the derivatives of
// the squared terms of the penalty, in s.coupled.z.
func (s *Solver) acceptModel() {
	c, m := s.coupled, &s.coupled.model
	copy(c.z, m.Z)
	if square := s.bounds.Penalty.Square; square != nil {
		v, image := make([]float64, len(square)), make([]float64, len(square))
		m.Penalty.Mul(v, m.Move)
		m.Penalty.Mul(image, m.X)
		for k, q := range square {
			c.z[k] = math.FMA(q, image[k]+v[k], c.z[k])
		}
	}
	s.set.u, s.set.move, s.set.snapped = m.U, append(s.set.move[:0], m.Move...), c.exact
}

// assumedCurvature times Scale times the square of a feature's largest absolute value is taken as a lower
// bound of the curvature along the feature.
const assumedCurvature = 1e-6

func (s *Solver) leastCurvatures() []float64 {
	out := make([]float64, s.p)
	for j, c := range s.columns.LargestEntry {
		out[j] = float64(assumedCurvature*s.scale) * float64(c*c)
	}
	return out
}
