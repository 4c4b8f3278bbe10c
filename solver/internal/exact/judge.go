package exact

import (
	"math"

	"github.com/scas-admm/scas/solver/internal/gap"
)

// Judge completes r, the result of a run without a proof. It returns r with the objective and the loss at the
// point, and with the gap that the slopes φ' there prove for lambda; tol is the gap that is wanted. If a
// coefficient outside the working set is not zero, it sets only the gap, to +Inf.
func (s *Solver) Judge(lambda, tol float64, r Result) Result {
	s.setLambda(lambda)
	r.Gap = math.Inf(1)
	for j, v := range s.x {
		if v != 0 && (s.set.position == nil || s.set.position[j] == 0) {
			return r
		}
	}
	s.current.value = s.value(s.current.loss)
	s.rows.useSlopes(s.x, s.e)
	s.rows.tally()
	r.Gap, r.Objective, r.Loss = gap.Rounded(s.proveGap(tol), s.current.value), s.current.value, s.current.loss
	return r
}
