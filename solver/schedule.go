package solver

import "math"

// A Schedule says how step sizes and the lengths of inner loops are chosen.
type Schedule string

// The schedules. The zero value means Practical.
const (
	// Practical draws InnerSteps samples in every inner loop. A given Eta is the step size of all
	// inner loops, as in the paper's experiments.
	Practical Schedule = "practical"
	// Theorem uses the step size η and the number M of samples of an inner loop for which the paper
	// proves convergence. SCAS: η = 1/(C (t+1)^δ) and M = ⌈C (t+1)^2δ⌉ with C = ν_L² D² + G² (Theorem 1;
	// the domain must be bounded). SCASStrong: η = μ_f/(8ν_f² + μ_f ν_L) and M = ⌈4/(η μ_f)⌉
	// (Theorem 2 with the restriction on rho removed; L2 must be positive). t = 0, 1, … is the outer
	// iteration, δ is Settings.Delta, and G is Stats.GradientNorm of iteration t; D, ν_f, ν_L and
	// μ_f are fields of theory.Constants. A step takes one sample. Steps are far shorter than with Practical.
	Theorem Schedule = "theorem"
)

// schedule chooses the step size η and the number of samples of the next inner loop. It adds the passes of
// the outer iteration to Stats.Passes. If the budget does not allow these passes, schedule adds nothing and
// more is false; before the first outer iteration it may also return an error.
func (s *scas) schedule() (eta float64, more bool, err error) {
	set, st := &s.Settings, &s.Stats
	steps, gradientSquared := set.InnerSteps, s.outer.GradientSquared()
	switch {
	case s.autoEta():
		eta = s.outer.NaturalEta(st.OuterIterations)
	case set.Schedule == Practical:
		eta = set.Eta
	case set.Method.Info().Theorem == 2:
		eta, steps = st.Constants.Theorem2Steps()
	default:
		eta, steps = st.Constants.Theorem1Steps(gradientSquared, st.OuterIterations+1, set.Delta)
	}
	if !s.Affords(s.cost(steps)) {
		if st.OuterIterations == 0 {
			err = set.CheckBudget(s.cost(steps))
		}
		return 0, false, err
	}
	st.Eta, st.InnerSteps, s.rowSet.Samples = eta, steps, steps
	st.GradientNorm = math.Sqrt(gradientSquared)
	s.Spend(s.cost(steps))
	return eta, true, nil
}

func (s *scas) autoEta() bool { return s.Settings.Eta == 0 && s.Settings.Schedule == Practical }

// cost returns the effective passes of an outer iteration whose inner loop draws the given number of samples.
func (s *scas) cost(samples int) float64 { return 1 + float64(samples)/float64(s.scales.Samples) }
