package baseline

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/linalg"
)

// SVRG is SVRG-ADMM (Zheng and Kwok, "Fast-and-Light Stochastic ADMM", 2016) with the
// term (ρ/2)|A x − y|² linearised. A stage is a snapshot, if there is one, and the steps after it. x̃ is the
// snapshot, and z is the gradient of the mean loss at x̃. Each step updates y, x and beta in this order:
//
//	y    ← S_{lambda/ρ}(A x + beta/ρ)
//	x    ← x − (η/γ)[ ĝ + A'(beta + ρ(A x − y)) ],  γ = 1 + η ρ λ₁
//	beta ← beta + ρ(A x − y)
//
// S_c moves each entry towards 0 by c, but not beyond 0 (soft thresholding). The variance-reduced gradient ĝ
// is (φ'(aᵢ'x) − φ'(aᵢ'x̃))aᵢ + z + mu x, where i is the sample of the step. The next snapshot is the mean
// of x over the stage. The next stage starts with the last x and beta. The run's iterate is the snapshot, and
// the run's average is the mean of the snapshots.
//
// The lengths of the stages are not from the paper. The first stage has n/4 samples, the second n/2, stages 3
// to 9 have n, and every later stage has 2n. The first stage has no snapshot: ĝ is the stochastic gradient.
// If InnerSteps is set, every stage has a snapshot and InnerSteps samples (2n in the paper). If BatchSize is
// set, ĝ is a mean over BatchSize samples. Eta is η; zero means 2/ν_f. An automatic η is halved if the
// objective at the snapshots keeps rising. The package comment says what ν_f and λ₁ are.
type SVRG struct{ stageCheck }

func (SVRG) Info() solver.MethodInfo {
	return stagedInfo("svrg", "SVRG-ADMM, linearised, y and beta updated with every sample; growing stages",
		"O(1/T) in stages; linear if strongly convex",
		"7p + 4l + n", "Zheng, Kwok 2016", "the step size; 2/nu_f")
}

// stagedInfo returns the MethodInfo of a method with stages and batches.
func stagedInfo(name, summary, rate, memory, reference, eta string) solver.MethodInfo {
	return solver.MethodInfo{
		Name: name, Summary: summary, Rate: rate, Memory: memory, Reference: reference, Eta: eta,
		TakesEta: true, TakesInnerSteps: true, TakesBatchSize: true,
	}
}

// stageCheck is embedded in methods with the stages of SVRG.
type stageCheck struct{}

// Check returns an error if the budget does not allow the first stage.
func (stageCheck) Check(p *solver.Problem, s *solver.Settings) error {
	n, _ := p.Data.Dims()
	samples, hasSnapshot := stageLength(0, n, s.InnerSteps)
	return s.CheckBudget(stageCost(roundToBatches(samples, max(1, s.BatchSize)), n, hasSnapshot))
}

func (SVRG) Begin(r *solver.Run) (solver.Iteration, error) {
	return newSVRG(r, 2, 1, r.Settings.InnerSteps).iterate, nil
}

// SVRGRestart is [SVRG] as published for strongly convex problems. Every stage with a
// snapshot x̃ starts at x̃, with the smallest beta for which ∇f(x̃) + A'beta = 0,
// where f is the mean loss plus (mu/2)|x|²:
//
//	x ← x̃,  beta ← −(A')⁺ ∇f(x̃) = −A(A'A)⁻¹∇f(x̃)
//
// Convergence is proved if A has full row rank; then this beta tends to the only multiplier of the optimum.
// If A has more rows than columns, there are many multipliers, and this beta usually violates
// |beta| ≤ lambda.
type SVRGRestart struct{ stageCheck }

func (SVRGRestart) Info() solver.MethodInfo {
	i := stagedInfo("svrg-restart", "SVRG-ADMM restarted at every snapshot, as published if strongly convex",
		"linear if strongly convex and A has full row rank", "7p + 4l + n + the eigenbasis of A'A",
		"Zheng, Kwok 2016", "the step size; 2/nu_f")
	i.NeedsL2 = true
	return i
}

func (SVRGRestart) Begin(r *solver.Run) (solver.Iteration, error) {
	s := newSVRG(r, 2, 1, r.Settings.InnerSteps)
	var err error
	s.normalSolver, err = s.newShiftedSolver()
	return s.iterate, err
}

// rankTolerance times the largest eigenvalue of A'A is added to the diagonal of A'A, because A'A may be
// singular.
const rankTolerance = 1e-12

