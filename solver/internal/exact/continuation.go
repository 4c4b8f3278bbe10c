package exact

import (
	"errors"
	"math"
	"slices"

	"github.com/scas-admm/scas/solver/internal/ending"
)

const (
	// A run calls continuation after mostUnsolvedInRow models in a row that were not solved (see workspace.unsolved),
	// if the proved gap is then still at least slowGap times the gap after the first of these models.
	mostUnsolvedInRow, slowGap = 10, 0.8
	// The method continuation divides lambda by continuationFactor, again and again. The solution for a lambda must
	// be a warm start for the next one, see warmFactor.
	continuationFactor = 3
	// The tolerance for a lambda on the way, divided by the objective before it.
	continuationTol = 1e-3
)

// needsContinuation reports whether to end the run and call continuation. It returns false if the run started at the
// solution for a nearby lambda, and if the solution is only a start for another Solver.
func (r *run) needsContinuation() bool {
	return r.work.unsolved == mostUnsolvedInRow && !r.warm && !r.continues && !r.rough && r.isSeparable() &&
		r.result.Err == nil && !(r.result.Gap <= r.tol) && r.lambda > 0 &&
		slices.ContainsFunc(r.limit, func(l float64) bool { return l > 0 })
}

// watchUnsolved is called after each step. It counts unsolved models anew if the gap has become clearly smaller while
// they were counted.
func (r *run) watchUnsolved() {
	switch w := &r.work; {
	case w.unsolved == 1:
		r.unsolvedGap = r.result.Gap
	case w.unsolved == mostUnsolvedInRow && r.result.Gap < slowGap*r.unsolvedGap:
		w.unsolved = 0
	}
}

// continuation ends the run, and solves the problem in another way (Hale, Yin, Zhang 2008). It begins with the
// smallest lambda for which all penalised coefficients are zero, and then solves for smaller and smaller lambdas.
// Each of them starts at the solution for the one before. continuation returns the result for the lambda of the run
// or, if this is better, the result of the run.
//
// This is for very small lambdas. The run has made nearly all coefficients non-zero, and most of them would have to
// become zero again, a few in each step. On the way from a large lambda, fewer coefficients become non-zero first
// and zero later.
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

// returnTo moves back to x, the end of a run for the given lambda. The dual point becomes the slopes there.
func (s *Solver) returnTo(x []float64, lambda float64) {
	s.setLambda(lambda)
	copy(s.x, x)
	s.visit()
	s.chooseSet(1)
	s.current.value = s.model.value(s.current.loss)
	s.rows.useSlopes(s.x, s.e, false)
}
