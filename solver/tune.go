package solver

import (
	"fmt"
	"math"
)

// etaFactor is the automatic step size in units of the inverse curvature met by
// the stochastic steps (stepCurvature). The inner loop is stable below 2 and its
// mean converges fastest near 1 to 1.6.
const etaFactor = 1.5

// maxDualUpdates is the automatic K where dual updates are cheap.
const maxDualUpdates = 40

// curvatureSample is how many rows stepCurvature looks at.
const curvatureSample = 4096

// tune fills in the constants and what the settings leave to be chosen.
func (r *run) tune() {
	r.constants = newConstants(r.prob)
	r.autoEta = r.set.Eta == 0 && r.set.Schedule == Practical
	r.dualUpdates = 1
	if manyUpdates(r.set.Method) {
		if r.dualUpdates = r.set.DualUpdates; r.dualUpdates == 0 {
			r.dualUpdates = r.naturalDualUpdates()
		}
	}
	if r.rho = r.set.Rho; r.rho == 0 {
		r.rho = naturalRho(r.prob, r.dualUpdates > 1)
	}
	if r.set.Method == SCASL {
		r.kappa = float64(r.rho * r.constants.Lambda1)
	}
	r.constants.NuL = r.constants.NuF + float64(r.rho*r.constants.Lambda1)
}

// naturalEta returns the step size for the inner loop that starts at the
// snapshot, halved as often as the watch asked for.
func (r *run) naturalEta() float64 {
	curvature := r.stepCurvature()
	if r.batch > 1 {
		// The mean of b samples meets the curvature of the mean loss, and 1/b of
		// what a single sample meets beyond it.
		b := float64(r.batch)
		curvature = float64(curvature/b) + float64((1-1/b)*r.meanCurvature)
	}
	curvature += r.prob.L2
	eta := math.Inf(1)
	if curvature > 0 {
		eta = etaFactor / curvature
	}
	// The deterministic part of the step is stable below 2/(rho λ₁ + mu).
	eta = math.Min(eta, 1/(float64(r.rho*r.constants.Lambda1)+r.prob.L2))
	return math.Ldexp(eta, -r.halvings)
}

// stepCurvature returns Σ hᵢ² / Σ hᵢ with hᵢ = φ”(aᵢ'x_t) |aᵢ|² over a regular
// sample of the rows. A stochastic step along aᵢ overshoots by the factor η hᵢ,
// so the mean square of the iterate in a direction v contracts if η E[hᵢ²
// cos²] < 2 E[hᵢ cos²]; weighting by hᵢ itself keeps a few long rows among many
// short ones, or a few uncertain samples among many settled ones, in the bound.
func (r *run) stepCurvature() float64 {
	stride := max(1, r.n/curvatureSample)
	if r.norms == nil {
		for i := 0; i < r.n; i += stride {
			_, val := r.prob.Data.Row(i)
			r.norms = append(r.norms, sumSquares(val))
		}
	}
	var sum, sum2 float64
	for k, norm2 := range r.norms {
		i := k * stride
		h := float64(r.loss.SecondDerivative(r.margin[i], r.slope0[i], r.prob.Labels[i]) * norm2)
		weighted := h
		if w := r.prob.SampleWeights; w != nil {
			weighted = float64(w[i] * h)
		}
		sum += weighted
		sum2 += float64(weighted * h)
	}
	if sum == 0 {
		return 0
	}
	return sum2 / sum
}

// naturalRho returns lambda times the root mean square of |aᵢ|, divided by the
// spread of the labels for regression. beta lives in [−lambda, lambda], so
// lambda/rho must be comparable with the entries of A x, whose unit is that of
// the labels divided by that of the features. With many dual updates per
// snapshot three times as much is better.
func naturalRho(p *Problem, manyUpdates bool) float64 {
	n, _ := p.Data.Dims()
	var sum float64
	for i := range n {
		_, val := p.Data.Row(i)
		sum += sumSquares(val)
	}
	scale := math.Sqrt(sum / float64(n))
	if _, regression := p.loss().(Squared); regression {
		if sd := deviation(p.Labels); sd > 0 {
			scale /= sd
		}
	}
	lambda := p.penalty().Scale()
	if lambda == 0 || scale == 0 {
		return 1e-4 // nothing is penalised: any small proximal weight will do
	}
	if manyUpdates {
		scale *= 3
	}
	return lambda * scale
}

