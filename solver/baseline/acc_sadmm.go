package baseline

import (
	"cmp"
	"slices"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver"
)

// AccSADMM is Acc-SADMM (Fang, Cheng, Lin, "Faster and Non-ergodic O(1/K) Stochastic
// Alternating Direction Method of Multipliers", 2017), which combines Nesterov's
// extrapolation with variance reduction. Stage s = 0, 1, … has θ = 1/(2+2s) and m steps. It
// starts from a snapshot x̃, ỹ with the multiplier l̃, and b̃ = A x̃ − ỹ. In a step, u is the
// extrapolation of x, ĝ is the variance-reduced gradient of [SVRG], and g is the penalty:
//
//	l  ← l̃ + (ρ θ₂/θ)(A x − y − b̃)
//	y⁺ ← prox of g/w at A u + l/w,  w = ρ/θ
//	x⁺ ← u − ( ĝ(u) + A'[ w(A u − y⁺) + l ] ) / ((1 + 1/(b θ₂))L + ρ λ₁/θ)
//	l̃  ← l + ρ(A x⁺ − y⁺)
//	u  ← x⁺ + (1−θ−θ₂)(x⁺ − x)
//
// with θ₂ = (m−2)/(2(m−1)). b is the number of samples of a step: BatchSize, by default n/8, but at most
// 20. A stage has InnerSteps samples, by default 2n, and at least 3 steps. Eta is 1/L, by default 4/ν_f.
// The iterate is a weighted mean of the x of a stage, and the average is the mean of the iterates.
// The package comment says what ν_f and λ₁ are.
type AccSADMM struct{}

func (AccSADMM) Info() solver.MethodInfo {
	return stagedInfo("acc-sadmm", "Acc-SADMM: extrapolation and variance reduction",
		"O(1/T) in steps, non-ergodic", "9p + 9l + n", "Fang, Cheng, Lin 2017", "1/L; 4/nu_f")
}

func (AccSADMM) Check(p *solver.Problem, s *solver.Settings) error {
	n, _ := p.Data.Dims()
	batch, m := accStage(n, s)
	return s.CheckBudget(1 + float64(float64(m)*float64(batch))/float64(n)) // m*batch may exceed an int
}

// accStage returns the batch size and the number of steps of a stage.
func accStage(n int, s *solver.Settings) (batch, m int) {
	batch = cmp.Or(s.BatchSize, min(20, max(1, n/8)))
	return batch, max(3, cmp.Or(s.InnerSteps, 2*n)/batch)
}

// tau is the value of τ and of c in the publication.
const tau = 2

// accSADMM is the state of AccSADMM. The comments of its fields name the letters in the formulas of the
// publication.
type accSADMM struct {
	*base
	m                int       // number of inner steps in a stage
	invEta           float64   // L, the inverse of Eta
	point, lookahead []float64 // x of the inner loop, and its extrapolation u
	xt               []float64 // the snapshot x̃
	aPoint, au       []float64 // A x and A u
	lt, bt           []float64 // the multiplier l̃, and b̃ = A x̃ − ỹ
	multiplier       []float64 // the multiplier l within a step
	bracket          []float64 // w(A u − y⁺) + l in the formulas of AccSADMM
	innerY           []float64 // y of the inner loop
	sum, sumY        []float64 // sums of x and y over the steps of a stage
	previousX        []float64 // x before the last step
	theta, theta2    float64   // θ and θ₂ in the formulas of AccSADMM
	denominator      float64   // denominator in the update of x
}

func (AccSADMM) Begin(r *solver.Run) (solver.Iteration, error) {
	s := &accSADMM{base: newBase(r, 3)}
	s.invEta = 1 / s.run.StepSize(4/s.nu)
	var batch int
	batch, s.m = accStage(s.n, &r.Settings)
	s.setBatchSize(batch)
	r.Stats.InnerSteps = s.m * batch
	s.theta2 = float64(s.m-tau) / float64(tau*(s.m-1))
	s.sum, s.previousX = s.vector(), s.vector()
	s.point, s.lookahead, s.xt = slices.Clone(s.x), slices.Clone(s.x), slices.Clone(s.x)
	s.multiplier, s.bracket, s.sumY = s.rowVector(), s.rowVector(), s.rowVector()
	ax := s.mulA(s.x)
	s.aPoint, s.au, s.bt = slices.Clone(ax), slices.Clone(ax), slices.Clone(ax)
	s.innerY, s.lt = slices.Clone(s.y), slices.Clone(s.beta)
	kernels.Axpy(-1, s.y, s.bt)
	return s.iterate, nil
}

