package solver

import "github.com/scas-admm/scas/kernels"

// rda is RDA-ADMM (Suzuki, "Dual Averaging and Proximal Gradient Descent for
// Online Alternating Direction Multiplier Method", 2013), dual averaging with the
// penalty linearised. With bars for the means over the iterates so far,
//
//	x ← −(η_t/γ_t) [ ḡ + A'( beta̅ + ρ(A x̄ − ȳ) ) ],  η_t = η₀ √t,  γ_t = 1 + (ρ η_t/t) λ₁
//
// and then y and beta with the x just found. It forgets the starting point but
// for the first gradient. Eta is η₀ (see decreasing). The average is that of
// x_1..x_T.
type rda struct {
	perSample
	g    []float64 // Σ of the data gradients
	c    []float64 // Σ of beta + ρ(A x − y)
	past []float64 // Σ of the x where gradients were taken
	eta  decreasing
	t    float64
}

func newRDA(r *run) iteration {
	d := &rda{perSample: perSample{baseline: newBaseline(r)}}
	d.automaticRho(perSampleRho)
	d.eta = d.decreasing()
	d.g, d.past, d.c = make([]float64, r.p), make([]float64, r.p), make([]float64, r.l)
	d.perSample.step, d.average = d.step, d.publish
	return d
}

func (d *rda) step(i int) {
	d.t++
	d.scatter(d.g, i, d.slopeAt(i, d.x))
	if d.mu != 0 {
		kernels.Axpy(1, d.x, d.past)
	}
	kernels.Axpy(1, d.beta, d.c)
	kernels.Axpy(d.rho, d.current(), d.c)
	kernels.Axpy(-d.rho, d.y, d.c)
	d.applyAT(d.q, d.c)
	d.addRidge(d.q, d.past)
	eta := float64(d.t * d.eta.convex(d.t))
	gamma := 1 + float64(d.rho*eta/d.t*d.constants.Lambda1)
	length := -(eta / (gamma * d.t))
	for j, g := range d.g {
		d.x[j] = float64(length * (g + d.q[j]))
	}
	d.dual(d.times(d.x))
	d.include(d.x, d.y)
}
