package baseline

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/linalg"
)

// SDCA is SDCA-ADMM (Suzuki, "Stochastic Dual Coordinate Ascent with Alternating
// Direction Method of Multipliers", 2014): ADMM on the dual
//
//	min Σ φ*(αᵢ) + n g*(v/n)  subject to  r := Σ αᵢ aᵢ + A'v = 0
//
// with the loss φ and the penalty g; x is the multiplier of the constraint. A step uses one sample i,
// with κ = ρ|aᵢ|². η_B is λ₁, the largest eigenvalue of A'A. clip moves each entry of v into [−n l, n l],
// where l is the limit of the same entry of beta. r⁺ is r after the updates of v and αᵢ:
//
//	v  ← clip(v + A(x/ρ − r)/η_B)
//	αᵢ ← φ'(u),  where u + κ φ'(u) = κ αᵢ + aᵢ'(x − ρ(Σ αᵢ aᵢ + A'v))
//	x  ← x − (ρ/4)(r⁺ − r + r/n)
//
// αᵢ, v and r start at zero. SDCA uses only the field X of Settings.Start.
//
// If mu > 0, the term (mu/2)|x|² is a part of g: the rows of I with the penalty (mu/2)|·|² are appended to A,
// and η_B is λ₁ + 1. Rho is ρ; zero means 0.1. Eta is not used. beta is v/n, and y is A x.
// Result.XAverage is the mean of x over all steps. If a run stops within a pass, its result is the iterate
// before this pass.
type SDCA struct{ onePassCheck }

func (SDCA) Info() solver.MethodInfo {
	return solver.MethodInfo{
		Name: "sdca", Summary: "SDCA-ADMM: dual coordinate ascent",
		Rate: "linear if strongly convex and smooth", Memory: "2n + 7p + 4l",
		Reference: "Suzuki 2014", Eta: "not used",
	}
}

type sdca struct {
	*base
	alpha   []float64 // αᵢ of each sample
	norm2   []float64 // |aᵢ|²
	z       []float64 // Σ αᵢ aᵢ
	res     []float64 // the residual r = Σ αᵢ aᵢ + A'v, plus l2 if mu > 0
	nextRes []float64 // r⁺, the residual after a step
	v       []float64 // dual variable of the penalty
	l2      []float64 // dual variable of the term (mu/2)|x|²
	etaB    float64   // η_B: base.lambda1, plus 1 if mu > 0
	shrink  float64   // factor by which a step multiplies l2
}

// sdcaRho is the automatic ρ.
const sdcaRho = 0.1

func (SDCA) Begin(r *solver.Run) (solver.Iteration, error) {
	s := &sdca{base: newBase(r, 1), norm2: r.Problem.Data.RowNormsSq()}
	if r.Settings.Rho == 0 {
		r.SetRho(sdcaRho)
		s.rho = sdcaRho
	}
	s.x = slices.Clone(r.X) // the run's x changes at the end of a pass, with y and beta
	s.alpha = make([]float64, s.n)
	s.z, s.res, s.nextRes, s.l2, s.v = s.vector(), s.vector(), s.vector(), s.vector(), s.rowVector()
	s.etaB = max(s.lambda1, 1/linalg.MaxEntry) // positive, because a step divides by it
	if s.mu > 0 {
		s.etaB++
		s.shrink = 1 / (1 + 1/(float64(s.n)*s.mu*s.rho*s.etaB))
	}
	return (&sampleLoop{base: s.base, step: s.step, setMean: s.finishPass}).iterate, nil
}

func (s *sdca) step(i int, _ float64) {
	n, inv := float64(s.n), 1/s.etaB
	nextRes, res := s.nextRes[:len(s.x)], s.res[:len(s.x)]
	for j, x := range s.x {
		nextRes[j] = x/s.rho - res[j]
	}
	if s.mu > 0 {
		for j, v := range s.nextRes {
			s.l2[j] = math.FMA(inv, v, s.l2[j]) * s.shrink
		}
	}
	image := s.mulA(s.nextRes)
	v, limit := s.v[:len(image)], s.limit[:len(image)]
	for j, u := range image {
		v[j] = linalg.Clip(math.FMA(inv, u, v[j]), float64(n*limit[j]))
	}
	s.a.MulVecTrans(s.nextRes, s.v)
	for j, z := range s.z {
		s.nextRes[j] += z + s.l2[j]
	}
	kappa := float64(s.rho * s.norm2[i])
	t := float64(kappa*s.alpha[i]) + s.data.Margin(i, s.x) - float64(s.rho*s.data.Margin(i, s.nextRes))
	alpha := s.implicitSlope(i, kappa, t)
	s.data.Scatter(s.z, i, alpha-s.alpha[i])
	s.data.Scatter(s.nextRes, i, alpha-s.alpha[i])
	s.alpha[i] = alpha
	quarterRho, resFactor := s.rho/4, 1-1/n
	for j, newRes := range nextRes {
		s.x[j] = math.FMA(-quarterRho, newRes-float64(resFactor*res[j]), s.x[j])
		res[j] = newRes
	}
	kernels.Axpy(1, s.x, s.sums.x)
	s.sums.weight++
}

// finishPass sets the run's iterate and Run.Mean at the end of a pass. The steps do not update them.
func (s *sdca) finishPass() {
	copy(s.run.X, s.x)
	inv := 1 / float64(s.n)
	for j, v := range s.v {
		s.beta[j] = linalg.Clip(v*inv, s.limit[j])
	}
	s.a.MulVec(s.y, s.x)
	s.setMeanFromSums()
	s.a.MulVec(s.run.Mean.Y, s.run.Mean.X)
}
