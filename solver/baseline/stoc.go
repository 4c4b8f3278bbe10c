package baseline

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/linalg"
)

// STOC is STOC-ADMM (Ouyang, He, Tran, Gray, "Stochastic Alternating Direction Method of
// Multipliers", 2013). Step t draws one sample i, sets
//
//	x ← ((1/η_t) I + ρ A'A)⁻¹ [ x/η_t − φ'(aᵢ'x)aᵢ − mu x − A'(beta − ρ y) ],
//
// and then updates y and beta. If Eta is set, it is η₀, and η_t is η₀/√t for mu = 0, and
// min(η₀, 1/(mu t)) for mu > 0. If Eta is zero, η₀ is 16/ν_f, and η_t is 1/(ν_f + √t/η₀), but for
// mu > 0 at most 1/(mu t); the package comment says what ν_f is. Result.XAverage and
// Result.YAverage are the means of x_0..x_{T−1} and of y_1..y_T.
type STOC struct{ onePassCheck }

func (STOC) Info() solver.MethodInfo {
	return solver.MethodInfo{
		Name: "stoc", Summary: "STOC-ADMM: linearised loss, exact penalty",
		Rate:      "O(1/sqrt T) in samples; O(log T/T) if strongly convex",
		Memory:    "4p + 4l + the eigenbasis of A'A",
		Reference: "Ouyang, He, Tran, Gray 2013", Eta: decreasingEta, TakesEta: true,
		StepUnit: decreasingUnit,
	}
}

// stoc is the state of STOC and OS1.
type stoc struct {
	proximalStep
	stepSize func(t float64) float64 // the step size η_t of step t
	weight   func(t float64) float64 // weight of the x and y of step t in Run.Mean
	sweep    *sweep                  // nil if newSweep does not support A
}

func (STOC) Begin(r *solver.Run) (solver.Iteration, error) {
	b := newBase(r, perSampleRho)
	return b.beginSTOC(b.etaSequence().stepSize, func(float64) float64 { return 1 })
}

func (b *base) beginSTOC(stepSize, weight func(t float64) float64) (solver.Iteration, error) {
	p, err := b.newProximalStep()
	if err != nil {
		return nil, err
	}
	s := &stoc{p, stepSize, weight, newSweep(b, p.shiftedSolver, p.b, b.ridgeTerms(b.x)...)}
	if s.sweep != nil {
		s.sweep.lagging = true
		return b.newAveragingLoop(s.sweepStep).iterate, nil
	}
	return b.newAveragingLoop(s.step).iterate, nil
}

// perSampleRho is the automatic rho of STOC and similar methods, in units of Run.NaturalRho.
const perSampleRho = 100

func (s *stoc) step(i int, t float64) {
	weight := s.weight(t)
	kernels.Axpy(weight, s.x, s.sums.x)
	s.move(s.x, s.x, 1/s.stepSize(t), s.slopeAt(i, s.x), i)
	s.updateDual(s.mulA(s.x))
	kernels.Axpy(weight, s.y, s.sums.y)
	s.sums.weight += weight
}

func (s *stoc) sweepStep(i int, t float64) {
	s.sweep.addSampleGradient(i, s.slopeAt(i, s.x))
	s.sweep.stepImplicit(i, 1/s.stepSize(t), s.weight(t))
}

// proximalStep updates x for STOC and OS1, and z for OS2.
type proximalStep struct {
	*base
	shiftedSolver *linalg.Shifted // solver of systems with the matrix w I + ρ A'A, for any w > 0
	b             []float64       // right-hand side of the system
}

func (b *base) newProximalStep() (proximalStep, error) {
	shiftedSolver, err := b.newShiftedSolver()
	return proximalStep{b, shiftedSolver, b.vector()}, err
}

// move sets x to the minimiser of (slope·aᵢ + mu·point)'x + (beta − ρ y)'A x +
// (ρ/2)|A x|² + (weight/2)|x − x_old|², where x_old is x before the call.
func (s *proximalStep) move(x, point []float64, weight, slope float64, i int) {
	s.setLinearTerm()
	b, q := s.b[:len(x)], s.q[:len(x)]
	for j, v := range x {
		b[j] = float64(weight*v) - q[j]
	}
	if s.mu != 0 {
		kernels.Axpy(-s.mu, point, s.b)
	}
	s.data.Scatter(s.b, i, -slope)
	s.shiftedSolver.Solve(x, s.b, weight)
}

