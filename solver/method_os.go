package solver

import "math"

// os1 is the first variant of OS-ADMM (Azadi and Sra, "Towards an optimal
// stochastic alternating direction method of multipliers", 2014), for strongly
// convex problems: the steps of STOC-ADMM with η_k = 2/(mu(k+2)), at most η₀, and
// means that weigh x_k and y_{k+1} by k+1. Eta is η₀ (see decreasing).
type os1 struct{ stoc }

func newOS1(r *run) iteration {
	o := &os1{stoc{perSample: perSample{baseline: newBaseline(r)}, b: make([]float64, r.p), solve: newShifted(r)}}
	o.automaticRho(perSampleRho)
	o.eta = o.decreasing()
	o.perSample.step, o.average = o.step, func() {}
	return o
}

func (o *os1) step(i int) {
	weight := 2 / (o.t + 2)
	eta := math.Min(o.eta.cap(o.t+1), 2/float64(o.mu*(o.t+2)))
	o.t++
	towards(o.xbar, o.x, weight)
	o.proximal(o.x, o.x, 1/eta, o.slopeAt(i, o.x), i)
	o.dual(o.times(o.x))
	towards(o.ybar, o.y, weight)
}

// towards sets mean += weight (v − mean).
func towards(mean, v []float64, weight float64) {
	for j, x := range v {
		mean[j] = math.FMA(weight, x-mean[j], mean[j])
	}
}

// os2 is the second variant of OS-ADMM (Azadi and Sra 2014), for smooth losses,
// after Nesterov: with γ_k = 2/(k+2),
//
//	u ← (1−γ)x + γ z
//	z ← ((1/η_k) I + ρ A'A)⁻¹ [ z/η_k − φ'(aᵢ'u)aᵢ − mu u − A'(beta − ρ y) ]
//	x ← (1−γ)x + γ z
//
// with 1/η_k = ν_f γ_k + √(k+1)/η₀, and y and beta at A z. Eta is η₀. The iterate
// is itself a weighted mean of the z and serves as the average too.
type os2 struct {
	stoc
	eta0     float64
	z, point []float64
}

func newOS2(r *run) iteration {
	o := &os2{stoc: stoc{perSample: perSample{baseline: newBaseline(r)}, b: make([]float64, r.p), solve: newShifted(r)}}
	o.automaticRho(perSampleRho)
	o.eta0 = o.orEta(2 / r.constants.NuF)
	o.z, o.point = append([]float64(nil), r.x...), make([]float64, r.p)
	o.perSample.step, o.average = o.step, func() {
		copy(o.xbar, o.x)
		copy(o.ybar, o.y)
	}
	return o
}

func (o *os2) step(i int) {
	gamma := 2 / (o.t + 2)
	copy(o.point, o.x)
	towards(o.point, o.z, gamma)
	weight := float64(o.constants.NuF*gamma) + math.Sqrt(o.t+1)/o.eta0
	o.t++
	o.proximal(o.z, o.point, weight, o.slopeAt(i, o.point), i)
	towards(o.x, o.z, gamma)
	o.dual(o.times(o.z))
}
