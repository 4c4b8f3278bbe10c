package paper

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
)

// provedTo is the gap to which optima are proved, if rounding allows it. Objectives are of order one.
const provedTo = 1e-13

// manyFeatures is a number of features above which the exact solver is slow.
const manyFeatures = 2000

// provenOptimum minimises p by the solver's default method, to a gap of provedTo if possible. With a strongly
// convex objective and many features it tries SCAS-K first, which is faster. A gap that is not below 1e-9 is
// an error. x is the point with the objective best.Objective. Data, Mu and Split of best are not set.
func provenOptimum(ctx context.Context, p *solver.Problem) (best *Optimum, x []float64, err error) {
	_, features := p.Data.Dims()
	if a, ok := p.Constraint.(*sparse.CSR); ok && p.L2 > 0 && features > manyFeatures {
		res, err := solver.Minimize(ctx, p, &solver.Settings{Method: solver.SCASK{}, Passes: 600, Threads: 1, NoProof: true})
		if err != nil {
			return nil, nil, err
		}
		if gap := strongGap(p, a, res.X, res.Dual); gap <= provedTo {
			return &Optimum{Objective: res.At.Objective, Gap: gap, ComputedBy: fmt.Sprintf("scas-k, %g passes", res.Stats.Passes)}, res.X, nil
		}
	}
	res, err := solver.Minimize(ctx, p, &solver.Settings{Threads: 1, RelTol: provedTo})
	if err != nil && !errors.Is(err, solver.ErrNotConverged) {
		return nil, nil, err
	}
	if !(res.DualityGap < 1e-9) {
		return nil, nil, fmt.Errorf("the least objective found, %g, is proved to %.1g only", res.At.Objective, res.DualityGap)
	}
	return &Optimum{Objective: res.At.Objective, Gap: res.DualityGap, ComputedBy: "the solver's default method"}, res.X, nil
}

// strongGap returns an upper bound on the objective at x minus the optimum, for mu > 0 and multipliers
// beta. It does not use the certificates of the solver. The bound is
//
//	(1/2mu) |∇f(x) + A'beta|² + Σ_j [ λ|(Ax)_j| − beta_j (Ax)_j ]
//
// where f is the mean loss plus (mu/2)|x|², λ is the weight of the penalty λ|A x|₁, and j runs over the rows
// of A. The bound holds for all beta_j in [−λ, λ]. So strongGap first clips the given multipliers to this
// interval. If a feature has singleton rows, strongGap then changes the multiplier of one of them: it takes
// the number in the interval that makes |∇f(x) + A'beta| smallest. Unlike the certificates of the solver,
// the bound leaves out rounding errors.
func strongGap(p *solver.Problem, a *sparse.CSR, x, beta []float64) float64 {
	lambda := p.Penalty.(solver.L1).Lambda
	n, features := p.Data.Dims()
	slopes, gradient := make([]float64, n), make([]float64, features)
	p.Data.MulVec(slopes, x)
	kernels.LogisticSlopes(slopes, slopes, p.Labels)
	p.Data.MulVecTrans(gradient, slopes)

	clip := func(v float64) float64 { return max(-lambda, min(lambda, v)) }
	rows, _ := a.Dims()
	b, singletonRow := make([]float64, rows), make([]int, features)
	for j := range singletonRow {
		singletonRow[j] = -1
	}
	for k := range b {
		b[k] = clip(beta[k])
		if idx, val := a.Row(k); len(idx) == 1 && val[0] != 0 {
			singletonRow[idx[0]] = k // the last one, if a feature has several singleton rows
		}
	}
	for _, k := range singletonRow {
		if k >= 0 {
			b[k] = 0
		}
	}
	transposed := make([]float64, features)
	a.MulVecTrans(transposed, b)
	var square float64
	for j := range x {
		r := gradient[j]/float64(n) + p.L2*x[j] + transposed[j]
		if k := singletonRow[j]; k >= 0 {
			_, val := a.Row(k)
			b[k] = clip(-r / val[0])
			r += b[k] * val[0]
		}
		square += r * r
	}
	gap := square / (2 * p.L2)
	ax := make([]float64, rows)
	a.MulVec(ax, x)
	for k, v := range ax {
		gap += lambda*math.Abs(v) - b[k]*v
	}
	return max(0, gap)
}
