package solver

import (
	"math"

	"github.com/scas-admm/scas/kernels"
)

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
	snapshot, more, err := s.openStage()
	if err != nil || !more {
		return false, err
	}
	s.restart(s.point)
	step := s.eta / (s.theta + float64(s.eta*s.rho*s.constants.Lambda1))
	clear(s.sum)
	clear(s.sumY)
	ax := s.times(s.point)
	err = s.visitBatches(s.steps, s.batch, s.point, func(rows []int32) {
		copy(s.at, s.x)
		towards(s.at, s.point, s.theta)
		s.beforeX(ax)
		s.addRidge(s.q, s.at)
		s.pull(s.point, s.at, rows, -step, snapshot)
		kernels.ProjectedUpdate(s.point, s.sum, s.z, s.q, step)
		ax = s.times(s.point)
		s.afterX(ax)
	})
	if err != nil {
		return false, err
	}
	err = s.closeStage(s.theta)
	if s.mu == 0 {
		square := float64(s.theta * s.theta)
		s.theta = (math.Sqrt(float64(square*square)+4*square) - square) / 2
	}
	return true, err
}
