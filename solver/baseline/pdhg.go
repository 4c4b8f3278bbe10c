package baseline

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/solver"
)

// SVRPDHG is SVR-PDHG ("Stochastic Variance Reduced Primal-Dual Hybrid Gradient Methods for
// Saddle-Point Problems", An and others, Mathematics 13, 2025). It is the method of Qiao and others
// ("On Stochastic Primal-Dual Hybrid Gradient Approach for Compositely Regularized Minimization", 2016)
// with the variance-reduced gradient ĝ of [SVRG]. The function clip is the one of [PDFP]:
//
//	beta ← clip(beta + σ A x̄)
//	x⁺   ← x − η(ĝ + A'beta)
//	x̄    ← 2x⁺ − x
//
// Stages and settings are as in SVRG. Eta is η, by default 1/ν_f; an automatic η is halved as in SVRG. Rho
// is σ, by default 1/(2η λ₁). If ĝ is the exact gradient, the method converges for 1/η − σ λ₁ ≥ ν_f/2 (Condat
// 2013; Vũ 2013). The defaults satisfy this condition. The package comment says what ν_f and λ₁ are.
type SVRPDHG struct{ stageCheck }

func (SVRPDHG) Info() solver.MethodInfo {
	return stagedInfo("svr-pdhg", "SVR-PDHG: primal-dual hybrid gradient with variance reduction",
		"O(1/T) in stages; linear if strongly convex",
		"7p + 4l + n", "An et al. 2025", "the step size; 1/nu_f")
}

func (SVRPDHG) Begin(r *solver.Run) (solver.Iteration, error) { return beginPDHG(r, 1) }

// ASVRPDHG is ASVR-PDHG by the authors of [SVRPDHG]: the same method with momentum. In the recursion of
// SVRPDHG, a sequence z replaces x, and η/θ replaces η. Gradients are computed at x = (1−θ)x̃ + θ z, where x̃
// is the snapshot. θ and the stages are as in [ASVRG]. By default η is 1/ν_f, and σ is θ/(2η λ₁). The package
// comment says what ν_f and λ₁ are.
type ASVRPDHG struct{ stageCheck }

func (ASVRPDHG) Info() solver.MethodInfo {
	return stagedInfo("asvr-pdhg", "ASVR-PDHG: SVR-PDHG with momentum",
		"O(1/T^2) in stages; linear if strongly convex",
		"8p + 4l + n", "An et al. 2025", "the step size; 1/nu_f")
}

func (ASVRPDHG) Begin(r *solver.Run) (solver.Iteration, error) { return beginPDHG(r, firstTheta) }

type pdhg struct {
	*svrg
	lookahead []float64 // 2p⁺ − p, if the last step moved point from p to p⁺
}

// beginPDHG begins a PDHG method. theta is θ of the first stage, or 1 for a method without momentum.
func beginPDHG(r *solver.Run, theta float64) (solver.Iteration, error) {
	s := newSVRG(r, 1, theta, r.Settings.InnerSteps)
	p := &pdhg{svrg: s, lookahead: slices.Clone(s.point)}
	return p.iterate, nil
}

func (p *pdhg) iterate() (bool, error) {
	halvings := p.halvingsSeen
	hasSnapshot, affordable, err := p.openStage()
	if err != nil || !affordable {
		return false, err
	}
	if p.halvingsSeen != halvings { // openStage has set point to the run's iterate
		copy(p.lookahead, p.point)
	}
	return true, p.runPrimalDualStage(0.5, func(rows []int32) { p.step(rows, hasSnapshot) })
}

func (p *pdhg) step(rows []int32, hasSnapshot bool) {
	p.ascendDual(p.lookahead)
	p.setGradientPoint()
	p.addRidge(p.q, p.gradientPoint)
	stepLength := p.eta / p.theta
	copy(p.lookahead, p.point)
	p.addBatchGradient(p.point, p.gradientPoint, rows, -stepLength, hasSnapshot)
	p.descend(p.run.Snapshot.Gradient, stepLength)
	for j, v := range p.point {
		p.lookahead[j] = math.FMA(2, v, -p.lookahead[j])
	}
}