// OS1 is the first variant of OS-ADMM (Azadi and Sra, "Towards an optimal stochastic alternating direction
// method of multipliers", 2014), for strongly convex problems. It is [STOC] with η_k = min(η₀, 2/(mu(k+2)))
// for k = 0, 1, … In its means, x_k and y_{k+1} have the weight k+1. Eta is η₀. If Eta is zero, η_k is
// min(1/(ν_f + √(k+1)/η₀), 2/(mu(k+2))) with η₀ = 16/ν_f. The package comment says what ν_f is.
type OS1 struct{ onePassCheck }

func (OS1) Info() solver.MethodInfo {
	return solver.MethodInfo{
		Name: "os1", Summary: "OS-ADMM, variant 1: STOC-ADMM with growing weights",
		Rate: "O(1/T) in samples", Memory: "4p + 4l + the eigenbasis of A'A",
		Reference: "Azadi, Sra 2014", Eta: "eta_0 of min(eta_0, 2/(mu (t+2))); 16/nu_f", TakesEta: true,
		StepUnit: decreasingUnit, NeedsL2: true,
	}
}

func (OS1) Begin(r *solver.Run) (solver.Iteration, error) {
	b := newBase(r, perSampleRho)
	eta := b.etaSequence()
	stepSize := func(t float64) float64 { return math.Min(eta.maxStepSize(t), 2/float64(b.mu*(t+1))) }
	return b.beginSTOC(stepSize, func(t float64) float64 { return t })
}

// OS2 is the second variant of OS-ADMM (Azadi and Sra 2014), for smooth losses. It uses
// Nesterov's acceleration, with γ = γ_k = 2/(k+2) in step k = 0, 1, …:
//
//	u ← (1−γ)x + γ z
//	z ← ((1/η_k) I + ρ A'A)⁻¹ [ z/η_k − φ'(aᵢ'u)aᵢ − mu u − A'(beta − ρ y) ]
//	x ← (1−γ)x + γ z
//
// with 1/η_k = ν_f γ_k + √(k+1)/η₀. Then y and beta are updated with A z in place of A x. Eta is η₀; zero
// means 2/ν_f. Result.XAverage is x itself. The package comment says what ν_f is.
type OS2 struct{ onePassCheck }

func (OS2) Info() solver.MethodInfo {
	return solver.MethodInfo{
		Name: "os2", Summary: "OS-ADMM, variant 2: accelerated, for smooth losses",
		Rate: "O(1/T^2) + O(1/sqrt T) in samples", Memory: "6p + 5l + the eigenbasis of A'A",
		Reference: "Azadi, Sra 2014", Eta: "eta_0 of the weight sqrt(t)/eta_0; 2/nu_f", TakesEta: true,
	}
}

type os2 struct {
	proximalStep
	eta0     float64
	z, point []float64 // the sequence z, and the point u at which gradients are computed
	sweep    *sweep    // nil if newSweep does not support A
}

func (OS2) Begin(r *solver.Run) (solver.Iteration, error) {
	b := newBase(r, perSampleRho)
	p, err := b.newProximalStep()
	if err != nil {
		return nil, err
	}
	o := &os2{proximalStep: p, eta0: b.run.StepSize(2 / b.nu), z: slices.Clone(b.x), point: b.vector()}
	m := &sampleLoop{base: b, step: o.step, setMean: func() {
		copy(r.Mean.X, o.x)
		copy(r.Mean.Y, o.y)
	}}
	o.sweep = newSweep(b, p.shiftedSolver, p.b, term{0, b.x}, term{0, o.z})
	if o.sweep != nil {
		o.sweep.x, m.step = o.z, o.sweepStep
	}
	return m.iterate, nil
}

func (o *os2) step(i int, t float64) {
	gamma := 2 / (t + 1)
	copy(o.point, o.x)
	linalg.MoveTowards(o.point, o.z, gamma)
	weight := float64(o.nu*gamma) + math.Sqrt(t)/o.eta0
	o.move(o.z, o.point, weight, o.slopeAt(i, o.point), i)
	linalg.MoveTowards(o.x, o.z, gamma)
	o.updateDual(o.mulA(o.z))
}

func (o *os2) sweepStep(i int, t float64) {
	gamma := 2 / (t + 1)
	idx, _ := o.run.Problem.Data.Row(i)
	for _, j := range idx {
		o.point[j] = math.FMA(gamma, o.z[j]-o.x[j], o.x[j])
	}
	o.sweep.addSampleGradient(i, o.slopeAt(i, o.point))
	o.sweep.terms[0].factor, o.sweep.terms[1].factor = float64(o.mu*(1-gamma)), float64(o.mu*gamma)
	o.sweep.stepImplicit(i, float64(o.nu*gamma)+math.Sqrt(t)/o.eta0, 0)
	kernels.Axpy(-gamma, o.x, o.x)
	kernels.Axpy(gamma, o.z, o.x)
}
