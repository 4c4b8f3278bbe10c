package exact

import (
	"math"

	"github.com/scas-admm/scas/solver/internal/gap"
)

// proveAtSlopes completes r, the result of a run that proved no gap, and returns it. It sets Objective and
// Loss to their values at the current point x, and Gap to the gap that the slopes φ' at x prove. tol is the
// gap to reach. If x has a non-zero coefficient outside the working set, proveAtSlopes only sets Gap to
// +Inf.
func (s *Solver) proveAtSlopes(tol float64, r Result) Result {
	r.Gap = math.Inf(1)
	for j, v := range s.x {
		if v != 0 && (s.set.position == nil || s.set.position[j] == 0) {
			return r
		}
	}
	s.current.value = s.value(s.current.loss)
	s.rows.useSlopes(s.x, s.e)
	s.rows.tally()
	proved := s.proveGap(tol) // may change s.current
	r.Gap, r.Objective, r.Loss = gap.RoundedGap(proved, s.current.value), s.current.value, s.current.loss
	return r
}
