package baseline

import (
	"cmp"
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/linalg"
)

// SVRG is SVRG-ADMM (Zheng and Kwok, "Fast-and-Light Stochastic ADMM", 2016)
// with the penalty linearised. At the snapshot x̃ with gradient z, each step
// updates in the order y, x, beta:
//
//	y    ← S_{lambda/ρ}(A x + beta/ρ)
//	x    ← x − (η/γ)[ ĝ + A'(beta + ρ(A x − y)) ],  γ = 1 + η ρ λ₁
//	beta ← beta + ρ(A x − y)
//
// with ĝ = (φ'(aᵢ'x) − φ'(aᵢ'x̃))aᵢ + z + mu x, where z is the gradient of the mean
// loss alone. The next snapshot is the mean of the stage's x, while x and beta
// carry over. The snapshot is the iterate of the run, the mean of the snapshots
// its average.
//
// The schedule is ours: the first stage is plain stochastic gradient steps,
// without a snapshot, and stages grow: n/4, n/2, n, and 2n samples from the tenth
// on. With InnerSteps set every stage has that many and a snapshot, as published
// (2n there). With BatchSize set ĝ is the mean over as many samples. Eta is η;
// zero means 2/ν_f. An automatic η is halved if the objective at the snapshots
// rises for long.
type SVRG struct{ staged }

// Info implements solver.Method.
func (SVRG) Info() solver.MethodInfo {
	return stagedInfo("svrg", "SVRG-ADMM, linearised, y and beta updated with every sample; growing stages",
		"O(1/T) in stages; linear if strongly convex", "7p + 4l + n", "Zheng, Kwok 2016", "the step size; 2/nu_f")
}

// stagedInfo describes a method with stages and batches.
func stagedInfo(name, summary, rate, memory, reference, eta string) solver.MethodInfo {
	return solver.MethodInfo{
		Name: name, Summary: summary, Rate: rate, Memory: memory, Reference: reference, Eta: eta,
		TakesEta: true, TakesInnerSteps: true, TakesBatchSize: true,
	}
}

// staged methods have the stages of SVRG.
type staged struct{}

// Check holds the budget against the first stage.
func (staged) Check(p *solver.Problem, s *solver.Settings) error {
	n, _ := p.Data.Dims()
	steps, reduced := stageOf(0, n, s.InnerSteps)
	return s.CheckBudget(stageCost(wholeBatches(steps, max(1, s.BatchSize)), n, reduced))
}

// Begin implements solver.Method.
func (SVRG) Begin(r *solver.Run) (solver.Iteration, error) {
	return newSVRG(r, 2, r.Settings.InnerSteps), nil
}

// SVRGRestart is [SVRG] as published for strongly convex problems: every stage with a
// snapshot x̃ starts there, with the multiplier of least norm that is stationary,
//
//	x ← x̃,  beta ← −(A')⁺ ∇f(x̃) = −A(A'A)⁻¹(z + mu x̃)
//
// Its convergence is proved for A of full row rank, where that tends to the only
// multiplier of the optimum. A = [G; I] has many, of which this is in general none
// with |beta| ≤ lambda, so that every stage begins by finding one anew.
type SVRGRestart struct{ staged }

// Info implements solver.Method.
func (SVRGRestart) Info() solver.MethodInfo {
	i := stagedInfo("svrg-restart", "SVRG-ADMM restarted at every snapshot, as published if strongly convex",
		"linear if strongly convex and A has full row rank", "7p + 4l + n + the eigenbasis of A'A", "Zheng, Kwok 2016", "the step size; 2/nu_f")
	i.NeedsL2 = true
	return i
}

// Begin implements solver.Method.
func (SVRGRestart) Begin(r *solver.Run) (solver.Iteration, error) {
	s := newSVRG(r, 2, r.Settings.InnerSteps)
	var err error
	s.normal, err = s.shifted()
	return s, err
}

// rankTolerance is the multiple of λ₁ added to A'A, lest A lack full column rank.
const rankTolerance = 1e-12

