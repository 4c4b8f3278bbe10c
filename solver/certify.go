package solver

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/ending"
	"github.com/scas-admm/scas/solver/internal/exact"
	"github.com/scas-admm/scas/solver/internal/gap"
	"github.com/scas-admm/scas/solver/internal/linalg"
)

// exactProblem returns p as a problem of package exact. It returns nil if p has a Coupling, or a loss,
// penalty or domain that package exact does not accept. a is the constraint matrix. rows holds the rows of
// p.Data, perhaps in a compact form; it may be empty if the problem only serves to estimate memory.
func (p *Problem) exactProblem(a *linalg.Algebra, rows kernels.Rows, threads int) *exact.Problem {
	_, features := p.Data.Dims()
	q := &exact.Problem{
		Data: p.Data, Rows: rows, Labels: p.Labels, Weights: p.SampleWeights,
		Ridge: slices.Repeat([]float64{p.L2}, features), A: a, Threads: threads, Team: p.team(),
	}
	if p.Coupling != nil || !q.Pose(p.loss(), p.penalty(), p.domain()) {
		return nil
	}
	return q
}

// certify returns an upper bound of the objective at r.X minus the optimum, or +Inf if nothing is proved. If
// stop returns an error, the proof ends early.
func (r *Run) certify(stop func() error) float64 {
	y, ok := r.Problem.coupling().Y(r.product.Image(r.X))
	if !ok || r.Settings.NoProof || r.stopCause == ending.Canceled {
		return math.Inf(1) // Coupling.B is set, no proof was requested, or the run was canceled
	}
	penalty := r.Problem.penalty().Value(y)
	if math.IsInf(penalty, 1) {
		return penalty
	}
	if gap := r.prover.Certify(r.X, r.Dual, &exact.Settings{Tol: math.Max(r.goal, 0), Stop: stop}); !math.IsInf(gap, 1) {
		return gap
	}
	return r.simpleGap(y, penalty)
}

// simpleGap returns the bound of gap.SimpleProblem, which needs no conjugate of the loss. The result is +Inf
// if the conjugate of the penalty is infinite at the multipliers or not known. y satisfies A x + B y = c for
// x = r.X, and penalty is g(y).
func (r *Run) simpleGap(y []float64, penalty float64) float64 {
	p := r.Problem
	g, domain := p.penalty(), p.domain()
	simple := gap.SimpleProblem{
		Data: p.Data, Weights: p.SampleWeights, Curvature: p.loss().Curvature(), A: r.product.Algebra,
		Mu: p.L2, Domain: domain, Team: p.team(),
	}
	point := gap.SimplePoint{X: r.X, Y: slices.Clone(y), Penalty: penalty}
	point.Beta, point.Conjugate = gap.FeasibleMultipliers(r.Dual, func(beta []float64) float64 {
		return g.Conjugate(p.coupling().Multipliers(beta))
	})
	if math.IsInf(point.Conjugate, 1) {
		return math.Inf(1)
	}
	point.Z, point.E = p.coupling().Multipliers(point.Beta), r.lagrangianGradient(point.Beta)
	point.Slope, point.Loss = r.snapshotAtX.Slope, r.snapshotAtX.Loss
	return simple.Gap(&point)
}

// lagrangianGradient returns ∇f(x) + A'beta at x = r.X, where f is the mean loss: the gradient of the
// Lagrangian in x, without the ridge. It stores the snapshot at x in r.snapshotAtX.
func (r *Run) lagrangianGradient(beta []float64) []float64 {
	s := &r.snapshotAtX
	if s.Gradient == nil {
		*s = newSnapshot(len(r.Problem.Labels), len(r.X))
	}
	r.Samples.exactGradient(s, r.X)
	return r.addMultipliers(s.Gradient, beta)
}

// addMultipliers returns gradient + A'beta.
func (r *Run) addMultipliers(gradient, beta []float64) []float64 {
	g := make([]float64, len(gradient))
	r.product.MulVecTrans(g, beta)
	for j, v := range gradient {
		g[j] += v
	}
	return g
}

// dualResidual returns Result.DualResidual at the iterate.
func (r *Run) dualResidual() float64 { return r.residualOf(r.lagrangianGradient(r.Dual)) }

// residualOf is dualResidual, given the result of lagrangianGradient for the multipliers of the iterate. It
// overwrites g.
func (r *Run) residualOf(g []float64) float64 {
	for j, v := range r.X {
		g[j] += float64(r.Problem.L2 * v)
	}
	return gap.Residual(r.X, g, r.Problem.Domain)
}
