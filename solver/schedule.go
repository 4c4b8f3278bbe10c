package solver

import (
	"math"

	"github.com/scas-admm/scas/solver/internal/quad"
)

// A Schedule chooses step sizes and inner-loop lengths.
type Schedule string

// The schedules. The zero value stands for Practical.
const (
	// Practical uses one step size and InnerSteps steps throughout, as the
	// paper's experiments do.
	Practical Schedule = "practical"
	// Theorem uses the constants of the convergence proofs. SCAS: η_t =
	// 1/(C_t (t+1)^δ) and M_t = ⌈C_t (t+1)^2δ⌉ with C_t = ν_L² D² + G_t²
	// (Theorem 1; the domain must be bounded). SCASStrong: η = μ_f/(8ν_f² +
	// μ_f ν_L) and M = ⌈4/(η μ_f)⌉ (Theorem 2 with the restriction on rho
	// removed; L2 must be positive). These are far more cautious than Practical.
	Theorem Schedule = "theorem"
)

// lastFactor is the automatic step size in units of the inverse curvature met by
// the stochastic steps (stepCurvature). The inner loop is stable below 2 and its
// mean converges fastest, near the optimum, at 1 to 1.6.
const lastFactor = 1.5

// maxDualUpdates is the automatic K where dual updates are cheap.
const maxDualUpdates = 40

// curvatureSample is how many rows stepCurvature looks at.
const curvatureSample = 4096

// naturalEta returns the step size for the inner loop that starts at the
// snapshot, halved as often as the watch asked for.
func (s *scas) naturalEta() float64 {
	curvature, mu := s.stepCurvature(), s.Problem.L2
	if s.Stats.BatchSize > 1 {
		// The mean of b samples meets the curvature of the mean loss, and 1/b of
		// what a single sample meets beyond it.
		b := float64(s.Stats.BatchSize)
		curvature = float64(curvature/b) + float64((1-1/b)*s.meanCurvature)
	}
	if s.scale == nil {
		curvature += mu
	}
	eta := math.Inf(1)
	if curvature > 0 {
		eta = s.etaFactor() / curvature
	}
	// The deterministic part of the step is stable below 2/(rho λ₁ + mu), and lazy
	// where A'A is a multiple of the identity up to 1/2 of it.
	most := 1.0
	if c := &s.Stats.Constants; c.Lambda1 == c.LambdaP || s.scale != nil {
		most = 0.499
	}
	eta = math.Min(eta, most/s.stiffness())
	return math.Ldexp(eta, -s.Stats.StepHalvings)
}

// etaFactor is the automatic step size in units of the inverse curvature met. Far from
// the optimum the noise of steps is what is left of the objective, so that the first are
// shorter; with few rows for a feature these hardly meet, and it does not matter.
func (s *scas) etaFactor() float64 {
	n, p := s.Problem.Data.Dims()
	if 4*p > n || !s.Settings.Method.Info().ManyUpdates {
		return lastFactor
	}
	return math.Min(lastFactor, 0.7+float64(0.2*float64(s.Stats.OuterIterations)))
}

