package baseline

import (
	"math"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/linalg"
)

// OADM is online ADMM (Wang and Banerjee, "Online Alternating Direction Method", 2012). Step t draws one
// sample i, and uses the loss of this sample without a linear approximation:
//
//	x ← argmin φ(aᵢ'x) + (mu/2)|x|² + (beta − ρ y)'A x + (ρ/2)|A x|² + (w/2)|x − x_old|²
//
// With H = (w + mu) I + ρ A'A, v = H⁻¹(w x_old − A'(beta − ρ y)) and h = H⁻¹aᵢ, the
// solution is x = v − φ'(ζ)h, where ζ = aᵢ'x solves ζ + (aᵢ'h)φ'(ζ) = aᵢ'v. Then y and
// beta are updated.
//
// w is max(√T/η₀, mu t), where T is the number of samples that the budget allows. Eta is η₀; zero
// means 64/ν_f. Result.XAverage is the mean of x_1..x_T. The package comment says what ν_f is.
type OADM struct{ onePassCheck }

func (OADM) Info() solver.MethodInfo {
	return solver.MethodInfo{
		Name: "oadm", Summary: "online ADMM: the sample's loss exact",
		Rate:      "O(1/sqrt T) in samples; O(log T/T) if strongly convex",
		Memory:    "7p + 5l + the eigenbasis of A'A",
		Reference: "Wang, Banerjee 2012", Eta: "eta_0 of the weight max(sqrt(T)/eta_0, mu t); 64/nu_f",
		TakesEta: true, StepUnit: oadmUnit,
	}
}

// The automatic η₀ is oadmUnit/ν_f; the package comment says what ν_f is.
const oadmUnit = 64

type oadm struct {
	*base
	shiftedSolver *linalg.Shifted // solver of systems with the matrix H in the comment of OADM
	b             []float64       // right-hand side of a system
	h, v          []float64       // the vectors h and v in the comment of OADM
	eta0          float64         // η₀
	sqrtT         float64         // √T
	// sweep makes the steps. It is nil if A is neither I nor [G; I], or if conjugate gradients solve the
	// systems; then the method step makes them.
	sweep *sweep
}

func (OADM) Begin(r *solver.Run) (solver.Iteration, error) {
	b := newBase(r, perSampleRho)
	shiftedSolver, err := b.newShiftedSolver()
	if err != nil {
		return nil, err
	}
	o := &oadm{
		base: b, shiftedSolver: shiftedSolver, b: b.vector(), h: b.vector(), v: b.vector(),
		eta0: b.run.StepSize(oadmUnit / b.nu),
	}
	passes := math.Floor(r.Settings.Passes)
	if k := r.Settings.OuterIterations; k > 0 {
		passes = math.Min(passes, float64(k))
	}
	o.sqrtT = math.Sqrt(math.Max(1, float64(b.n)*passes))
	o.sweep = newSweep(b, shiftedSolver, o.b, b.ridgeTerms(b.x)...)
	if o.sweep != nil {
		return b.newAveragingLoop(o.sweepStep).iterate, nil
	}
	return b.newAveragingLoop(o.step).iterate, nil
}

// weight returns w, the weight of (1/2)|x − x_old|² in step t.
func (o *oadm) weight(t float64) float64 { return math.Max(o.sqrtT/o.eta0, float64(o.mu*t)) }

// sweepStep computes v and h only at the features of the sample and at coupled features, because the step
// needs no others.
func (o *oadm) sweepStep(i int, t float64) {
	s, shift := o.sweep, o.weight(t)+o.mu
	s.setCoupledGradients()
	for k, j := range s.CoupledFeatures {
		s.q[j] = s.gradientI[j] + s.gradientG[k]
	}
	s.shiftedSolver.SolveAt(s.CoupledFeatures, s.solution, s.q, shift)
	s.addSampleGradient(i, 1) // the right-hand side aᵢ
	idx, _ := o.run.Problem.Data.Row(i)
	for _, j := range idx {
		o.v[j] = o.x[j] - s.gradientIAt(int(j))/(shift+o.rho)
		o.h[j] = s.g[j] / (shift + o.rho)
	}
	s.shiftedSolver.SolveAt(s.CoupledFeatures, o.h, s.g, shift)
	s.clearGradient(i)
	for _, j := range s.CoupledFeatures {
		o.v[j] = o.x[j] - s.solution[j]
	}
	slope := o.implicitSlope(i, o.data.Margin(i, o.h), o.data.Margin(i, o.v))
	s.addSampleGradient(i, slope)
	for _, j := range s.CoupledFeatures {
		s.solution[j] = math.FMA(slope, o.h[j], s.solution[j])
	}
	s.finishImplicitStep(i, shift, 1)
}

func (o *oadm) step(i int, t float64) {
	weight := o.weight(t)
	o.setLinearTerm()
	b := o.b[:len(o.x)]
	for j, x := range o.x {
		b[j] = float64(weight*x) - o.q[j]
	}
	copy(o.v, o.x)
	o.shiftedSolver.Solve(o.v, o.b, weight+o.mu)
	clear(o.b)
	o.data.Scatter(o.b, i, 1)
	for j, b := range o.b {
		o.h[j] = b / weight // where conjugate gradients start
	}
	o.shiftedSolver.Solve(o.h, o.b, weight+o.mu)
	slope := o.implicitSlope(i, o.data.Margin(i, o.h), o.data.Margin(i, o.v))
	for j, v := range o.v {
		o.x[j] = math.FMA(-slope, o.h[j], v)
	}
	o.updateDual(o.mulA(o.x))
	o.addToSums(o.x, o.y)
}
