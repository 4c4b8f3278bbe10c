package exact

import (
	"math"

	"github.com/scas-admm/scas/solver/internal/gap"
)

// proveAtSlopes returns r, the result of a run that proved no gap, with three fields set: the objective and
// the loss at the current point x, and the gap that the slopes φ' at x prove. tol is the gap to reach. If a
// coefficient outside the working set is not zero, proveAtSlopes sets only the gap, to +Inf.
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