func deviation(v []float64) float64 {
	var mean, sum float64
	for _, b := range v {
		mean += b
	}
	mean /= float64(len(v))
	for _, b := range v {
		sum += float64((b - mean) * (b - mean))
	}
	return math.Sqrt(sum / float64(len(v)))
}

// naturalDualUpdates keeps the products with A cheaper than the inner steps and
// every block longer than a few steps.
func (r *run) naturalDualUpdates() int {
	work := float64(r.set.InnerSteps) * float64(r.prob.Data.NNZ()) / float64(r.n)
	perUpdate := float64(r.l + r.p)
	if a, ok := asMatrix(r.prob.Constraint); ok {
		perUpdate += 2 * float64(a.NNZ())
	} else if r.prob.Constraint != nil {
		perUpdate *= 4
	}
	k := math.Min(work/perUpdate, float64(r.set.InnerSteps)/8)
	return int(math.Max(1, math.Min(k, maxDualUpdates)))
}

// schedule returns η_t and M_t for the outer iteration that begins; the
// snapshot has been taken.
func (r *run) schedule() (eta float64, steps int) {
	if r.set.Schedule == Practical {
		if r.autoEta {
			return r.naturalEta(), r.set.InnerSteps
		}
		return r.set.Eta, r.set.InnerSteps
	}
	c := r.constants
	if r.set.Method == SCASStrong {
		eta = c.MuF / (float64(8*c.NuF*c.NuF) + float64(c.MuF*c.NuL))
		return eta, clampSteps(4 / (eta * c.MuF))
	}
	d := r.prob.Domain.Diameter()
	ct := float64(c.NuL*c.NuL*d*d) + r.augmentedGradientSquared()
	t := float64(r.outer + 1)
	return 1 / (ct * math.Pow(t, r.set.Delta)), clampSteps(ct * math.Pow(t, 2*r.set.Delta))
}

func clampSteps(m float64) int {
	return int(math.Max(2, math.Min(math.Ceil(m), 1<<53)))
}

// augmentedGradientSquared returns G_t², G_t = |∇_x L(x_t, y_t, beta_t)|.
func (r *run) augmentedGradientSquared() float64 {
	r.dualStep.violation(r.dual)
	for j, b := range r.beta {
		r.dual[j] = math.FMA(r.rho, r.dual[j], b)
	}
	r.applyAT(r.d, r.dual)
	var sum float64
	for j, v := range r.d {
		g := v + r.z[j] + float64(r.prob.L2*r.x[j])
		sum += float64(g * g)
	}
	return sum
}

// maxBatch bounds the automatic batch size.
const maxBatch = 256

// setBatch fixes the batch size. Automatically it is 1 unless the plan has to
// multiply by a K so much larger than a sample that sharing the product pays;
// even then 64 steps remain in every outer iteration.
func (r *run) setBatch() {
	r.batch = max(1, r.set.BatchSize)
	d, dense := r.plan.(*densePlan)
	if dense && r.set.BatchSize == 0 && r.set.Schedule == Practical {
		product := float64(2 * r.p)
		if d.k != nil {
			product += float64(d.k.NNZ())
		} else if r.prob.Constraint != nil && r.kappa == 0 {
			product += float64(4 * r.l)
		}
		sample := 20 + 2*float64(r.prob.Data.NNZ())/float64(r.n)
		if ratio := product / sample; d.k != nil && ratio > 8 {
			r.batch = max(1, min(int(ratio), maxBatch, r.set.InnerSteps/64))
			d.why = fmt.Sprintf("%s; %d samples share it, as it costs about %.0f of them", d.why, r.batch, ratio)
		}
	}
	if dense {
		d.gain = make([]float64, r.batch)
	}
	r.rows = make([]int32, max(blockSteps, r.batch))
	if r.batch > 1 && r.set.DualUpdates == 0 { // a block needs some steps to get anywhere
		r.dualUpdates = max(1, min(r.dualUpdates, r.set.InnerSteps/r.batch/32))
	}
	r.dualUpdates = max(1, min(r.dualUpdates, r.set.InnerSteps/r.batch/2))
	if r.batch > 1 {
		n := float64(r.n)
		r.meanCurvature = r.loss.Curvature() * largestEigenvalue(r.prob.Data) / n
	}
}
