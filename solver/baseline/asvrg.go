package baseline

import (
	"math"

	"github.com/scas-admm/scas/solver"
)

// ASVRG is ASVRG-ADMM (Liu, Shang, Cheng, "Accelerated Variance Reduced
// Stochastic ADMM", 2017) with the penalty linearised: [SVRG] on a sequence z
// whose combination x = (1−θ)x̃ + θ z with the snapshot takes the gradients,
//
//	y    ← S_{lambda/ρ}(A z + beta/ρ)
//	z    ← z − η/(θ + η ρ λ₁) [ ĝ(x) + A'(beta + ρ(A z − y)) ]
//	beta ← beta + ρ(A z − y)
//
// and the mean of the x for the next snapshot. θ starts at 0.9 and becomes
// (√(θ⁴+4θ²) − θ²)/2 after each stage; it stays where mu > 0. Stages, the plain
// first one included, and settings are those of SVRG; η defaults to 1/ν_f.
type ASVRG struct{}

// Info implements solver.Method.
func (ASVRG) Info() solver.MethodInfo {
	return stagedInfo("asvrg", "ASVRG-ADMM: SVRG-ADMM with momentum",
		"O(1/T^2) in stages; linear if strongly convex", "8p + 5l + n", "Liu, Shang, Cheng 2017", "the step size; 1/nu_f")
}

// Check implements solver.Checker.
func (ASVRG) Check(p *solver.Problem, s *solver.Settings) error { return checkStages(p, s) }

// Begin implements solver.Method.
func (ASVRG) Begin(r *solver.Run) (solver.Iteration, error) {
	s := &asvrg{svrg: newSVRG(r, 1, r.Settings.InnerSteps), theta: 0.9}
	s.at = s.vector()
	return s, nil
}

type asvrg struct {
	*svrg
	theta float64
	at    []float64 // x
}

func (s *asvrg) Next() (bool, error) {
	more, err := s.inner(s.theta, s.at, func() {
		copy(s.at, s.x)
		towards(s.at, s.point, s.theta)
	})
	if err != nil || !more {
		return false, err
	}
	s.closeStage(s.theta)
	if s.mu == 0 {
		square := float64(s.theta * s.theta)
		s.theta = (math.Sqrt(float64(square*square)+4*square) - square) / 2
	}
	return true, nil
}
