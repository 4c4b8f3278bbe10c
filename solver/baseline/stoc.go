package baseline

import (
	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/quad"
)

// STOC is STOC-ADMM (Ouyang, He, Tran, Gray, "Stochastic Alternating Direction
// Method of Multipliers", 2013), on one sample a step:
//
//	x ← ((1/η_t) I + ρ A'A)⁻¹ [ x/η_t − φ'(aᵢ'x)aᵢ − mu x − A'(beta − ρ y) ]
//
// and then y and beta. η_t = η₀/√t, or min(η₀, 1/(mu t)) where mu > 0; Eta is η₀,
// chosen to be 16/ν_f and then used with care where it is zero. The average is that
// of x_0..x_{T−1} and y_1..y_T.
type STOC struct{ onePass }

// Info implements solver.Method.
func (STOC) Info() solver.MethodInfo {
	return solver.MethodInfo{
		Name: "stoc", Summary: "STOC-ADMM: linearised loss, exact penalty",
		Rate: "O(1/sqrt T) in samples; O(log T/T) if strongly convex", Memory: "3p + 4l + the eigenbasis of A'A",
		Reference: "Ouyang, He, Tran, Gray 2013", Eta: decreasingEta, TakesEta: true, StepUnit: decreasingUnit,
	}
}

type stoc struct {
	perSample
	prox proximal
	eta  decreasing
	t    float64
}

// Begin implements solver.Method.
func (STOC) Begin(r *solver.Run) (solver.Iteration, error) {
	b := newBase(r, perSampleRho)
	s := &stoc{perSample: perSample{base: b, average: b.publish}, prox: b.proximal(), eta: b.decreasing()}
	s.perSample.step = s.step
	return s, nil
}

// perSampleRho is the automatic rho of the methods that update y and beta with
// every sample, in units of the natural one.
const perSampleRho = 100

func (s *stoc) step(i int) {
	s.t++
	kernels.Axpy(1, s.x, s.sums.x)
	s.prox.step(s.x, s.x, 1/s.eta.at(s.t), s.slopeAt(i, s.x), i)
	s.dual(s.times(s.x))
	kernels.Axpy(1, s.y, s.sums.y)
	s.sums.count++
}

// proximal does the x-step of STOC-ADMM and of what was made after it.
type proximal struct {
	*base
	shifted *quad.Shifted
	b       []float64
}

func (b *base) proximal() proximal { return proximal{b, b.a.Shifted(b.rho), b.vector()} }

// step sets x to the minimiser of (slope·aᵢ + mu·at)'x + (beta − ρ y)'A x +
// (ρ/2)|A x|² + (weight/2)|x − x_old|².
func (s *proximal) step(x, at []float64, weight, slope float64, i int) {
	s.frozen()
	b, q := s.b[:len(x)], s.q[:len(x)]
	for j, v := range x {
		b[j] = float64(weight*v) - q[j]
	}
	if s.mu != 0 {
		kernels.Axpy(-s.mu, at, s.b)
	}
	s.data.Scatter(s.b, i, -slope)
	s.shifted.Solve(x, s.b, weight)
}
