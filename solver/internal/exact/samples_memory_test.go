package exact

import (
	"math"
	"math/big"
	"testing"

	"github.com/scas-admm/scas/solver/internal/term"
)

// TestModelResidual checks, in exact arithmetic, that the scaled dual point of a proof without a visit of the
// rows is feasible: |X'Cα| is at most the limit of each feature.
func TestModelResidual(t *testing.T) {
	for _, k := range []kind{
		{loss: term.Logistic{}, weighted: true, offset: true},
		{loss: term.Huber{Delta: 0.5}},
	} {
		s := mustNew(t, k.random(300, 12, 5))
		m, proofCount := inMemory(s), 0
		watch := func(*Result) error {
			if m.modelStep == nil {
				return nil
			}
			proofCount++
			m.tally()
			b := m.prove(s.x, make([]float64, s.p), make([]float64, s.p), math.Inf(1))
			if m.modelStep == nil || !(b.Shrink > 0) {
				t.Errorf("%T: no bound: %+v", k.loss, b)
				return nil
			}
			alpha := make([]float64, len(m.alpha))
			for i, a := range m.alpha {
				alpha[i] = b.Shrink * a
			}
			for j, limit := range s.limit {
				e, size := exactResidual(s, alpha, nil, j)
				if excess, _ := new(big.Float).Sub(e.Abs(e), num(limit)).Float64(); excess > 4*0x1p-53*size {
					t.Errorf("%T, lambda %g: feature %d exceeds its limit by %g", k.loss, s.lambda, j, excess)
				}
			}
			return nil
		}
		lambdaMax, err := s.LambdaMax(nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []float64{0.5, 0.4, 0.2, 0.1, 0.05, 0.01, 1e-4} {
			s.Solve(part*lambdaMax, &Settings{Tol: 1e-12 * s.scale, Watch: watch})
		}
		if proofCount < 10 {
			t.Errorf("%T: only %d proofs without a visit", k.loss, proofCount)
		}
	}
}
