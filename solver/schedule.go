package solver

import (
	"math"

	"github.com/scas-admm/scas/solver/internal/admm"
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

// naturalEta returns the step size for the inner loop that starts at the
// snapshot, halved as often as the watch asked for.
func (s *scas) naturalEta() float64 {
	c := &s.Stats.Constants
	step := admm.StepSize{
		Met: s.stepCurvature(), Mean: s.meanCurvature, Batch: s.Stats.BatchSize, Stiffness: s.stiffness(),
		Factor: admm.StepFactor(s.each, len(s.X), s.Stats.OuterIterations, s.Settings.Method.Info().ManyUpdates),
		Lazy:   c.Lambda1 == c.LambdaP || s.state.Metric != nil,
	}
	if s.state.Metric == nil {
		step.Mu = s.Problem.L2
	}
	return math.Ldexp(step.Eta(), -s.Stats.StepHalvings)
}

// stepCurvature is what stochastic steps meet at the snapshot.
func (s *scas) stepCurvature() float64 {
	if s.rows == nil {
		s.rows = admm.NewRowCurvature(s.data, s.Problem.SampleWeights)
	}
	second := func(i int) float64 {
		return s.Samples.SecondDerivative(i, s.Snapshot.Margin[i], s.Snapshot.Slope[i])
	}
	if !s.Problem.loss().Traits().ContinuousCurvature {
		second = func(int) float64 { return s.Samples.Curvature() }
	}
	return s.Problem.team().Most(s.rows.Met(second))
}

// naturalDualUpdates keeps the products with A cheaper than the inner steps.
func (s *scas) naturalDualUpdates() int {
	n, _ := s.Problem.Data.Dims()
	return admm.DualUpdates(float64(s.Settings.InnerSteps), s.Problem.team().Mean(float64(s.Problem.Data.NNZ()), float64(n)), s.A.Operations())
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

// ridgeRho is what mu > 0 asks of ρ.
func (s *scas) ridgeRho() float64 {
	c := &s.Stats.Constants
	return admm.RidgeRho(s.Problem.L2, c.Lambda1, c.LambdaP, s.Stats.DualUpdates > 1)
}

// schedule returns η_t and M_t for the outer iteration that begins; the
// snapshot has been taken.
func (s *scas) schedule() (eta float64, steps int) {
	set := &s.Settings
	switch {
	case s.autoEta():
		return s.naturalEta(), set.InnerSteps
	case set.Schedule == Practical:
		return set.Eta, set.InnerSteps
	case set.Method.Info().Theorem == 2:
		return s.Stats.Constants.Theorem2Steps()
	}
	return s.Stats.Constants.Theorem1Steps(s.state.GradientSquared(), s.Stats.OuterIterations+1, set.Delta)
}
