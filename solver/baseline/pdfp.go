package baseline

import (
	"cmp"
	"fmt"
	"math"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver"
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
// each entry of the multiplier into its limits. Stages have InnerSteps samples, by default 2n as published,
// and the next snapshot is the mean of the stage's x. Eta is η, by default 1/ν_f; an automatic η is halved
// as in SVRG. Rho is σ, by default 1/(η λ₁), the largest σ that is allowed. y is A x. The average is the
// mean of the snapshots.
type PDFP struct{}

func (PDFP) Info() solver.MethodInfo {
	return stagedInfo("svrg-pdfp", "SVRG-PDFP: primal-dual fixed point, no penalty parameter",
		"O(1/T) in stages; linear if strongly convex", "8p + 4l + n", "Zhu, Zhang 2020", "the step size; 1/nu_f")
}

func (PDFP) Check(p *solver.Problem, s *solver.Settings) error {
	n, _ := p.Data.Dims()
	c := *s
	c.InnerSteps = cmp.Or(s.InnerSteps, 2*n)
	return staged{}.Check(p, &c)
}

func (PDFP) Begin(r *solver.Run) (solver.Iteration, error) {
	n, _ := r.Problem.Data.Dims()
	f := &pdfp{svrg: newSVRG(r, 1, cmp.Or(r.Settings.InnerSteps, 2*n))}
	f.gradient, f.ahead = f.vector(), f.vector()
	if most := 1 / float64(r.Stats.Eta*f.lambda1); r.Settings.Rho > most*(1+1e-9) {
		return nil, &solver.SettingError{Field: "Rho", Value: r.Settings.Rho, Allowed: fmt.Sprintf(
			"with eta = %.4g it must be at most 1/(eta lambda_1) = %.4g", r.Stats.Eta, most),
			Remedies: []sparse.Remedy{{To: "leave it 0 for that"}}}
	}
	return f.next, nil
}

type pdfp struct {
	*svrg
	gradient []float64 // the variance-reduced gradient ĝ
	ahead    []float64 // x̂ = x − η(ĝ + A'beta), with beta before its update
}

func (f *pdfp) next() (bool, error) {
	_, more, err := f.openStage()
	if err != nil || !more {
		return false, err
	}
	if f.run.Settings.Rho == 0 {
		f.rho = 1 / float64(f.eta*f.lambda1)
		f.run.SetRho(f.rho)
	}
	clear(f.sum)
	if err := f.visitBatches(f.steps, f.run.Stats.BatchSize, f.point, f.move); err != nil {
		return false, err
	}
	copy(f.sumY, f.times(f.sum))
	f.closeStage(1)
	return true, nil
}

func (f *pdfp) move(rows []int32) {
	copy(f.gradient, f.run.Snapshot.Gradient)
	f.addRidge(f.gradient, f.point)
	f.addReduced(f.gradient, f.point, rows, 1, true)
	f.a.MulVecTrans(f.q, f.m)
	copy(f.ahead, f.point)
	kernels.Axpy(-f.eta, f.gradient, f.ahead)
	kernels.Axpy(-f.eta, f.q, f.ahead)
	for j, v := range f.times(f.ahead) {
		f.m[j] = max(-f.limit[j], min(math.FMA(f.rho, v, f.m[j]), f.limit[j]))
	}
	f.a.MulVecTrans(f.q, f.m)
	kernels.ProjectedUpdate(f.point, f.sum, f.gradient, f.q, f.eta)
}
