package baseline

import (
	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/kernels/pkgerr"
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
)

// Batch is ADMM with an exact minimisation over x (Boyd et al., "Distributed Optimization and Statistical
// Learning via ADMM", 2011):
//
//	x ← argmin f(x) + (beta − ρ y)'A x + (ρ/2)|A x|²
//
// where f is the mean loss plus (mu/2)|x|². It finds this x from the last x, by Newton steps that are halved
// if necessary, and then updates y and beta. If p is at most [MaxFactored], the matrix of the Newton system
// is factored. Otherwise conjugate gradients with Hessian products solve the system.
//
// A gradient costs one pass, and so does a product with the Hessian. The Hessian itself costs
// Σ nnzᵢ(nnzᵢ+1)/2 / nnz passes, where nnzᵢ is the number of entries of row i, and nnz their sum. If the
// budget is used up, the minimisation ends early.
//
// Result.XAverage is the mean of x_1..x_T.
type Batch struct{}

func (Batch) Info() solver.MethodInfo {
	return solver.MethodInfo{
		Name: "batch", Summary: "ADMM with an exact x-step by Newton's method",
		Rate: "O(1/T) in iterations", Memory: "p^2 + 6p + 4l + 3n",
		Reference: "Boyd et al. 2011", Eta: "not used", AllSamples: true, PaperPass: true,
	}
}

func (Batch) Check(p *solver.Problem, s *solver.Settings) error {
	if _, features := p.Data.Dims(); features <= MaxFactored {
		return s.CheckBudget(assemblyCost(p.Data) + 2)
	}
	return BatchCG{}.Check(p, s)
}

func (Batch) Begin(r *solver.Run) (solver.Iteration, error) {
	b := newBatch(r)
	if len(b.x) <= MaxFactored {
		b.newton = newFactoredNewton(b.base)
	} else {
		b.newton = newCGNewton(b.base)
	}
	return b.iterate, nil
}

// BatchCG is like [Batch], but conjugate gradients solve the Newton system for any p. If p is above
// [MaxFactored], the two methods are the same.
type BatchCG struct{}

func (BatchCG) Info() solver.MethodInfo {
	return solver.MethodInfo{
		Name: "batch-cg", Summary: "ADMM with an exact x-step by Newton's method with conjugate gradients",
		Rate: "O(1/T) in iterations", Memory: "10p + 4l + 4n",
		Reference: "Boyd et al. 2011", Eta: "not used", AllSamples: true, PaperPass: true,
	}
}

func (BatchCG) Check(_ *solver.Problem, s *solver.Settings) error { return s.CheckBudget(3) }

func (BatchCG) Begin(r *solver.Run) (solver.Iteration, error) {
	b := newBatch(r)
	b.newton = newCGNewton(b.base)
	return b.iterate, nil
}

type batch struct {
	*base
	newton      newtonSystem
	snapshotAtX bool // the run's snapshot holds the margins and slopes at x
	// trialSnapshot is the snapshot of a trial point. Its margins and slopes share the memory of the run's
	// snapshot.
	trialSnapshot solver.Snapshot

	ax          []float64 // A x
	g           []float64 // gradient of the function in Batch's formula
	step, astep []float64 // the Newton step, and A times it
	trial       []float64 // the trial point
	curvature   []float64 // φ″ of each sample
}

func newBatch(r *solver.Run) *batch {
	b := &batch{base: newBase(r, 1), curvature: make([]float64, len(r.Snapshot.Margin))}
	b.g, b.step, b.trial, b.ax, b.astep = b.vector(), b.vector(), b.vector(), b.rowVector(), b.rowVector()
	b.trialSnapshot = solver.Snapshot{
		Gradient: b.vector(), Margin: r.Snapshot.Margin, Slope: r.Snapshot.Slope,
	}
	return b
}

// A newtonSystem solves H·step = −g for a gradient g, where H = (1/n)Σ φ″ᵢ aᵢaᵢ' + mu I + ρ A'A.
type newtonSystem interface {
	// cost returns the number of passes that must be left for a call of solve.
	cost() float64
	// solve sets step to an approximate solution. It returns the number of passes that this took.
	solve(step, g, curvature []float64, budget float64) (passes float64, err error)
}

var errNotConvex = &sparse.RemedyError{
	Err: pkgerr.Errorf("solver", "the Newton system of the batch x-step is not positive definite"),
	Remedies: []sparse.Remedy{
		{Field: "Settings.Rho", To: "a larger number"},
		{Field: "Problem.L2", To: "a number above 0"},
	},
}

