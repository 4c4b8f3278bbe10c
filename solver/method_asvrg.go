package solver

import "math"

// asvrg is ASVRG-ADMM (Liu, Shang, Cheng, "Accelerated Variance Reduced
// Stochastic ADMM", 2017) with the penalty linearised: SVRG-ADMM on a sequence z
// whose combination x = (1−θ)x̃ + θ z with the snapshot takes the gradients,
//
//	y    ← S_{lambda/ρ}(A z + beta/ρ)
//	z    ← z − η/(θ + η ρ λ₁) [ ĝ(x) + A'(beta + ρ(A z − y)) ]
//	beta ← beta + ρ(A z − y)
//
// and the mean of the x for the next snapshot. θ starts at 0.9 and becomes
// (√(θ⁴+4θ²) − θ²)/2 after each stage; it stays where mu > 0. Stages, the plain
// first one included, and settings are those of svrg; η defaults to asvrgEta/ν_f.
type asvrg struct {
	svrg
	theta float64
	at    []float64 // x
}

func newASVRG(r *run) iteration {
	s := &asvrg{svrg: svrg{baseline: newBaseline(r)}, theta: 0.9, at: make([]float64, r.p)}
	s.automaticRho(svrgRho)
	s.prepare(asvrgEta / r.constants.NuF)
	return s
}

const asvrgEta = 1

func (s *asvrg) next() (bool, error) {
	more, err := s.inner(s.theta, s.at, func() {
		copy(s.at, s.x)
		towards(s.at, s.point, s.theta)
	})
	if err != nil || !more {
		return false, err
	}
	err = s.closeStage(s.theta)
	if s.mu == 0 {
		square := float64(s.theta * s.theta)
		s.theta = (math.Sqrt(float64(square*square)+4*square) - square) / 2
	}
	return true, err
}
