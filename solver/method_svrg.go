package solver

import (
	"math"

	"github.com/scas-admm/scas/kernels"
)

// svrg is SVRG-ADMM (Zheng and Kwok, "Fast-and-Light Stochastic ADMM", 2016)
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
type svrg struct {
	*baseline
	point []float64 // x of the inner loop
	m     []float64 // its multiplier; not within limit in this order of updates
	sum   []float64 // of the stage's x
	sumY  []float64
	meanY []float64 // y of the snapshot, while the run's y is the inner loop's
	z     []float64 // data gradient at the snapshot, zero in the first stage

	halvingsSeen int     // when the inner loop last started from the iterate
	firstEta     float64 // automatic η before halvings
}

func newSVRG(r *run) iteration {
	s := &svrg{baseline: newBaseline(r)}
	s.automaticRho(svrgRho)
	s.prepare(2 / r.constants.NuF)
	return s
}

// svrgRho is the automatic rho in units of the natural one; the choice is ours.
const svrgRho = 30

// prepare makes the state; firstEta is the automatic step size.
func (s *svrg) prepare(firstEta float64) {
	s.firstEta, s.natural = firstEta, firstEta
	s.autoEta = s.set.Eta == 0
	for _, v := range []*[]float64{&s.sum, &s.z} {
		*v = make([]float64, s.p)
	}
	s.point, s.m = append([]float64(nil), s.x...), make([]float64, s.l)
	s.sumY, s.meanY = make([]float64, s.l), append([]float64(nil), s.y...)
	s.watcher.first, s.watcher.best, s.watcher.previous = s.start, s.start, s.start
	s.watcher.keep(s.run)
}

// stage returns the number of samples of the coming stage and whether its
// gradients are reduced in variance by a snapshot.
func (s *svrg) stage() (samples int, reduced bool) {
	if s.set.InnerSteps > 0 {
		return s.set.InnerSteps, true
	}
	switch t := s.outer; {
	case t == 0:
		return max(1, s.n/4), false
	case t == 1:
		return max(1, s.n/2), true
	case t < 9:
		return s.n, true
	}
	return 2 * s.n, true
}

// openStage fixes the coming stage, takes its snapshot at r.x and chooses η. It
// reports whether gradients are reduced, and whether the budget allows the stage.
func (s *svrg) openStage() (reduced, more bool, err error) {
	s.steps, reduced = s.stage()
	s.steps = max(1, s.steps/s.batch) * s.batch
	cost := float64(s.steps) / float64(s.n)
	if reduced {
		cost++
	}
	if !s.affords(cost) {
		return false, false, s.budgetError(cost)
	}
	if reduced {
		if err := s.watch(s.snapshot()); err != nil {
			return false, false, err
		}
		copy(s.z, s.run.z)
	}
	if s.eta = s.set.Eta; s.autoEta {
		s.eta = math.Ldexp(s.firstEta, -s.halvings)
	}
	s.passes += cost
	return reduced, true, nil
}

// restart makes the inner loop start at the run's iterate if the watch went back
// to an earlier one.
func (s *svrg) restart(point []float64) {
	if s.halvingsSeen != s.halvings {
		s.halvingsSeen = s.halvings
		copy(point, s.x)
		copy(s.m, s.beta)
	}
}

func (s *svrg) next() (bool, error) {
	if more, err := s.inner(1, s.point, func() {}); err != nil || !more {
		return false, err
	}
	return true, s.closeStage(1)
}

// inner does the steps of a stage, of length η/(theta + η ρ λ₁), with gradients
// taken at the slice at, which aim sets before each. It reports whether the budget
// allowed the stage.
func (s *svrg) inner(theta float64, at []float64, aim func()) (bool, error) {
	reduced, more, err := s.openStage()
	if err != nil || !more {
		return false, err
	}
	s.restart(s.point)
	step := s.eta / (theta + float64(s.eta*s.rho*s.constants.Lambda1))
	clear(s.sum)
	clear(s.sumY)
	ax := s.times(s.point)
	return true, s.visitBatches(s.steps, s.batch, s.point, func(rows []int32) {
		aim()
		s.beforeX(ax)
		s.addRidge(s.q, at)
		s.pull(s.point, at, rows, -step, reduced)
		kernels.ProjectedUpdate(s.point, s.sum, s.z, s.q, step)
		ax = s.times(s.point)
		s.afterX(ax)
	})
}

// beforeX does the y-step, adds y to sumY, and sets q = A'(beta + ρ(A x − y)),
// where the argument of A' is what the clip of that step leaves.
func (s *svrg) beforeX(ax []float64) {
	copy(s.u, s.m)
	kernels.ProxDual(s.u, s.y, ax, s.limit, s.rho)
	s.applyAT(s.q, s.u)
	kernels.Axpy(1, s.y, s.sumY)
}

// afterX does the step of the multiplier.
func (s *svrg) afterX(ax []float64) {
	kernels.Axpy(s.rho, ax, s.m)
	kernels.Axpy(-s.rho, s.y, s.m)
}

// closeStage moves the run's x and y by the share theta towards the means of the
// stage, and makes the clipped multiplier its beta.
func (s *svrg) closeStage(theta float64) error {
	inv := 1 / float64(s.steps/s.batch)
	for j, v := range s.sum {
		s.sum[j] = v * inv
	}
	for j, v := range s.sumY {
		s.sumY[j] = v * inv
	}
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
	s.accumulate(s.outer + 1)
	return s.settle()
}