// restart starts the inner loop at the snapshot x̃, with the multiplier −A(A'A)⁻¹∇f(x̃).
func (s *svrg) restart() {
	copy(s.point, s.x)
	copy(s.q, s.run.Snapshot.Gradient)
	s.addRidge(s.q, s.x)
	clear(s.sum)
	s.normalSolver.Solve(s.sum, s.q, rankTolerance*float64(s.rho*s.lambda1))
	s.a.MulVec(s.multiplier, s.sum)
	linalg.Scale(s.multiplier, -s.rho)
}

// svrgRho is the automatic rho of SVRG and its variants, in units of Run.NaturalRho.
const svrgRho = 30

type svrg struct {
	*base
	fixedLength   int       // samples in every stage; 0 for the stages of SVRG, which differ in length
	stageSamples  int       // number of samples in the current stage
	point         []float64 // x of the inner loop
	multiplier    []float64 // beta of the inner loop; it may exceed the limit
	sum           []float64 // sum of x over the steps of the stage
	sumY          []float64 // sum of y over the steps of the stage
	innerY        []float64 // y of the inner loop; the run's y is the y of the snapshot
	theta         float64   // θ of the stage; 1 for methods without momentum
	gradientPoint []float64 // (1−θ)x̃ + θ·point, where gradients are computed; x̃ is the snapshot

	firstEta, eta float64 // the step size before all halvings, and the step size now
	// halvingsSeen is the value of Stats.StepHalvings when the inner loop last started from the run's
	// iterate.
	halvingsSeen int
	// Solves systems with the matrix ρ A'A plus a small diagonal shift; nil except for SVRGRestart.
	normalSolver *linalg.Shifted
}

// newSVRG returns the state of a method with stages. Its automatic step size is etaFactor/ν_f. theta is θ of
// the first stage, or 1 for a method without momentum. fixedLength is the number of samples in every stage,
// or 0 for the stages of [SVRG].
func newSVRG(r *solver.Run, etaFactor, theta float64, fixedLength int) *svrg {
	s := &svrg{base: newBase(r, svrgRho), fixedLength: fixedLength, theta: theta}
	s.firstEta = r.StepSize(etaFactor / s.nu)
	s.sum, s.sumY = s.vector(), s.rowVector()
	s.point, s.multiplier, s.innerY = slices.Clone(s.x), slices.Clone(s.beta), s.rowVector()
	s.gradientPoint = s.point
	if theta < 1 {
		s.gradientPoint = s.vector()
	}
	return s
}

// stageLength returns the number of samples of stage 0, 1, … hasSnapshot is true if the stage has a snapshot.
// If fixedLength is not 0, every stage has a snapshot and fixedLength samples; otherwise the stages are as in
// [SVRG].
func stageLength(stage, n, fixedLength int) (samples int, hasSnapshot bool) {
	switch {
	case fixedLength > 0:
		return fixedLength, true
	case stage == 0:
		return max(1, n/4), false
	case stage == 1:
		return max(1, n/2), true
	case stage < 9:
		return n, true
	}
	return 2 * n, true
}

func roundToBatches(samples, batch int) int { return max(1, samples/batch) * batch }

func stageCost(samples, n int, hasSnapshot bool) float64 {
	cost := float64(samples) / float64(n)
	if hasSnapshot {
		cost++
	}
	return cost
}

// openStage prepares the next stage: it sets the fields stageSamples and eta, and counts the passes of the
// stage. If the stage has a snapshot, hasSnapshot is true, and openStage computes the snapshot at the run's
// iterate. affordable is false if the budget does not allow the stage.
func (s *svrg) openStage() (hasSnapshot, affordable bool, err error) {
	r := s.run
	s.stageSamples, hasSnapshot = stageLength(r.Stats.OuterIterations, s.n, s.fixedLength)
	s.stageSamples = roundToBatches(s.stageSamples, r.Stats.BatchSize)
	cost := stageCost(s.stageSamples, s.n, hasSnapshot)
	if !r.Affords(cost) {
		return false, false, nil
	}
	if hasSnapshot {
		if err := r.WatchedSnapshot(r.Settings.Eta == 0); err != nil {
			return false, false, err
		}
		if s.halvingsSeen != r.Stats.StepHalvings { // after a halving, start at the run's iterate
			s.halvingsSeen = r.Stats.StepHalvings
			copy(s.point, s.x)
			copy(s.multiplier, s.beta)
		}
		if s.normalSolver != nil {
			s.restart()
		}
	}
	s.eta = math.Ldexp(s.firstEta, -r.Stats.StepHalvings)
	r.Stats.Eta, r.Stats.InnerSteps = s.eta, s.stageSamples
	r.Spend(cost)
	return hasSnapshot, true, nil
}

