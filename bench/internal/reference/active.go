package reference

import (
	"context"
	"fmt"
	"math"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
)

// maxRounds bounds how often the set of features that may be nonzero grows.
const maxRounds = 8

// solveActive solves a problem of many features.
func solveActive(ctx context.Context, p *solver.Problem, a *sparse.CSR, o Options) (*Optimum, error) {
	guess, err := solver.Minimize(ctx, p, &solver.Settings{Passes: o.Passes, Threads: 1})
	if err != nil {
		return nil, err
	}
	in := make([]bool, len(guess.X))
	for j, v := range guess.X {
		in[j] = v != 0
	}
	x, steps := guess.X, 0
	for range maxRounds {
		keep := list(in)
		if len(keep) > o.MaxFeatures {
			break
		}
		r := restrict(p, a, keep)
		inner := &lowerBound{p: r.problem(), a: r.a}
		full, s, err := barrier(ctx, r, x, o.Tol, inner.show)
		if err != nil {
			return nil, err
		}
		x, steps = full, steps+s
		// The best dual point of the restriction, put to the whole problem.
		bound := &lowerBound{p: p, a: a}
		bound.show(r.spread(inner.x, inner.beta))
		if grow(p, a, bound, in) == 0 {
			return bound.optimum(p, x, steps, fmt.Sprintf("barrier Newton on the %d features that can be nonzero", len(keep))), nil
		}
	}
	return longRun(ctx, p, a, o)
}

func list(in []bool) []int32 {
	var keep []int32
	for j, yes := range in {
		if yes {
			keep = append(keep, int32(j))
		}
	}
	return keep
}

// grow adds the features held at zero whose optimality condition fails where the
// best bound was found: |(∇f(x) + A'beta)_j| ≤ λ, beta being 0 on the row of x_j
// alone and on all rows that only have features held at zero. It returns how
// many.
func grow(p *solver.Problem, a *sparse.CSR, best *lowerBound, in []bool) int {
	_, v := gradientAt(p, best.x)
	back := make([]float64, len(v))
	a.MulVecTrans(back, best.beta)
	limit := p.Penalty.(solver.L1).Lambda * (1 + 1e-6)
	added := 0
	for j := range in {
		if !in[j] && math.Abs(v[j]+back[j]) > limit {
			in[j] = true
			added++
		}
	}
	return added
}

// longRun takes the best of the solver's methods whose steps cost no more than
// their samples, whatever the number of features.
func longRun(ctx context.Context, p *solver.Problem, a *sparse.CSR, o Options) (*Optimum, error) {
	best, lower := &Optimum{Objective: math.Inf(1)}, math.Inf(-1)
	for _, m := range solver.Methods() {
		if m.Name != solver.SCASK && m.Name != solver.SCASL {
			continue
		}
		s := solver.Settings{Method: m.Name, Passes: 10 * o.Passes, Threads: 1}
		res, err := solver.Minimize(ctx, p, &s)
		if err != nil {
			return nil, err
		}
		bound := &lowerBound{p: p, a: a}
		bound.show(res.X, res.Dual)
		found := bound.optimum(p, res.X, 0, fmt.Sprintf("%s, %g passes", m.Name, res.Stats.Passes))
		lower = math.Max(lower, bound.value)
		if found.Objective < best.Objective {
			best = found
		}
	}
	best.Gap = math.Max(0, best.Objective-lower)
	return best, nil
}
