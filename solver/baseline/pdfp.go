package baseline

import (
	"cmp"
	"fmt"
	"math"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/sparse"
)

// PDFP is SVRG-PDFP (Zhu and Zhang, "A Stochastic Variance Reduced Primal Dual
// Fixed Point Method for Linearly Constrained Separable Optimization", 2020):
//
//	x̂    ← x − η(ĝ + A'beta)
//	beta ← clip(beta + σ A x̂)
//	x    ← x − η(ĝ + A'beta)
//
// with the variance-reduced gradient ĝ of [SVRG]. The first and the third line use the same ĝ. clip moves
// each entry of beta into [−l, l], where l is the limit of the entry. A stage has InnerSteps samples; zero
// means 2n, as published. The next snapshot is the mean of x over the stage. Eta is η; zero means 1/ν_f. An
// automatic η is halved as in SVRG. Rho is σ; zero means 1/(η λ₁), the largest σ allowed. y is A x. The
// average is the mean of the snapshots. The package comment says what ν_f and λ₁ are.
type PDFP struct{}

func (PDFP) Info() solver.MethodInfo {
	return stagedInfo("svrg-pdfp", "SVRG-PDFP: primal-dual fixed point, no penalty parameter",
		"O(1/T) in stages; linear if strongly convex",
		"8p + 4l + n", "Zhu, Zhang 2020", "the step size; 1/nu_f")
}

func (PDFP) Check(p *solver.Problem, s *solver.Settings) error {
	n, _ := p.Data.Dims()
	return s.CheckBudget(stageCost(roundToBatches(pdfpStage(n, s), max(1, s.BatchSize)), n, true))
}

// pdfpStage returns the number of samples of a stage (see PDFP), before it is rounded to whole batches.
func pdfpStage(n int, s *solver.Settings) int { return cmp.Or(s.InnerSteps, 2*n) }

func (PDFP) Begin(r *solver.Run) (solver.Iteration, error) {
	n, _ := r.Problem.Data.Dims()
	f := &pdfp{svrg: newSVRG(r, 1, 1, pdfpStage(n, &r.Settings))}
	f.gradient, f.lookahead = f.vector(), f.vector()
	if maxRho := 1 / float64(r.Stats.Eta*f.lambda1); r.Settings.Rho > maxRho*(1+1e-9) {
		return nil, &solver.SettingError{Field: "Rho", Value: r.Settings.Rho, Allowed: fmt.Sprintf(
			"with eta = %.4g it must be at most 1/(eta lambda_1) = %.4g", r.Stats.Eta, maxRho),
			Remedies: []sparse.Remedy{{To: "leave it 0 for that"}}}
	}
	return f.iterate, nil
}

type pdfp struct {
	*svrg
	gradient  []float64 // the variance-reduced gradient ĝ
	lookahead []float64 // x̂ = x − η(ĝ + A'beta), with beta before its update
}

func (f *pdfp) iterate() (bool, error) {
	_, affordable, err := f.openStage()
	if err != nil || !affordable {
		return false, err
	}
	return true, f.runPrimalDualStage(1, f.step)
}

// runPrimalDualStage runs a stage: it calls step for every batch of samples, and then closeStage. If
// Settings.Rho is 0, it first sets rho to rhoFactor·theta/(eta·lambda1).
func (s *svrg) runPrimalDualStage(rhoFactor float64, step func(rows []int32)) error {
	if s.run.Settings.Rho == 0 {
		s.run.SetRho(rhoFactor * s.theta / float64(s.eta*s.lambda1))
		s.rho = s.run.Stats.Rho
	}
	clear(s.sum)
	if err := s.drawBatches(s.stageSamples, s.run.Stats.BatchSize, s.point, step); err != nil {
		return err
	}
	copy(s.sumY, s.mulA(s.sum))
	s.closeStage()
	return nil
}

// ascendDual sets the multiplier beta to beta + rho·A x, clipped to its limits. It then sets q = A'beta.
func (s *svrg) ascendDual(x []float64) {
	for j, v := range s.mulA(x) {
		s.multiplier[j] = linalg.Clip(math.FMA(s.rho, v, s.multiplier[j]), s.limit[j])
	}
	s.a.MulVecTrans(s.q, s.multiplier)
}

func (f *pdfp) step(rows []int32) {
	copy(f.gradient, f.run.Snapshot.Gradient)
	f.addRidge(f.gradient, f.point)
	f.addBatchGradient(f.gradient, f.point, rows, 1, true)
	f.a.MulVecTrans(f.q, f.multiplier)
	copy(f.lookahead, f.point)
	kernels.Axpy(-f.eta, f.gradient, f.lookahead)
	kernels.Axpy(-f.eta, f.q, f.lookahead)
	f.ascendDual(f.lookahead)
	f.descend(f.gradient, f.eta)
}