// stepCurvature returns Σ hᵢ² / Σ hᵢ with hᵢ = φ”(aᵢ'x_t) |aᵢ|² over a regular
// sample of the rows, or with the loss's bound of φ” where that may jump within the
// inner loop. A stochastic step along aᵢ overshoots by the factor η hᵢ,
// so the mean square of the iterate in a direction v contracts if η E[hᵢ²
// cos²] < 2 E[hᵢ cos²]; weighting by hᵢ itself keeps a few long rows among many
// short ones, or a few uncertain samples among many settled ones, in the bound.
func (s *scas) stepCurvature() float64 {
	p := s.Problem
	n, _ := p.Data.Dims()
	stride := max(1, n/curvatureSample)
	if s.norms == nil {
		for i := 0; i < n; i += stride {
			_, val := s.data.Row(i)
			s.norms = append(s.norms, sumSquares(val))
		}
	}
	smooth := continuousCurvature(p.loss())
	var sum, sum2 float64
	for k, norm2 := range s.norms {
		i, second := k*stride, s.Samples.Curvature()
		if smooth {
			second = s.Samples.SecondDerivative(i, s.Snapshot.Margin[i], s.Snapshot.Slope[i])
		}
		h := float64(second * norm2)
		weighted := h
		if w := p.SampleWeights; w != nil {
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

// continuousCurvature reports whether φ” is known to have no jumps.
func continuousCurvature(l Loss) bool {
	switch l.(type) {
	case Logistic, Squared:
		return true
	}
	return false
}

// naturalDualUpdates keeps the products with A cheaper than the inner steps and
// every block longer than a few steps.
func (s *scas) naturalDualUpdates() int {
	steps := float64(s.Settings.InnerSteps)
	n, p := s.Problem.Data.Dims()
	l, _ := s.A.Dims()
	work := steps * float64(s.Problem.Data.NNZ()) / float64(n)
	perUpdate := float64(l + p)
	if a := s.A.Matrix(); a != nil {
		perUpdate += 2 * float64(a.NNZ())
	} else if !s.A.Identity() {
		perUpdate *= 4
	}
	k := math.Min(work/perUpdate, steps/8)
	return int(math.Max(1, math.Min(k, maxDualUpdates)))
}

// fitBatch limits the dual updates such that every block has some steps, and
// measures what the automatic step size of batches needs.
func (s *scas) fitBatch() {
	st, steps := &s.Stats, s.Settings.InnerSteps
	if st.BatchSize > 1 && s.Settings.DualUpdates == 0 { // a block needs some steps to get anywhere
		st.DualUpdates = max(1, min(st.DualUpdates, steps/st.BatchSize/32))
	}
	st.DualUpdates = max(1, min(st.DualUpdates, steps/st.BatchSize/2))
	if st.BatchSize > 1 {
		n, _ := s.Problem.Data.Dims()
		s.meanCurvature = s.Problem.loss().Curvature() * quad.LargestEigenvalue(s.data) / float64(n)
	}
}

// ridgeRho is what many dual updates ask of ρ where mu > 0: y and beta converge fastest
// with ρ √(λ₁ λ_p) a few times mu, as far as ρ λ₁ does not shorten the steps.
func (s *scas) ridgeRho() float64 {
	c := &s.Stats.Constants
	return 4 * s.Problem.L2 / math.Sqrt(float64(c.Lambda1*math.Max(c.LambdaP, 0.01*c.Lambda1)))
}

// schedule returns η_t and M_t for the outer iteration that begins; the
// snapshot has been taken.
func (s *scas) schedule() (eta float64, steps int) {
	set, c := &s.Settings, &s.Stats.Constants
	switch {
	case s.autoEta():
		return s.naturalEta(), set.InnerSteps
	case set.Schedule == Practical:
		return set.Eta, set.InnerSteps
	case set.Method.Info().Theorem == 2:
		eta = c.MuF / (float64(8*c.NuF*c.NuF) + float64(c.MuF*c.NuL))
		return eta, clampSteps(4 / (eta * c.MuF))
	}
	d := s.Problem.Domain.Diameter()
	ct := float64(c.NuL*c.NuL*d*d) + s.augmentedGradientSquared()
	t := float64(s.Stats.OuterIterations + 1)
	return 1 / (ct * math.Pow(t, set.Delta)), clampSteps(ct * math.Pow(t, 2*set.Delta))
}

func clampSteps(m float64) int {
	return int(math.Max(2, math.Min(math.Ceil(m), 1<<53)))
}

// augmentedGradientSquared returns G_t², G_t = |∇_x L(x_t, y_t, beta_t)|.
func (s *scas) augmentedGradientSquared() float64 {
	s.augmented(s.d, s.violation())
	var sum float64
	for j, v := range s.d {
		g := v + s.Snapshot.Gradient[j] + float64(s.Problem.L2*s.X[j])
		sum += float64(g * g)
	}
	return sum
}
