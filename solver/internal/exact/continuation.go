package exact

import (
	"errors"
	"math"
	"slices"

	"github.com/scas-admm/scas/solver/internal/ending"
)

const (
	// A run starts again, by the method continuation, if two conditions hold. The last mostUnsolvedInRow models were
	// not solved (see workspace.unsolvedInRow). And the proved gap is still at least slowGap times the gap after the
	// first of these models.
	mostUnsolvedInRow, slowGap = 10, 0.8
	// Each lambda of a continuation is the lambda before it, divided by continuationFactor. The factor must be at
	// most warmFactor, so that each solution is a good start for the next lambda.
	continuationFactor = 3
	// At larger lambdas, the tolerance is continuationTol times the objective at the solution for the lambda before.
	continuationTol = 1e-3
)

// needsContinuation reports whether the run must start again, by the method continuation. The result is false in two
// cases: the run started at the solution for a nearby lambda, or its solution is only a start for another Solver.
func (r *run) needsContinuation() bool {
	return r.work.unsolvedInRow == mostUnsolvedInRow && !r.warm && !r.continues && !r.rough && r.isSeparable() &&
		r.result.Err == nil && !(r.result.Gap <= r.tol) && r.lambda > 0 &&
		slices.ContainsFunc(r.limit, func(l float64) bool { return l > 0 })
}

// watchUnsolved updates unsolvedGap after a step. If the gap has become clearly smaller during the last
// mostUnsolvedInRow models, watchUnsolved sets their count to 0, so that the run goes on.
func (r *run) watchUnsolved() {
	switch w := &r.work; {
	case w.unsolvedInRow == 1:
		r.unsolvedGap = r.result.Gap
	case w.unsolvedInRow == mostUnsolvedInRow && r.result.Gap < slowGap*r.unsolvedGap:
		w.unsolvedInRow = 0
	}
}

// continuation ends the run, and solves the problem by continuation in lambda (Hale, Yin, Zhang 2008). It begins
// with the smallest lambda for which all penalised coefficients are zero. Then it solves for smaller and smaller
// lambdas, down to the lambda of the run. Each solution is the start for the next lambda. continuation returns the
// last result, or the result of the run if its gap is smaller.
//
// Very small lambdas need this. A run from zeros first makes nearly all coefficients non-zero. Then most of them must
// become zero again, and a step changes only a few of them. A continuation makes fewer coefficients non-zero.
func (r *run) continuation() Result {
	s, lambda := r.Solver, r.lambda
	result, x := r.end(), slices.Clone(s.x)
	s.continues = true
	defer func() { s.continues = false }()
	last := Result{Gap: math.Inf(1)}
	set := Settings{
		MaxIterations: r.settings.MaxIterations, Interrupt: r.settings.Interrupt, Stop: r.settings.Stop,
	}
	next, err := s.LambdaMax(r.settings.Interrupt)
	if math.IsInf(next, 1) {
		return result // the point has not moved
	}
	for next /= continuationFactor; err == nil && next > lambda; next /= continuationFactor {
		set.Tol = max(r.tol, continuationTol*s.current.value)
		step := s.Solve(next, &set)
		result.Iterations += step.Iterations
		err = step.Err
	}
	if err == nil {
		last = s.Solve(lambda, r.settings)
		result.Iterations += last.Iterations
		err = last.Err
	}
	if last.Gap < result.Gap {
		last.Iterations = result.Iterations
		return last
	}
	s.returnTo(x, lambda)
	if err != nil && !errors.Is(err, errNoRoom) {
		result.Err, result.Why = err, ending.Interrupted
	}
	return result
}

// returnTo sets the lambda, and moves the point to x, where an earlier run for this lambda ended. The slopes at x
// become the dual point.
func (s *Solver) returnTo(x []float64, lambda float64) {
	s.setLambda(lambda)
	copy(s.x, x)
	s.visit()
	s.chooseSet(1)
	s.current.value = s.model.value(s.current.loss)
	s.rows.useSlopes(s.x, s.e, false)
}
