package exact

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/ending"
	"github.com/scas-admm/scas/solver/internal/gap"
	"github.com/scas-admm/scas/solver/internal/quadratic"
)

// A Solution is the result of Finish.
type Solution struct {
	Result           // Loss and Proofs are not set if a setSolver (sets.go) found the solution
	X      []float64 // the point; length p
	// Multipliers of the rows of A. If Problem.Penalise has added a square to Ridge, Z includes the
	// derivative of the square.
	Z []float64
	// (Alpha, Z) is the last dual point, up to rounding. Alpha has length n; it is nil for samples in a
	// file, and in a solution by a setSolver.
	Alpha     []float64
	Polished  bool                // zeros and ties of X are exact
	Structure quadratic.Partition // zeros and ties of X, if Polished
}

// Finish solves the problem for lambda = 1. It makes up to three attempts:
//
//   - from x, unless x is nil or 0
//   - from a start that Solve chooses, as for a new Solver
//   - with the coupled model, from the best point so far, if the problem is separable and has at most
//     DenseFeatures features, and if the working set had room for all columns that it needed
//
// An attempt is made only if the attempts before it have neither reached the tolerance nor ended with an
// error. Each attempt may make set.MaxIterations steps. Finish returns the solution with the smallest gap.
func (s *Solver) Finish(x []float64, set *Settings) *Solution {
	zero := make([]float64, s.p)
	var best *Solution
	if x != nil && !slices.Equal(x, zero) {
		s.forget()
		s.Start(x)
		best = s.finish(set)
	}
	if best == nil || best.Err == nil && best.Gap > set.Tol {
		s.Start(zero)
		s.forget() // so that Solve chooses the start, which need not be 0
		best = betterOf(best, s.finish(set))
	}
	if !s.isSeparable() || best.Err != nil || best.Gap <= set.Tol || best.Full || s.p > DenseFeatures {
		return best
	}
	q := *s.Problem
	q.joint, q.formsHessians = true, true
	solver, err := New(&q)
	if err != nil {
		return best
	}
	solver.Start(best.X)
	return betterOf(best, solver.finish(set))
}

// betterOf returns first or retry, whichever has the smaller gap, with the sum of both numbers of iterations.
// retry is the later solution. If it has an error, the result has this error too. If first is nil, betterOf
// returns retry.
func betterOf(first, retry *Solution) *Solution {
	if first == nil {
		return retry
	}
	better, iterations := first, first.Iterations+retry.Iterations
	if retry.Gap < first.Gap {
		better = retry
	} else if retry.Err != nil {
		better.Err, better.Why = retry.Err, retry.Why
	}
	better.Iterations = iterations
	return better
}

// finish solves the problem for lambda = 1. If Solve proves no gap, finish tries a proof by the slopes.
func (s *Solver) finish(set *Settings) *Solution {
	r := s.Solve(1, set)
	if math.IsInf(r.Gap, 1) && s.rows.Err() == nil {
		r = s.proveAtSlopes(set.Tol, r)
	}
	alpha := s.rows.alphaAt(s.x, s.e)
	out := &Solution{Result: r, X: slices.Clone(s.x), Z: s.model.multipliers(), Alpha: alpha}
	if s.PenaltyRidge > 0 {
		kernels.Axpy(s.PenaltyRidge, s.x, out.Z)
	}
	switch {
	case r.Err != nil:
		out.Why = ending.Interrupted
	case r.Gap <= set.Tol:
		out.Why = ending.Reached
		out.Structure, out.Polished = s.model.structure()
	}
	return out
}

// proveAtSlopes completes r, the result of a run that proved no gap, and returns it. It sets Objective and
// Loss to their values at the current point x, and Gap to the gap that the slopes φ' at x prove. tol is the
// gap to reach. If x has a non-zero coefficient outside the working set, proveAtSlopes only sets Gap to
// +Inf.
func (s *Solver) proveAtSlopes(tol float64, r Result) Result {
	r.Gap = math.Inf(1)
	for j, v := range s.x {
		if v != 0 && s.set.position[j] == 0 {
			return r
		}
	}
	s.current.value = s.model.value(s.current.loss)
	s.rows.useSlopes(s.x, s.e, false)
	s.rows.tally()
	proved := s.proveGap(tol) // may change s.current
	r.Gap, r.Objective, r.Loss = gap.RoundedGap(proved, s.current.value), s.current.value, s.current.loss
	return r
}

// LossFallsForever reports whether the loss decreases without end along d, which has length p: no sample's
// loss increases, and at least one sample's loss decreases without end.
func (s *Solver) LossFallsForever(d []float64) (bool, error) {
	falls := s.rows.lossFallsForever(d)
	return falls, s.rows.Err()
}

// Ties returns the features of each group of tied coefficients that are not zero. It returns nil if there is
// no such group, or if the zeros and ties of the point are not exact.
func (s *Solver) Ties() [][]int {
	if structure, ok := s.model.structure(); ok {
		return structure.NonzeroGroups(s.x)
	}
	return nil
}

const (
	mostSteps   = 10    // largest number of Newton steps of Certify
	certainPart = 1e-12 // a bound of at most this multiple of Scale ends Certify
	tightPart   = 0.9   // Certify ends if P has fallen by at least this fraction of the bound
)

// Certify returns an upper bound of P(x) − P* for lambda = 1 at a point x of the domain. It makes at most
// mostSteps Newton steps from x to improve the bound. The point of s moves.
func (s *Solver) Certify(x []float64, set *Settings) float64 {
	s.forget()
	s.Start(x)
	s.stop = set.stopped
	s.setLambda(1)
	s.model.begin(nil, math.Inf(1))
	s.visit()
	if s.rows.Err() != nil {
		s.work.started = false
		return math.Inf(1)
	}
	s.chooseSet(1)
	s.current.value = s.model.value(s.current.loss)
	value, lossError := s.current.value, s.lossError()
	bestGap, tol := s.rows.trivialGap(s.x, value), math.Max(set.Tol, certainPart*s.scale)
	for range mostSteps {
		if s.set.noRoom || set.stopped() {
			break
		}
		_, length := s.step(tol, false)
		if s.rows.Err() != nil {
			break
		}
		s.tally()
		proved := s.proveGap(tol)
		bestGap = math.Min(bestGap,
			gap.GapAtObjective(proved, s.current.value, value, lossError+s.lossError()))
		if value-s.current.value >= tightPart*bestGap || bestGap <= tol || length == 0 && !s.work.uphill {
			break
		}
		s.chooseSet(1)
	}
	s.work.started = false
	return gap.RoundedGap(bestGap, value)
}

// lossError bounds the error of s.current.loss that rounding of the margins causes, see gap.LossError.
func (s *Solver) lossError() float64 {
	return s.bounds.LossErrorAt(s.x, s.current.loss, s.Loss.Curvature())
}

// forget clears the state of earlier steps, so that results do not depend on it. It keeps the point, a Gram matrix,
// and the decision to form the Hessian of a coupled model.
func (s *Solver) forget() {
	if c, ok := s.model.(*coupled); ok && c.problem.Implicit != nil {
		c.problem.Implicit.ForgetIterations()
	}
	s.work = workspace{damping: s.firstDamping(), gapRatio: 1, visits: leastVisits, tightening: 1}
	switch m := s.rows.(type) {
	case *memorySamples:
		m.references = nil
	case *gram:
		m.references = nil
		s.set.dense.ForgetFactor()
	}
}

// Dependent reports whether the last proof found the columns of free features linearly dependent, or
// nearly so.
func (s *Solver) Dependent() bool { return s.bounds != nil && s.bounds.DependentRoots }
