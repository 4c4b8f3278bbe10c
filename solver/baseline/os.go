package baseline

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/solver"
)

// OS1 is the first variant of OS-ADMM (Azadi and Sra, "Towards an optimal
// stochastic alternating direction method of multipliers", 2014), for strongly
// convex problems: the steps of STOC-ADMM with η_k = 2/(mu(k+2)), at most η₀, and
// means that weigh x_k and y_{k+1} by k+1. Eta is η₀ (see [STOC]).
type OS1 struct{ onePass }

// Info implements solver.Method.
func (OS1) Info() solver.MethodInfo {
	return solver.MethodInfo{
		Name: "os1", Summary: "OS-ADMM, variant 1: STOC-ADMM with growing weights",
		Rate: "O(1/T) in samples", Memory: "4p + 5l + the eigenbasis of A'A",
		Reference: "Azadi, Sra 2014", Eta: "eta_0 of min(eta_0, 2/(mu (t+2))); 16/nu_f", TakesEta: true, StepUnit: decreasingUnit, NeedsL2: true,
	}
}

type os1 struct {
	perSample
	prox proximal
	eta  decreasing
	t    float64
}

// Begin implements solver.Method.
func (OS1) Begin(r *solver.Run) (solver.Iteration, error) {
	b := newBase(r, perSampleRho)
	o := &os1{perSample: perSample{base: b, average: func() {}}, prox: b.proximal(), eta: b.decreasing()}
	o.perSample.step = o.step
	return o, nil
}

func (o *os1) step(i int) {
	weight := 2 / (o.t + 2)
	eta := math.Min(o.eta.cap(o.t+1), 2/float64(o.mu*(o.t+2)))
	o.t++
	towards(o.run.Mean.X, o.x, weight)
	o.prox.step(o.x, o.x, 1/eta, o.slopeAt(i, o.x), i)
	o.dual(o.times(o.x))
	towards(o.run.Mean.Y, o.y, weight)
}

// OS2 is the second variant of OS-ADMM (Azadi and Sra 2014), for smooth losses,
// after Nesterov: with γ_k = 2/(k+2),
//
//	u ← (1−γ)x + γ z
//	z ← ((1/η_k) I + ρ A'A)⁻¹ [ z/η_k − φ'(aᵢ'u)aᵢ − mu u − A'(beta − ρ y) ]
//	x ← (1−γ)x + γ z
//
// with 1/η_k = ν_f γ_k + √(k+1)/η₀, and y and beta at A z. Eta is η₀. The iterate
// is itself a weighted mean of the z and serves as the average too.
type OS2 struct{ onePass }

// Info implements solver.Method.
func (OS2) Info() solver.MethodInfo {
	return solver.MethodInfo{
		Name: "os2", Summary: "OS-ADMM, variant 2: accelerated, for smooth losses",
		Rate: "O(1/T^2) + O(1/sqrt T) in samples", Memory: "5p + 5l + the eigenbasis of A'A",
		Reference: "Azadi, Sra 2014", Eta: "eta_0 of the weight sqrt(t)/eta_0; 2/nu_f", TakesEta: true,
	}
}

type os2 struct {
	perSample
	prox     proximal
	eta0, t  float64
	z, point []float64
}

// Begin implements solver.Method.
func (OS2) Begin(r *solver.Run) (solver.Iteration, error) {
	b := newBase(r, perSampleRho)
	o := &os2{perSample: perSample{base: b}, prox: b.proximal(), eta0: b.orEta(2 / b.nu)}
	o.z, o.point = slices.Clone(b.x), b.vector()
	o.perSample.step, o.average = o.step, func() {
		copy(o.run.Mean.X, o.x)
		copy(o.run.Mean.Y, o.y)
	}
	return o, nil
}

func (o *os2) step(i int) {
	gamma := 2 / (o.t + 2)
	copy(o.point, o.x)
	towards(o.point, o.z, gamma)
	weight := float64(o.nu*gamma) + math.Sqrt(o.t+1)/o.eta0
	o.t++
	o.prox.step(o.z, o.point, weight, o.slopeAt(i, o.point), i)
	towards(o.x, o.z, gamma)
	o.dual(o.times(o.z))
}
