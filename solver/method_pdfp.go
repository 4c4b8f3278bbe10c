package solver

import (
	"fmt"
	"math"

	"github.com/scas-admm/scas/kernels"
)

// pdfp is SVRG-PDFP (Zhu and Zhang, "A Stochastic Variance Reduced Primal Dual
// Fixed Point Method for Linearly Constrained Separable Optimization", 2020):
//
//	x̂    ← x − η(ĝ + A'beta)
//	beta ← clip(beta + σ A x̂)
//	x    ← x − η(ĝ + A'beta)
//
// with the variance-reduced gradient ĝ of svrg, the same in both lines. Stages
// have InnerSteps samples, by default 2n as published, and the next snapshot is
// the mean of the stage's x. Eta is η, by default 1/ν_f; an automatic η is halved
// as in svrg. Rho is σ, by default the largest allowed, 1/(η λ₁). y is A x. The
// average is that of the snapshots.
type pdfp struct {
	svrg
	gradient, ahead []float64 // ĝ and x̂
}

func newPDFP(r *run) iteration {
	f := &pdfp{svrg: svrg{baseline: newBaseline(r)}}
	f.prepare(1 / r.constants.NuF)
	f.gradient, f.ahead = make([]float64, r.p), make([]float64, r.p)
	if f.set.InnerSteps == 0 {
		f.set.InnerSteps = 2 * r.n
	}
	return f
}

func (f *pdfp) next() (bool, error) {
	_, more, err := f.openStage()
	if err != nil || !more {
		return false, err
	}
	if f.set.Rho == 0 {
		f.rho = 1 / float64(f.eta*f.constants.Lambda1)
	} else if most := 1 / float64(f.eta*f.constants.Lambda1); f.rho > most*(1+1e-9) {
		return false, &SettingError{"Rho", f.rho, fmt.Sprintf("with eta = %.4g it must be at most 1/(eta lambda_1) = %.4g, or 0 for that", f.eta, most)}
	}
	f.restart(f.point)
	clear(f.sum)
	err = f.visitBatches(f.steps, f.batch, f.point, f.move)
	if err != nil {
		return false, err
	}
	copy(f.sumY, f.times(f.sum))
	return true, f.closeStage(1)
}

// move does one step.
func (f *pdfp) move(rows []int32) {
	copy(f.gradient, f.z)
	f.addRidge(f.gradient, f.point)
	f.pull(f.gradient, f.point, rows, 1, true)
	f.applyAT(f.q, f.m)
	copy(f.ahead, f.point)
	kernels.Axpy(-f.eta, f.gradient, f.ahead)
	kernels.Axpy(-f.eta, f.q, f.ahead)
	for j, v := range f.times(f.ahead) {
		f.m[j] = max(-f.limit[j], min(math.FMA(f.rho, v, f.m[j]), f.limit[j]))
	}
	f.applyAT(f.q, f.m)
	kernels.ProjectedUpdate(f.point, f.sum, f.gradient, f.q, f.eta)
}
