package baseline

import (
	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver"
)

// OPG is OPG-ADMM (Suzuki, "Dual Averaging and Proximal Gradient Descent for Online Alternating Direction
// Multiplier Method", 2013). It is STOC-ADMM with the term (ρ/2)|A x − y|² linearised. Step t draws one
// sample i, sets
//
//	x ← x − (η_t/γ_t) [ φ'(aᵢ'x)aᵢ + mu x + A'(beta + ρ(A x − y)) ],  γ_t = 1 + ρ η_t λ₁,
//
// and then updates y and beta. The step sizes are as in [STOC]; Eta is η₀. Result.XAverage is the
// mean of x_1..x_T. The package comment says what λ₁ is.
type OPG struct{ onePassCheck }

func (OPG) Info() solver.MethodInfo {
	return solver.MethodInfo{
		Name: "opg", Summary: "OPG-ADMM: STOC-ADMM with the penalty linearised",
		Rate: "O(1/sqrt T) in samples; O(log T/T) if strongly convex", Memory: "4p + 5l",
		Reference: "Suzuki 2013", Eta: decreasingEta, TakesEta: true, StepUnit: decreasingUnit,
	}
}

type opg struct {
	*base
	eta   etaSequence
	sweep *sweep // nil if newSweep does not support A
}

func (OPG) Begin(r *solver.Run) (solver.Iteration, error) {
	b := newBase(r, perSampleRho)
	o := &opg{b, b.etaSequence(), newSweep(b, nil, nil, b.ridgeTerms(b.x)...)}
	if o.sweep != nil {
		return b.newAveragingLoop(o.sweepStep).iterate, nil
	}
	return b.newAveragingLoop(o.step).iterate, nil
}

// stepLength returns η_t/γ_t, the step length of OPG.
func (o *opg) stepLength(t float64) float64 {
	eta := o.eta.stepSize(t)
	return eta / (1 + float64(o.rho*eta*o.lambda1))
}

func (o *opg) sweepStep(i int, t float64) {
	o.sweep.addSampleGradient(i, o.slopeAt(i, o.x))
	o.sweep.stepExplicit(i, o.stepLength(t), 1)
}

func (o *opg) step(i int, t float64) {
	stepLength := o.stepLength(t)
	slope := o.slopeAt(i, o.x)
	o.setAugmentedGradient()
	o.addRidge(o.q, o.x)
	kernels.Axpy(-stepLength, o.q, o.x)
	o.data.Scatter(o.x, i, -float64(stepLength*slope))
	o.updateDual(o.mulA(o.x))
	o.addToSums(o.x, o.y)
}

// RDA is RDA-ADMM from the same paper as [OPG]: dual averaging with the term
// (ρ/2)|A x − y|² linearised. Step t draws one sample i. Let g be φ'(aᵢ'x)aᵢ + mu x, and let bars denote
// means over all steps so far. The step sets
//
//	x ← −(η_t/γ_t) [ ḡ + A'( beta̅ + ρ(A x̄ − ȳ) ) ],  η_t = η₀ √t,  γ_t = 1 + (ρ η_t/t) λ₁,
//
// and then updates y and beta with the new x. Eta is η₀. If Eta is zero, η₀ is 16/ν_f, and η_t is
// t/(ν_f + √t/η₀). Result.XAverage is the mean of x_1..x_T. The package comment says what ν_f and λ₁
// are.
type RDA struct{ onePassCheck }

func (RDA) Info() solver.MethodInfo {
	return solver.MethodInfo{
		Name: "rda", Summary: "RDA-ADMM: dual averaging, the penalty linearised",
		Rate: "O(1/sqrt T) in samples; O(log T/T) if strongly convex", Memory: "5p + 6l",
		Reference: "Suzuki 2013", Eta: "eta_0 of eta_0 sqrt(t); 16/nu_f", TakesEta: true,
		StepUnit: decreasingUnit,
	}
}

type rda struct {
	*base
	g    []float64 // sum of φ'(aᵢ'x)aᵢ over all steps
	c    []float64 // sum of beta + ρ(A x − y) over all steps
	sumX []float64 // sum over all steps of the x before each step; not computed if mu is 0
	eta  etaSequence
}

func (RDA) Begin(r *solver.Run) (solver.Iteration, error) {
	b := newBase(r, perSampleRho)
	d := &rda{base: b, g: b.vector(), sumX: b.vector(), c: b.rowVector(), eta: b.etaSequence()}
	return b.newAveragingLoop(d.step).iterate, nil
}

func (d *rda) step(i int, t float64) {
	d.data.Scatter(d.g, i, d.slopeAt(i, d.x))
	if d.mu != 0 {
		kernels.Axpy(1, d.x, d.sumX)
	}
	kernels.Axpy(1, d.beta, d.c)
	kernels.Axpy(d.rho, d.image, d.c)
	kernels.Axpy(-d.rho, d.y, d.c)
	d.a.MulVecTrans(d.q, d.c)
	d.addRidge(d.q, d.sumX)
	eta := float64(t * d.eta.convexStepSize(t))
	gamma := 1 + float64(d.rho*eta/t*d.lambda1)
	stepLength := -(eta / (gamma * t))
	for j, g := range d.g {
		d.x[j] = float64(stepLength * (g + d.q[j]))
	}
	d.updateDual(d.mulA(d.x))
	d.addToSums(d.x, d.y)
}
