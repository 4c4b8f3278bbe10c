package baseline

import (
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/solvertest"
)

// methodAtOptimum wraps a method whose runs start at the optimum. If the method stores slopes, they start as
// the slopes at the optimum, not as zeros.
type methodAtOptimum struct{ solver.Method }

func (m methodAtOptimum) Begin(r *solver.Run) (solver.Iteration, error) {
	var s *sa
	var err error
	switch m.Method.(type) {
	case SA:
		s, err = newSA(r, true, false)
	case SAIU:
		s, err = newSA(r, true, true)
	case SAG:
		s, err = newSA(r, false, false)
	case SAGIU:
		s, err = newSA(r, false, true)
	default:
		return m.Method.Begin(r)
	}
	if err != nil {
		return nil, err
	}
	for i := range s.slope {
		s.slope[i] = s.slopeAt(i, r.X)
		s.data.Scatter(s.gm, i, s.slope[i]/float64(s.n))
	}
	return s.iterate, nil
}

// TestFixedPoints starts methods at the optimum and its multiplier. Variance-reduced methods and methods
// that use all samples must stay there. Plain stochastic gradient methods must move away, which shows that
// the test can fail.
func TestFixedPoints(t *testing.T) {
	p := solvertest.ChainProblem(t, 0.05)
	solution := solvertest.Minimize(t, p, &solver.Settings{RelTol: 1e-13})
	// A second run makes one more Newton step, which gives all digits of x.
	solution = solvertest.Minimize(t, p, &solver.Settings{RelTol: 1e-13, Start: solver.Iterate{X: solution.X}})
	for _, m := range []solver.Method{
		SVRG{}, PDFP{}, ASVRG{}, SVRPDHG{}, ASVRPDHG{}, SA{}, SAIU{}, SAG{}, SAGIU{}, Batch{}, BatchLinear{},
		BatchUzawa{}, AccSADMM{}, STOC{}, OPG{},
	} {
		info := m.Info()
		s := &solver.Settings{
			Method: methodAtOptimum{m}, Start: solver.Iterate{X: solution.X, Dual: solution.Dual},
			OuterIterations: 3,
		}
		if info.TakesInnerSteps {
			// Without InnerSteps, the first outer iteration of SVRG has no snapshot, and its stochastic
			// gradients would move x away from the optimum.
			s.InnerSteps = 200
		}
		distance := solvertest.RelativeDistance(solvertest.LastIterate(t, p, s), solution.X)
		if noisy := info.StepUnit > 0; noisy && distance < 1e-3 || !noisy && distance > 1e-12 {
			t.Errorf("%s moved by %.1e from the optimum", info.Name, distance)
		}
	}
}
