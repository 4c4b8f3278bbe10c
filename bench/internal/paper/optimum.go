package paper

import (
	"context"
	"errors"
	"fmt"

	"github.com/scas-admm/scas/solver"
)

// provedTo is the gap to which optima are proved, if rounding allows it. Objectives are of order one.
const provedTo = 1e-13

// Every optimum must be proved to a gap below leastProof.
const leastProof = 1e-9

// manyFeatures is a number of features above which the exact solver is slow.
const manyFeatures = 2000

// provenOptimum minimises p by the solver's default method, to a gap of provedTo if possible. With a strongly
// convex objective and many features it tries SCAS-K first, which is faster. A gap that is not below
// leastProof is an error. x is the point with the objective best.Objective. Data, Mu and Split of best are
// not set.
func provenOptimum(ctx context.Context, p *solver.Problem) (best *Optimum, x []float64, err error) {
	_, features := p.Data.Dims()
	var res *solver.Result
	for _, s := range []solver.Settings{{Method: solver.SCASK{}, Passes: 600}, {}} {
		if s.Method != nil && !(p.L2 > 0 && features > manyFeatures) {
			continue
		}
		s.Threads, s.RelTol = 1, provedTo
		res, err = solver.Minimize(ctx, p, &s)
		if err != nil && !errors.Is(err, solver.ErrNotConverged) {
			return nil, nil, err
		}
		if res.DualityGap < leastProof {
			by := "the solver's default method"
			if s.Method != nil {
				by = fmt.Sprintf("scas-k, %g passes", res.Stats.Passes)
			}
			return &Optimum{Objective: res.At.Objective, Gap: res.DualityGap, ComputedBy: by}, res.X, nil
		}
	}
	return nil, nil, fmt.Errorf("the least objective found, %g, is proved to %.1g only",
		res.At.Objective, res.DualityGap)
}
