package solver

import "github.com/scas-admm/scas/kernels"

// accSADMM is Acc-SADMM (Fang, Cheng, Lin, "Faster and Non-ergodic O(1/K)
// Stochastic Alternating Direction Method of Multipliers", 2017): Nesterov's
// extrapolation and variance reduction together. Blocks are y, with the matrix −I,
// and x, with A. Stage s has θ = 1/(2+2s) and m steps from a snapshot x̃, ỹ with
// multiplier l̃ and b̃ = A x̃ − ỹ; u is the extrapolation of x:
//
//	l  ← l̃ + (ρ θ₂/θ)(A x − y − b̃)
//	y⁺ ← prox of g/w at A u + l/w,  w = ρ/θ
//	x⁺ ← u − ( ĝ(u) + A'[ w(A u − y⁺) + l ] ) / ((1 + 1/(b θ₂))L + ρ λ₁/θ)
//	l̃  ← l + ρ(A x⁺ − y⁺)
//	u  ← x⁺ + (1−θ−θ₂)(x⁺ − x)
//
// with θ₂ = (m−2)/(2(m−1)). The extrapolation of y drops out since y enters with
// −I. Batches have BatchSize samples b, by default 20; stages InnerSteps samples,
// by default 2n. Eta is 1/L, by default accEta/ν_f. The iterate is the stage's
// weighted output, the average that of the outputs.
type accSADMM struct {
	*baseline
	stage             int // its number s
	m                 int
	weight            float64 // L
	point, u          []float64
	tilde, tildeY     []float64
	aPoint, au        []float64 // A x and A u
	lt, bt            []float64
	lam, bracket      []float64
	ym                []float64 // y of the inner loop
	sum, sumY         []float64 // of the stage's x and y
	previous, before  []float64 // x and y before the last step
	theta, theta2, w2 float64
}

// tau is the constant τ = 2 of the method, and its c.
const tau = 2

// accEta is the automatic 1/L in units of 1/ν_f.
const accEta = 4

func newAccSADMM(r *run) iteration {
	s := &accSADMM{baseline: newBaseline(r)}
	s.automaticRho(accRho)
	s.weight = 1 / s.orEta(accEta/r.constants.NuF)
	if r.set.BatchSize == 0 {
		s.roomForBatch(min(20, max(1, r.n/8)))
	}
	samples := r.set.InnerSteps
	if samples == 0 {
		samples = 2 * r.n
	}
	s.m = max(3, samples/s.batch)
	s.steps = s.m * s.batch
	s.theta2 = float64(s.m-tau) / float64(tau*(s.m-1))
	for _, v := range []*[]float64{&s.sum, &s.previous} {
		*v = make([]float64, r.p)
	}
	for _, v := range []*[]float64{&s.point, &s.u, &s.tilde} {
		*v = append([]float64(nil), r.x...)
	}
	for _, v := range []*[]float64{&s.lt, &s.bt, &s.lam, &s.bracket, &s.sumY, &s.before} {
		*v = make([]float64, r.l)
	}
	for _, v := range []*[]float64{&s.aPoint, &s.au, &s.ym, &s.tildeY} {
		*v = append([]float64(nil), s.times(r.x)...)
	}
	return s
}

const accRho = 3

func (s *accSADMM) thetaOf(stage int) float64 { return 1 / float64(tau+tau*stage) }

func (s *accSADMM) next() (bool, error) {
	cost := 1 + float64(s.steps)/float64(s.n)
	if !s.affords(cost) {
		return false, s.budgetError(cost)
	}
	s.full.at(s.z, s.tilde, s.margin, s.slope0)
	s.passes += cost
	s.theta = s.thetaOf(s.stage)
	s.w2 = float64((1+1/(float64(s.batch)*s.theta2))*s.weight) + float64(s.rho*s.constants.Lambda1/s.theta)
	clear(s.sum)
	clear(s.sumY)
	if err := s.visitBatches(s.steps, s.batch, s.point, s.step); err != nil {
		return false, err
	}
	s.output()
	s.closeStage()
	s.accumulate(s.outer + 1)
	return true, s.settle()
}

// step does one inner step.
func (s *accSADMM) step(rows []int32) {
	w := s.rho / s.theta
	lean := float64(w * s.theta2)
	for j, l := range s.lt {
		s.lam[j] = l + float64(lean*(s.aPoint[j]-s.ym[j]-s.bt[j]))
	}
	copy(s.bracket, s.lam)
	copy(s.before, s.ym)
	kernels.ProxDual(s.bracket, s.ym, s.au, s.limit, w)
	s.applyAT(s.q, s.bracket)
	s.addRidge(s.q, s.u)
	kernels.Axpy(1, s.z, s.q)
	s.pull(s.q, s.u, rows, 1, true)
	copy(s.previous, s.point)
	copy(s.point, s.u)
	kernels.Axpy(-1/s.w2, s.q, s.point)
	carry := 1 - s.theta - s.theta2
	for j, x := range s.point {
		s.u[j] = x + float64(carry*(x-s.previous[j]))
	}
	for j, ax := range s.times(s.point) {
		s.lt[j] = s.lam[j] + float64(s.rho*(ax-s.ym[j]))
		s.au[j] = ax + float64(carry*(ax-s.aPoint[j]))
		s.aPoint[j] = ax
	}
	kernels.Axpy(1, s.point, s.sum)
	kernels.Axpy(1, s.ym, s.sumY)
}

// output sets the run's iterate to the weighted mean of the stage, in which the
// last step has weight 1 and the others θ + θ₂.
func (s *accSADMM) output() {
	share := s.theta + s.theta2
	inv := 1 / (float64(float64(s.m-1)*share) + 1)
	for j, x := range s.point {
		s.x[j] = (float64((1-share)*x) + float64(share*s.sum[j])) * inv
	}
	for j, y := range s.ym {
		s.y[j] = (float64((1-share)*y) + float64(share*s.sumY[j])) * inv
	}
	copy(s.beta, s.bracket)
}

// closeStage makes the next snapshot, its multiplier and b̃, and the point from
// which the next stage extrapolates.
func (s *accSADMM) closeStage() {
	s.stage++
	following := s.thetaOf(s.stage)
	ratio := following / s.theta2 * (tau - 1)
	inv := 1 / float64(s.m)
	last, rest := (1-ratio)*inv, (1+ratio/float64(s.m-1))*inv
	jump := following / s.theta
	for j, x := range s.point {
		fresh := float64(last*x) + float64(rest*(s.sum[j]-x))
		pull := float64((1-s.theta)*x) - float64((1-s.theta-s.theta2)*s.previous[j]) - float64(s.theta2*s.tilde[j])
		s.u[j] = float64((1-s.theta2)*x) + float64(s.theta2*fresh) + float64(jump*pull)
		s.tilde[j] = fresh
	}
	for j, y := range s.ym {
		s.tildeY[j] = float64(last*y) + float64(rest*(s.sumY[j]-y))
		s.lt[j] = s.lam[j] + float64(s.rho*(1-tau)*(s.aPoint[j]-y))
	}
	s.mulA(s.bt, s.tilde)
	kernels.Axpy(-1, s.tildeY, s.bt)
	s.mulA(s.au, s.u)
}