func (s *accSADMM) thetaOf(stage int) float64 { return 1 / float64(tau+tau*stage) }

func (s *accSADMM) iterate() (bool, error) {
	r := s.run
	cost := 1 + float64(s.run.Stats.InnerSteps)/float64(s.n)
	if !r.Affords(cost) {
		return false, nil
	}
	s.data.Gradient(&r.Snapshot, s.xt)
	r.Spend(cost)
	s.theta = s.thetaOf(s.run.Stats.OuterIterations)
	s.denominator = float64((1+1/(float64(r.Stats.BatchSize)*s.theta2))*s.invEta) +
		float64(s.rho*s.lambda1/s.theta)
	clear(s.sum)
	clear(s.sumY)
	if err := s.drawBatches(s.run.Stats.InnerSteps, r.Stats.BatchSize, s.point, s.step); err != nil {
		return false, err
	}
	s.setIterate()
	s.closeStage()
	r.Average()
	return true, nil
}

func (s *accSADMM) step(rows []int32) {
	w := s.rho / s.theta
	multiplierStep := float64(w * s.theta2)
	for j, l := range s.lt {
		s.multiplier[j] = l + float64(multiplierStep*(s.aPoint[j]-s.innerY[j]-s.bt[j]))
	}
	copy(s.bracket, s.multiplier)
	kernels.ProxDual(s.bracket, s.innerY, s.au, s.limit, w)
	s.a.MulVecTrans(s.q, s.bracket)
	s.addRidge(s.q, s.lookahead)
	kernels.Axpy(1, s.run.Snapshot.Gradient, s.q)
	s.addBatchGradient(s.q, s.lookahead, rows, 1, true)
	copy(s.previousX, s.point)
	copy(s.point, s.lookahead)
	kernels.Axpy(-1/s.denominator, s.q, s.point)
	momentum := 1 - s.theta - s.theta2
	for j, x := range s.point {
		s.lookahead[j] = x + float64(momentum*(x-s.previousX[j]))
	}
	for j, ax := range s.mulA(s.point) {
		s.lt[j] = s.multiplier[j] + float64(s.rho*(ax-s.innerY[j]))
		s.au[j] = ax + float64(momentum*(ax-s.aPoint[j]))
		s.aPoint[j] = ax
	}
	kernels.Axpy(1, s.point, s.sum)
	kernels.Axpy(1, s.innerY, s.sumY)
}

// setIterate sets the run's iterate. Its x and y are weighted means over the steps of the stage. The last
// step has the weight 1, every other step θ + θ₂.
func (s *accSADMM) setIterate() {
	otherWeight := s.theta + s.theta2
	inv := 1 / (float64(float64(s.m-1)*otherWeight) + 1)
	for j, x := range s.point {
		s.x[j] = (float64((1-otherWeight)*x) + float64(otherWeight*s.sum[j])) * inv
	}
	for j, y := range s.innerY {
		s.y[j] = (float64((1-otherWeight)*y) + float64(otherWeight*s.sumY[j])) * inv
	}
	copy(s.beta, s.bracket)
}

// closeStage computes x̃, l̃, b̃ and u for the start of the next stage. The comment of AccSADMM explains
// these letters.
func (s *accSADMM) closeStage() {
	followingTheta := s.thetaOf(s.run.Stats.OuterIterations + 1)
	thetaRatio := followingTheta / s.theta2 * (tau - 1)
	inv := 1 / float64(s.m)
	lastWeight, otherWeight := (1-thetaRatio)*inv, (1+thetaRatio/float64(s.m-1))*inv
	extrapolationFactor := followingTheta / s.theta
	for j, x := range s.point {
		snapshot := float64(lastWeight*x) + float64(otherWeight*(s.sum[j]-x))
		extrapolation := float64((1-s.theta)*x) - float64((1-s.theta-s.theta2)*s.previousX[j]) -
			float64(s.theta2*s.xt[j])
		s.lookahead[j] = float64((1-s.theta2)*x) + float64(s.theta2*snapshot) +
			float64(extrapolationFactor*extrapolation)
		s.xt[j] = snapshot
	}
	s.a.MulVec(s.bt, s.xt)
	for j, y := range s.innerY {
		s.bt[j] -= float64(lastWeight*y) + float64(otherWeight*(s.sumY[j]-y))
		s.lt[j] = s.multiplier[j] + float64(s.rho*(1-tau)*(s.aPoint[j]-y))
	}
	s.a.MulVec(s.au, s.lookahead)
}