// restart makes the snapshot, and the multiplier that belongs to it, the start of the
// stage.
func (s *svrg) restart() {
	copy(s.point, s.x)
	copy(s.q, s.run.Snapshot.Gradient)
	s.addRidge(s.q, s.x)
	clear(s.sum)
	s.normal.Solve(s.sum, s.q, rankTolerance*float64(s.rho*s.lambda1))
	s.a.Mul(s.m, s.sum)
	scaleTo(s.m, s.m, -s.rho)
}

// svrgRho is the automatic rho in units of the natural one; the choice is ours.
const svrgRho = 30

type svrg struct {
	*base
	fixed int       // samples of every stage; 0 for the growing ones
	steps int       // of the stage
	point []float64 // x of the inner loop
	m     []float64 // its multiplier; not within limit in this order of updates
	sum   []float64 // of the stage's x
	sumY  []float64
	meanY []float64 // y of the snapshot, while the run's y is the inner loop's

	eta          float64
	halvingsSeen int             // when the inner loop last started from the iterate
	normal       *linalg.Shifted // of A'A; nil unless stages restart
}

// newSVRG makes the state; the automatic step size is etaUnit/ν_f.
func newSVRG(r *solver.Run, etaUnit float64, fixed int) *svrg {
	s := &svrg{base: newBase(r, svrgRho), fixed: fixed}
	s.orEta(etaUnit / s.nu)
	s.sum, s.sumY = s.vector(), s.rowVector()
	s.point, s.m, s.meanY = slices.Clone(s.x), slices.Clone(s.beta), slices.Clone(s.y)
	return s
}

// stageOf returns the number of samples of a stage and whether its gradients are
// reduced in variance by a snapshot; fixed is the number for all, or zero.
func stageOf(stage, n, fixed int) (samples int, reduced bool) {
	switch {
	case fixed > 0:
		return fixed, true
	case stage == 0:
		return max(1, n/4), false
	case stage == 1:
		return max(1, n/2), true
	case stage < 9:
		return n, true
	}
	return 2 * n, true
}

// wholeBatches rounds samples down to a multiple of the batch size, but not to zero.
func wholeBatches(samples, batch int) int { return max(1, samples/batch) * batch }

// stageCost is that of a stage in effective passes.
func stageCost(samples, n int, reduced bool) float64 {
	cost := float64(samples) / float64(n)
	if reduced {
		cost++
	}
	return cost
}

// openStage fixes the coming stage, takes its snapshot at x and chooses η. It
// reports whether gradients are reduced, and whether the budget allows the stage.
func (s *svrg) openStage() (reduced, more bool, err error) {
	r := s.run
	s.steps, reduced = stageOf(r.Stats.OuterIterations, s.n, s.fixed)
	s.steps = wholeBatches(s.steps, r.Stats.BatchSize)
	cost := stageCost(s.steps, s.n, reduced)
	if !r.Affords(cost) {
		return false, false, nil
	}
	s.eta = cmp.Or(r.Settings.Eta, s.natural)
	if reduced {
		if err := r.WatchedSnapshot(r.Settings.Eta == 0); err != nil {
			return false, false, err
		}
		if s.halvingsSeen != r.Stats.StepHalvings { // start at the iterate
			s.halvingsSeen = r.Stats.StepHalvings
			copy(s.point, s.x)
			copy(s.m, s.beta)
			copy(s.meanY, s.y)
		}
		if s.normal != nil {
			s.restart()
		}
	}
	s.eta = math.Ldexp(s.eta, -r.Stats.StepHalvings)
	r.Stats.Eta, r.Stats.InnerSteps = s.eta, s.steps
	r.Spend(cost)
	return reduced, true, nil
}

func (s *svrg) Next() (bool, error) { return s.stage(1, s.point, func() {}) }

