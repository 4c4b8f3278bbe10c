package solver

import "github.com/scas-admm/scas/kernels"

// opg is OPG-ADMM (Suzuki, "Dual Averaging and Proximal Gradient Descent for
// Online Alternating Direction Multiplier Method", 2013): STOC-ADMM with the
// penalty linearised by the metric γ_t I − ρ η_t A'A,
//
//	x ← x − (η_t/γ_t) [ φ'(aᵢ'x)aᵢ + mu x + A'(beta + ρ(A x − y)) ],  γ_t = 1 + ρ η_t λ₁
//
// and then y and beta. Steps are those of stoc; Eta is η₀. The average is that of
// x_1..x_T.
type opg struct {
	perSample
	eta decreasing
	t   float64
}

func newOPG(r *run) iteration {
	o := &opg{perSample: perSample{baseline: newBaseline(r)}}
	o.automaticRho(perSampleRho)
	o.eta = o.decreasing()
	o.perSample.step, o.average = o.step, o.publish
	return o
}

func (o *opg) step(i int) {
	o.t++
	eta := o.eta.at(o.t)
	length := eta / (1 + float64(o.rho*eta*o.constants.Lambda1))
	slope := o.slopeAt(i, o.x)
	o.augmented(o.current())
	o.addRidge(o.q, o.x)
	kernels.Axpy(-length, o.q, o.x)
	o.scatter(o.x, i, -float64(length*slope))
	o.dual(o.times(o.x))
	o.include(o.x, o.y)
}
