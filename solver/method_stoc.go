package solver

import "github.com/scas-admm/scas/kernels"

// stoc is STOC-ADMM (Ouyang, He, Tran, Gray, "Stochastic Alternating Direction
// Method of Multipliers", 2013), on one sample a step:
//
//	x ← ((1/η_t) I + ρ A'A)⁻¹ [ x/η_t − φ'(aᵢ'x)aᵢ − mu x − A'(beta − ρ y) ]
//
// and then y and beta. η_t = η₀/√t, or min(η₀, 1/(mu t)) where mu > 0; Eta is η₀
// (see decreasing). The average is that of x_0..x_{T−1} and y_1..y_T.
type stoc struct {
	perSample
	solve *shifted
	b     []float64
	eta   decreasing
	t     float64
}

func newSTOC(r *run) iteration {
	s := &stoc{perSample: perSample{baseline: newBaseline(r)}, b: make([]float64, r.p)}
	s.automaticRho(perSampleRho)
	s.eta = s.decreasing()
	s.solve = newShifted(r)
	s.perSample.step, s.average = s.step, s.publish
	return s
}

func (s *stoc) step(i int) {
	s.t++
	kernels.Axpy(1, s.x, s.xs)
	s.proximal(s.x, s.x, 1/s.eta.at(s.t), s.slopeAt(i, s.x), i)
	s.dual(s.times(s.x))
	kernels.Axpy(1, s.y, s.ys)
	s.count++
}

// proximal sets x to the minimiser of (slope·aᵢ + mu·at)'x + (beta − ρ y)'A x +
// (ρ/2)|A x|² + (weight/2)|x − x_old|².
func (s *stoc) proximal(x, at []float64, weight, slope float64, i int) {
	s.frozen()
	b, q := s.b[:len(x)], s.q[:len(x)]
	for j, v := range x {
		b[j] = float64(weight*v) - q[j]
	}
	if s.mu != 0 {
		kernels.Axpy(-s.mu, at, s.b)
	}
	s.scatter(s.b, i, -slope)
	s.solve.solve(x, s.b, weight)
}

// perSampleRho is the automatic rho of the methods that update y and beta with
// every sample, in units of the natural one.
const perSampleRho = 100