// stage does the steps of a stage, of length η/(theta + η ρ λ₁), with gradients
// taken at the slice at, which aim sets before each, and closes it. It reports
// whether the budget allowed the stage.
func (s *svrg) stage(theta float64, at []float64, aim func()) (bool, error) {
	reduced, more, err := s.openStage()
	if err != nil || !more {
		return false, err
	}
	z := s.run.Snapshot.Gradient // zero before the first snapshot
	step := s.eta / (theta + float64(s.eta*s.rho*s.lambda1))
	clear(s.sum)
	clear(s.sumY)
	ax := s.times(s.point)
	err = s.visitBatches(s.steps, s.run.Stats.BatchSize, s.point, func(rows []int32) {
		aim()
		s.beforeX(ax)
		s.addRidge(s.q, at)
		s.pull(s.point, at, rows, -step, reduced)
		kernels.ProjectedUpdate(s.point, s.sum, z, s.q, step)
		ax = s.times(s.point)
		s.afterX(ax)
	})
	if err != nil {
		return false, err
	}
	s.closeStage(theta)
	return true, nil
}

// beforeX does the y-step, adds y to sumY, and sets q = A'(beta + ρ(A x − y)),
// where the argument of A' is what the clip of that step leaves.
func (s *svrg) beforeX(ax []float64) {
	copy(s.u, s.m)
	kernels.ProxDual(s.u, s.y, ax, s.limit, s.rho)
	s.a.MulTrans(s.q, s.u)
	kernels.Axpy(1, s.y, s.sumY)
}

// afterX does the step of the multiplier.
func (s *svrg) afterX(ax []float64) {
	kernels.Axpy(s.rho, ax, s.m)
	kernels.Axpy(-s.rho, s.y, s.m)
}

// closeStage moves the run's x and y by the share theta towards the means of the
// stage, and makes the clipped multiplier its beta.
func (s *svrg) closeStage(theta float64) {
	inv := 1 / float64(s.steps/s.run.Stats.BatchSize)
	scaleTo(s.sum, s.sum, inv)
	scaleTo(s.sumY, s.sumY, inv)
	if theta == 1 {
		copy(s.x, s.sum)
		copy(s.meanY, s.sumY)
	} else {
		towards(s.x, s.sum, theta)
		towards(s.meanY, s.sumY, theta)
	}
	copy(s.y, s.meanY)
	for j, v := range s.m {
		s.beta[j] = math.Max(-s.limit[j], math.Min(v, s.limit[j]))
	}
	s.run.Average()
}

// ASVRG is ASVRG-ADMM (Liu, Shang, Cheng, "Accelerated Variance Reduced
// Stochastic ADMM", 2017) with the penalty linearised: [SVRG] on a sequence z
// whose combination x = (1−θ)x̃ + θ z with the snapshot takes the gradients,
//
//	y    ← S_{lambda/ρ}(A z + beta/ρ)
//	z    ← z − η/(θ + η ρ λ₁) [ ĝ(x) + A'(beta + ρ(A z − y)) ]
//	beta ← beta + ρ(A z − y)
//
// and the mean of the x for the next snapshot. θ starts at 0.9 and becomes
// (√(θ⁴+4θ²) − θ²)/2 after each stage; it stays where mu > 0. Stages, the plain
// first one included, and settings are those of SVRG; η defaults to 1/ν_f.
type ASVRG struct{ staged }

// Info implements solver.Method.
func (ASVRG) Info() solver.MethodInfo {
	return stagedInfo("asvrg", "ASVRG-ADMM: SVRG-ADMM with momentum",
		"O(1/T^2) in stages; linear if strongly convex", "8p + 5l + n", "Liu, Shang, Cheng 2017", "the step size; 1/nu_f")
}

// Begin implements solver.Method.
func (ASVRG) Begin(r *solver.Run) (solver.Iteration, error) {
	s := &asvrg{svrg: newSVRG(r, 1, r.Settings.InnerSteps), theta: 0.9}
	s.at = s.vector()
	return s, nil
}

type asvrg struct {
	*svrg
	theta float64
	at    []float64 // x
}

func (s *asvrg) Next() (bool, error) {
	more, err := s.stage(s.theta, s.at, func() {
		copy(s.at, s.x)
		towards(s.at, s.point, s.theta)
	})
	if more && s.mu == 0 {
		s.theta = nextTheta(s.theta)
	}
	return more, err
}

// nextTheta is the share of the momentum after a stage with theta.
func nextTheta(theta float64) float64 {
	square := float64(theta * theta)
	return (math.Sqrt(float64(square*square)+float64(4*square)) - square) / 2
}
