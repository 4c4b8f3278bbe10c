package baseline

import (
	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver"
)

// RDA is RDA-ADMM (Suzuki, "Dual Averaging and Proximal Gradient Descent for
// Online Alternating Direction Multiplier Method", 2013), dual averaging with the
// penalty linearised. With bars for the means over the iterates so far,
//
//	x ← −(η_t/γ_t) [ ḡ + A'( beta̅ + ρ(A x̄ − ȳ) ) ],  η_t = η₀ √t,  γ_t = 1 + (ρ η_t/t) λ₁
//
// and then y and beta with the x just found. It forgets the starting point but
// for the first gradient. Eta is η₀ (see [STOC]). The average is that of
// x_1..x_T.
type RDA struct{ onePass }

// Info implements solver.Method.
func (RDA) Info() solver.MethodInfo {
	return solver.MethodInfo{
		Name: "rda", Summary: "RDA-ADMM: dual averaging, the penalty linearised",
		Rate: "O(1/sqrt T) in samples; O(log T/T) if strongly convex", Memory: "5p + 6l",
		Reference: "Suzuki 2013", Eta: "eta_0 of eta_0 sqrt(t); 16/nu_f", TakesEta: true, StepUnit: decreasingUnit,
	}
}

type rda struct {
	perSample
	g    []float64 // Σ of the data gradients
	c    []float64 // Σ of beta + ρ(A x − y)
	past []float64 // Σ of the x where gradients were taken
	eta  decreasing
	t    float64
}

// Begin implements solver.Method.
func (RDA) Begin(r *solver.Run) (solver.Iteration, error) {
	b := newBase(r, perSampleRho)
	d := &rda{perSample: perSample{base: b, average: b.publish}, eta: b.decreasing()}
	d.g, d.past, d.c = b.vector(), b.vector(), b.rowVector()
	d.perSample.step = d.step
	return d, nil
}

func (d *rda) step(i int) {
	d.t++
	d.data.Scatter(d.g, i, d.slopeAt(i, d.x))
	if d.mu != 0 {
		kernels.Axpy(1, d.x, d.past)
	}
	kernels.Axpy(1, d.beta, d.c)
	kernels.Axpy(d.rho, d.current(), d.c)
	kernels.Axpy(-d.rho, d.y, d.c)
	d.a.MulTrans(d.q, d.c)
	d.addRidge(d.q, d.past)
	eta := float64(d.t * d.eta.convex(d.t))
	gamma := 1 + float64(d.rho*eta/d.t*d.lambda1)
	length := -(eta / (gamma * d.t))
	for j, g := range d.g {
		d.x[j] = float64(length * (g + d.q[j]))
	}
	d.dual(d.times(d.x))
	d.include(d.x, d.y)
}