// iterate runs a stage with steps of length η/(θ + η ρ λ₁); see ASVRG for θ, and SVRG for the other letters.
func (s *svrg) iterate() (bool, error) {
	hasSnapshot, affordable, err := s.openStage()
	if err != nil || !affordable {
		return false, err
	}
	z := s.run.Snapshot.Gradient // zero before the first snapshot
	stepLength := s.eta / (s.theta + float64(s.eta*s.rho*s.lambda1))
	clear(s.sum)
	clear(s.sumY)
	ax := s.mulA(s.point)
	err = s.drawBatches(s.stageSamples, s.run.Stats.BatchSize, s.point, func(rows []int32) {
		s.setGradientPoint()
		s.updateY(ax)
		s.addRidge(s.q, s.gradientPoint)
		s.addBatchGradient(s.point, s.gradientPoint, rows, -stepLength, hasSnapshot)
		s.descend(z, stepLength)
		ax = s.mulA(s.point)
		kernels.Axpy(s.rho, ax, s.multiplier)
		kernels.Axpy(-s.rho, s.innerY, s.multiplier)
	})
	if err != nil {
		return false, err
	}
	s.closeStage()
	return true, nil
}

// descend subtracts stepLength times z + q from the point, and adds the new point to the sum. It overwrites q.
func (s *svrg) descend(z []float64, stepLength float64) {
	kernels.Axpy(1, z, s.q)
	kernels.Axpy(-stepLength, s.q, s.point)
	kernels.Axpy(1, s.point, s.sum)
}

// setGradientPoint sets gradientPoint to the point at which the next step computes gradients.
func (s *svrg) setGradientPoint() {
	if s.theta < 1 {
		copy(s.gradientPoint, s.x)
		linalg.MoveTowards(s.gradientPoint, s.point, s.theta)
	}
}

// updateY updates innerY and adds it to sumY. It then sets q = A'(beta + ρ(A x − y)). The vector in
// parentheses is clip(beta + ρ A x), which ProxDual stores in u.
func (s *svrg) updateY(ax []float64) {
	copy(s.u, s.multiplier)
	kernels.ProxDual(s.u, s.innerY, ax, s.limit, s.rho)
	s.a.MulVecTrans(s.q, s.u)
	kernels.Axpy(1, s.innerY, s.sumY)
}

// closeStage sets the run's iterate to the next snapshot. x and y move by the fraction θ of the distance to
// their means over the stage. beta becomes the multiplier clipped to the limits.
func (s *svrg) closeStage() {
	inv := 1 / float64(s.stageSamples/s.run.Stats.BatchSize)
	linalg.Scale(s.sum, inv)
	linalg.Scale(s.sumY, inv)
	if s.theta == 1 {
		copy(s.x, s.sum)
		copy(s.y, s.sumY)
	} else {
		linalg.MoveTowards(s.x, s.sum, s.theta)
		linalg.MoveTowards(s.y, s.sumY, s.theta)
	}
	for j, v := range s.multiplier {
		s.beta[j] = linalg.Clip(v, s.limit[j])
	}
	s.run.Average()
	if s.theta < 1 && s.mu == 0 {
		s.theta = nextTheta(s.theta)
	}
}

// ASVRG is ASVRG-ADMM (Liu, Shang, Cheng, "Accelerated Variance Reduced Stochastic ADMM",
// 2017) with the term (ρ/2)|A z − y|² linearised. It is [SVRG] for a sequence z, with gradients at
// x = (1−θ)x̃ + θ z, where x̃ is the snapshot. The other letters are as in SVRG:
//
//	y    ← S_{lambda/ρ}(A z + beta/ρ)
//	z    ← z − η/(θ + η ρ λ₁) [ ĝ(x) + A'(beta + ρ(A z − y)) ]
//	beta ← beta + ρ(A z − y)
//
// The next snapshot is the mean of (1−θ)x̃ + θ z over the steps. θ starts at 0.9 and becomes
// (√(θ⁴+4θ²) − θ²)/2 after each stage; if mu > 0, θ does not change. Stages and settings are as in SVRG,
// but the default of η is 1/ν_f.
type ASVRG struct{ stageCheck }

func (ASVRG) Info() solver.MethodInfo {
	return stagedInfo("asvrg", "ASVRG-ADMM: SVRG-ADMM with momentum",
		"O(1/T^2) in stages; linear if strongly convex",
		"8p + 5l + n", "Liu, Shang, Cheng 2017", "the step size; 1/nu_f")
}

func (ASVRG) Begin(r *solver.Run) (solver.Iteration, error) {
	return newSVRG(r, 1, firstTheta, r.Settings.InnerSteps).iterate, nil
}

// firstTheta is θ of the first stage of methods with momentum.
const firstTheta = 0.9

// nextTheta returns θ of the stage after a stage with the given theta.
func nextTheta(theta float64) float64 {
	square := float64(theta * theta)
	return (math.Sqrt(float64(square*square)+float64(4*square)) - square) / 2
}
