package exact

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/solver/internal/gap"
	"github.com/scas-admm/scas/solver/internal/quadratic"
)

// coupled is the model of a coupled problem. It has all columns.
type coupled struct {
	model  quadratic.Coupled
	rows   gap.Penalty // the rows of bounds without their squares, which are in the model's matrix
	base   []float64   // the Hessian of the loss
	z      []float64   // multipliers of the rows, the slopes of squares included
	excess float64     // an estimate of P(x) − P*; +Inf for none

	part  quadratic.Partition // zeros and ties of the last model's solution
	exact bool                // the solution has these exactly
	more  int                 // steps made only to find them
	rough bool                // zeros and ties need not be exact
}

// newCoupled makes the model.
func (s *Solver) newCoupled() {
	shape := quadratic.NewTriangle(s.p, s.band())
	c := &coupled{base: make([]float64, shape.Size()), excess: math.Inf(1)}
	c.model = quadratic.Coupled{Triangle: shape, H: make([]float64, shape.Size()), Set: s.Set, Threads: s.Threads}
	if s.Set != nil {
		c.model.Typical = make([]float64, s.p)
		for j, largest := range s.summary.Largest {
			if c.model.Typical[j] = 1; largest > 0 {
				c.model.Typical[j] = 1 / largest
			}
		}
	}
	s.coupled = c
}

// forget makes the next model start without the multipliers of the last one.
func (c *coupled) forget() {
	c.excess = math.Inf(1)
	c.model.ForgetMultipliers()
}

// begin starts from the multipliers of the problem for a part of the samples. The solution of that
// problem is the point, and excess is an estimate of P − P* there.
func (c *coupled) begin(part *coupled, excess float64) {
	c.excess = excess
	c.model.StartFrom(&part.model)
}

// setRows gives the model the rows of bounds.
func (c *coupled) setRows(rows *gap.Penalty) {
	c.rows = *rows
	c.rows.Square = nil
	c.model.Penalty = &c.rows
	c.z = make([]float64, rows.Len())
	c.forget()
}

// fillCoupled sets the model's matrix: the Hessian of the loss, the ridges and the squares.
func (s *Solver) fillCoupled() {
	c := s.coupled
	m := &c.model
	copy(m.H, c.base)
	for j, r := range s.ridge {
		m.H[j*m.Stride+j] += r
	}
	if s.bounds.Penalty.Square != nil {
		m.AddGram(m.H, s.bounds.Penalty.Square)
	}
}

const (
	startTau  = 0.05     // barrier weight τ at which the first model starts, for each of its terms, as a part of P(0)
	squared   = 30       // a step from an excess e is expected to end at an excess of squared·e²/P(0)
	modelPart = 1e-3     // a model is solved to this part of the excess expected after its step,
	gapPart   = 0.02     // but not below this part of the gap asked for
	mayEnd    = 100      // a step expected to end within this multiple of the gap asked for may be the last:
	modelEnd  = 1e-12    // its model is solved to this part of P(0), which shows zeros and ties,
	leastFall = 100      // and its τ falls at least by this factor, which separates zeros from the rest
	exactTol  = 1.001e-6 // zeros and ties shall be exact if the gap asked for is at most this part of P(0),
	mostMore  = 3        // for which at most this number of steps is added
)

// minimiseCoupled minimises the model at the point, and returns by how much it fell. If the step may be
// the last, it tries to make zeros and ties of the solution exact.
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
	m.Stop = w.model.Stop
	terms := m.Terms()
	start := startTau * s.scale / terms
	after := s.scale
	if !math.IsInf(c.excess, 1) {
		start = math.Min(start, math.Max(m.Tau, c.excess/terms))
		after = math.Min(c.excess, squared*c.excess*c.excess/s.scale)
	}
	if s.constant() {
		after = 0
	}
	last := !c.rough && (after <= mayEnd*tol || c.more > 0)
	goal := math.Max(gapPart*tol, modelPart*after)
	if last {
		goal = math.Min(gapPart*tol, modelEnd*s.scale)
		start = math.Max(start, leastFall*goal/terms)
	}
	m.Solve(&quadratic.CoupledSettings{Gap: goal, Start: start, Precise: last})
	stopped := m.Stop != nil && m.Stop()
	if stopped || !finite(m.U) || !finite(m.Move) { // the point stays as it was
		copy(m.U, m.X)
		clear(m.Move)
		clear(m.Z)
		c.forget()
	} else if s.Set != nil {
		s.Set.Project(m.U)
	}
	if c.exact = false; last && !stopped {
		c.part, c.exact = m.MakeExact(0.1*tol, s.leastCurvature())
	}
	s.acceptModel()
	fall = -m.Value()
	c.excess = math.Max(fall, 0)
	return fall
}

// settled reports whether a run with a proved gap of at most tol may end. If zeros and ties shall be
// exact and are not, a few more steps may make them so.
func (s *Solver) settled(tol float64) bool {
	c := s.coupled
	if c == nil || c.rough || c.exact || tol > exactTol*s.scale || c.more == mostMore {
		return true
	}
	c.more++
	return false
}

func finite(v []float64) bool {
	return !slices.ContainsFunc(v, func(u float64) bool { return math.IsNaN(u) || math.IsInf(u, 0) })
}

// acceptModel makes the solution of the model the end of the step, and adds the slopes of squares to the
// multipliers.
func (s *Solver) acceptModel() {
	c, m := s.coupled, &s.coupled.model
	copy(c.z, m.Z)
	if square := s.bounds.Penalty.Square; square != nil {
		v, at := make([]float64, len(square)), make([]float64, len(square))
		m.Penalty.Mul(v, m.Move)
		m.Penalty.Mul(at, m.X)
		for k, q := range square {
			c.z[k] = math.FMA(q, at[k]+v[k], c.z[k])
		}
	}
	s.set.u, s.set.move = m.U, append(s.set.move[:0], m.Move...)
}

// flat is the least curvature along a feature that is assumed, in units of P(0) times the square of the
// feature's largest value. The true curvature is 0 where a loss is flat or straight.
const flat = 1e-6

// leastCurvature returns the least curvature assumed along each feature.
func (s *Solver) leastCurvature() []float64 {
	out := make([]float64, s.p)
	for j, c := range s.summary.Largest {
		out[j] = float64(flat*s.scale) * float64(c*c)
	}
	return out
}

// riseCoupled returns the penalty at the solution of the model minus the penalty at the point, without
// squares, which the model's gradient has.
func (s *Solver) riseCoupled() float64 {
	m, v := &s.coupled.model, make([]float64, s.coupled.rows.Len())
	m.Penalty.Mul(v, m.U)
	after := m.Penalty.Value(v)
	m.Penalty.Mul(v, m.X)
	return after - m.Penalty.Value(v)
}
