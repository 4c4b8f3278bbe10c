package lasso

import (
	"math"

	"github.com/scas-admm/scas/solver/internal/newton"
)

const (
	pathFrom   = 64   // the last lambda as a multiple of the next, from which on a path leads there
	pathFactor = 4    // from one lambda to the next
	pathTol    = 1e-3 // gap to which they are solved, as a part of P(0)
)

// Solve moves the point to the solution for lambda ≥ 0, with a gap of at most set.Tol. Where
// columns are chosen, a lambda far below the last one is reached by way of others, each of
// which tells more of the columns of the next than the point where it began; where the path
// ends before, what is proved of its last point is for lambda itself.
func (s *Solver) Solve(lambda float64, set *Settings) Result {
	var all Result
	if s.work.started && s.p > leastRoom && lambda > 0 && s.lambda > pathFrom*lambda {
		rough := *set
		rough.Tol = math.Max(set.Tol, pathTol*s.scale)
		way := lambda
		for way*pathFactor < s.lambda {
			way *= pathFactor
		}
		for ; way > lambda; way /= pathFactor {
			all.add(s.solve(way, &rough))
			if all.Err != nil || all.Full {
				return s.judge(lambda, set.Tol, all)
			}
		}
	}
	all.add(s.solve(lambda, set))
	return all
}

// judge returns a result for lambda at the point, of which r is one for another lambda: the
// dual point is φ'(t).
func (s *Solver) judge(lambda, tol float64, r Result) Result {
	s.setLambda(lambda)
	for j, v := range s.x {
		if v != 0 && (s.set.place == nil || s.set.place[j] == 0) {
			s.at.value = math.Inf(1)
		}
	}
	r.Gap = math.Inf(1)
	if math.IsInf(s.at.value, 1) {
		return r // not even its parts are known
	}
	s.at.value, s.work.fenchel = s.value(&s.at), 0
	s.curvatures()
	copy(s.work.alpha, s.at.slope)
	if s.facts.apart != nil {
		for i, a := range s.work.alpha {
			s.work.alpha[i] = max(s.work.lo[i], min(a, s.work.hi[i]))
		}
		s.work.fenchel = s.fenchel(s.work.alpha, &s.at)
	}
	r.Gap, r.Objective, r.Loss = newton.Rounded(s.certify(tol), s.at.value), s.at.value, s.at.loss
	return r
}

// add makes r the result, with the work of those before.
func (all *Result) add(r Result) {
	r.Iterations, r.Proofs = r.Iterations+all.Iterations, r.Proofs+all.Proofs
	*all = r
}