func (b *batch) iterate() (bool, error) {
	passes := b.newton.cost() + 1
	if !b.snapshotAtX {
		passes++
	}
	if !b.run.Affords(passes) {
		return false, nil
	}
	if err := b.minimise(); err != nil {
		return false, err
	}
	b.updateDual(b.ax)
	b.run.Average()
	return true, nil
}

const (
	// minimise ends once the squared Newton decrement is at most newtonTolerance/t² in outer iteration
	// t = 1, 2, …
	newtonTolerance    = 1e-12
	maxNewton          = 50
	maxHalvings        = 40
	sufficientDecrease = 1e-4 // fraction of the predicted decrease that a step must achieve
)

// minimise moves x by Newton steps to the minimiser of f(x) + (beta − ρ y)'A x + (ρ/2)|A x|² (see Batch), and
// sets ax to A x. The minimisation is as accurate as newtonTolerance says. It ends early if the budget of
// passes is used up, if lineSearch accepts no step, or after maxNewton steps.
func (b *batch) minimise() error {
	b.setLinearTerm()
	b.a.MulVec(b.ax, b.x)
	r, snapshot := b.run, &b.run.Snapshot
	if !b.snapshotAtX {
		b.data.Gradient(snapshot, b.x)
		r.Spend(1)
		b.snapshotAtX = true
	}
	t := float64(r.Stats.OuterIterations + 1)
	tolerance := newtonTolerance / (t * t)
	for range maxNewton {
		if err := r.Err(); err != nil {
			return err
		}
		budget := r.Settings.Passes - r.Stats.Passes - 1
		if !r.Affords(b.newton.cost() + 1) {
			return nil
		}
		b.setGradient()
		for i, m := range snapshot.Margin {
			b.curvature[i] = b.data.SecondDerivative(i, m, snapshot.Slope[i])
		}
		cost, err := b.newton.solve(b.step, b.g, b.curvature, budget)
		r.Spend(cost)
		if err != nil {
			return err
		}
		decrement := -kernels.Dot(b.g, b.step)
		if !b.lineSearch(decrement) || decrement <= tolerance {
			return nil
		}
	}
	return nil
}

// setGradient sets g to the gradient at x of the function in Batch's formula.
func (b *batch) setGradient() {
	b.a.MulVecTrans(b.g, b.ax)
	for j, v := range b.g {
		b.g[j] = float64(b.rho*v) + b.run.Snapshot.Gradient[j] + b.q[j] + float64(b.mu*b.x[j])
	}
}

// lineSearch halves the step until the function that the x-update minimises (see Batch) decreases enough, and
// then adds the halved step to x. It returns false if it accepts no step. decrement is −g'step. The change of
// the terms other than the loss is computed from the step, because the difference of two values would lose a
// small change in rounding.
func (b *batch) lineSearch(decrement float64) bool {
	b.a.MulVec(b.astep, b.step)
	linearPart := kernels.Dot(b.q, b.step) + float64(b.mu*kernels.Dot(b.x, b.step)) +
		float64(b.rho*kernels.Dot(b.ax, b.astep))
	quadraticPart := float64(b.mu*kernels.Dot(b.step, b.step)) + float64(b.rho*kernels.Dot(b.astep, b.astep))
	snapshot := &b.run.Snapshot
	t := 1.0
	for range maxHalvings {
		if !b.run.Affords(1) {
			b.snapshotAtX = false // margins and slopes are at the last trial point
			return false
		}
		for j, v := range b.x {
			b.trial[j] = v + float64(t*b.step[j])
		}
		b.data.Gradient(&b.trialSnapshot, b.trial)
		b.run.Spend(1)
		change := b.trialSnapshot.Loss - snapshot.Loss + float64(t*linearPart) + float64(t*t/2*quadraticPart)
		rounding := float64(1e-15 * (1 + b.trialSnapshot.Loss))
		if change <= rounding-float64(sufficientDecrease*t*decrement) {
			copy(b.x, b.trial)
			copy(snapshot.Gradient, b.trialSnapshot.Gradient)
			for j, v := range b.astep {
				b.ax[j] += float64(t * v)
			}
			snapshot.Loss = b.trialSnapshot.Loss
			return true
		}
		t /= 2
	}
	b.snapshotAtX = false
	return false
}
