package baseline

import (
	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver"
)

// OPG is OPG-ADMM (Suzuki, "Dual Averaging and Proximal Gradient Descent for
// Online Alternating Direction Multiplier Method", 2013): STOC-ADMM with the
// penalty linearised by the metric γ_t I − ρ η_t A'A,
//
//	x ← x − (η_t/γ_t) [ φ'(aᵢ'x)aᵢ + mu x + A'(beta + ρ(A x − y)) ],  γ_t = 1 + ρ η_t λ₁
//
// and then y and beta. Steps are those of [STOC]; Eta is η₀. The average is that of
// x_1..x_T.
type OPG struct{ onePass }

// Info implements solver.Method.
func (OPG) Info() solver.MethodInfo {
	return solver.MethodInfo{
		Name: "opg", Summary: "OPG-ADMM: STOC-ADMM with the penalty linearised",
		Rate: "O(1/sqrt T) in samples; O(log T/T) if strongly convex", Memory: "3p + 5l",
		Reference: "Suzuki 2013", Eta: decreasingEta, TakesEta: true, StepUnit: decreasingUnit,
	}
}

type opg struct {
	perSample
	eta decreasing
	t   float64
}

// Begin implements solver.Method.
func (OPG) Begin(r *solver.Run) (solver.Iteration, error) {
	b := newBase(r, perSampleRho)
	o := &opg{perSample: perSample{base: b, average: b.publish}, eta: b.decreasing()}
	o.perSample.step = o.step
	return o, nil
}

func (o *opg) step(i int) {
	o.t++
	eta := o.eta.at(o.t)
	length := eta / (1 + float64(o.rho*eta*o.lambda1))
	slope := o.slopeAt(i, o.x)
	o.augmented(o.current())
	o.addRidge(o.q, o.x)
	kernels.Axpy(-length, o.q, o.x)
	o.data.Scatter(o.x, i, -float64(length*slope))
	o.dual(o.times(o.x))
	o.include(o.x, o.y)
}
