package reference

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/scas-admm/scas/bench/internal/submatrix"
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
)

// maxRounds bounds how often the set of features that may be nonzero changes.
const maxRounds = 30

// nextTau is where the barrier begins on a set that differs by some features from
// one that is solved.
const nextTau = 1e-8

// looseTol is the tolerance while the set is still growing.
const looseTol = 1e-7

// solveActive solves a problem of many features on a set of them, which begins
// with those largest in a short run of the solver. In every round features whose
// optimality conditions fail come in, and until the set settles, zeros leave.
func solveActive(ctx context.Context, p *solver.Problem, a *sparse.CSR, maxFeatures int) (*Optimum, error) {
	guess, err := solver.Minimize(ctx, p, &solver.Settings{Method: solver.SCASK{}, Passes: guessPasses, Threads: 1})
	if err != nil {
		return nil, err
	}
	most := maxFeatures/3 + 1 // to come in per round
	in := make([]bool, len(guess.X))
	admit(in, guess.X, 0, most)
	var x []float64
	tau := float64(firstTau)
	tol := looseTol
	for round := range maxRounds {
		keep := list(in)
		if len(keep) > maxFeatures {
			break
		}
		r := restrict(p, a, keep)
		inner := &lowerBound{p: r.p, a: r.a}
		full, err := barrier(ctx, r, x, tau, tol, inner.show)
		if err != nil {
			return nil, err
		}
		x, tau = full, nextTau
		// The best dual point of the restriction, put to the whole problem.
		bound := &lowerBound{p: p, a: a}
		bound.show(r.spread(inner.x, inner.beta))
		settled := grow(bound, in, most) == 0
		switch {
		case settled && tol <= barrierTol:
			return bound.optimum(p, x, fmt.Sprintf("barrier Newton on the %d features that can be nonzero", len(keep))), nil
		case settled:
			tol = barrierTol
		case tol > barrierTol && round < maxRounds/2:
			leave(in, keep, x)
		}
	}
	return longRun(ctx, p, a)
}

// admit puts in the features where |v| is largest, if above the limit, at most so
// many, and returns how many.
func admit(in []bool, v []float64, limit float64, most int) int {
	var out []int
	for j := range in {
		if !in[j] && math.Abs(v[j]) > limit {
			out = append(out, j)
		}
	}
	slices.SortStableFunc(out, func(i, j int) int { return cmp.Compare(math.Abs(v[j]), math.Abs(v[i])) })
	out = out[:min(most, len(out))]
	for _, j := range out {
		in[j] = true
	}
	return len(out)
}

// leave takes out the features among keep that are as good as zero.
func leave(in []bool, keep []int, x []float64) {
	largest := floats.Norm(x, math.Inf(1))
	for _, j := range keep {
		if math.Abs(x[j]) < 1e-5*largest {
			in[j] = false
		}
	}
}

func list(in []bool) []int {
	var keep []int
	for j, yes := range in {
		if yes {
			keep = append(keep, j)
		}
	}
	return keep
}

// grow admits features held at zero whose optimality condition fails at the dual
// point of the bound: |(∇f(x) + A'beta)_j| ≤ λ, beta being 0 on the row of x_j
// alone and on all rows that only have features held at zero. It returns how
// many.
func grow(b *lowerBound, in []bool, most int) int {
	_, v := gradientAt(b.p, b.x)
	back := make([]float64, len(v))
	b.a.MulVecTrans(back, b.beta)
	floats.Add(v, back)
	return admit(in, v, b.p.Penalty.(solver.L1).Lambda*(1+1e-6), most)
}

// longRun takes the better of two of the solver's methods, whose steps cost no more
// than their samples, whatever the number of features.
func longRun(ctx context.Context, p *solver.Problem, a *sparse.CSR) (*Optimum, error) {
	best, lower := &Optimum{Objective: math.Inf(1)}, math.Inf(-1)
	for _, m := range []solver.Method{solver.SCASK{}, solver.SCASL{}} {
		s := solver.Settings{Method: m, Passes: 10 * guessPasses, Threads: 1}
		res, err := solver.Minimize(ctx, p, &s)
		if err != nil {
			return nil, err
		}
		bound := &lowerBound{p: p, a: a}
		bound.show(res.X, res.Dual)
		found := bound.optimum(p, res.X, fmt.Sprintf("%s, %g passes", res.Stats.Method, res.Stats.Passes))
		lower = math.Max(lower, bound.value)
		if found.Objective < best.Objective {
			best = found
		}
	}
	best.Gap = math.Max(0, best.Objective-lower)
	return best, nil
}

// A restriction is a problem with all features but some held at zero.
type restriction struct {
	p        *solver.Problem // on the features kept
	a        *sparse.CSR     // its constraint, without the rows that are zero there
	rows     []int           // of the whole A that are left
	keep     []int           // features kept, increasing
	features int             // of the whole problem
	rowsOfA  int             // of the whole problem
}

// restrict keeps the given features, in increasing order.
func restrict(p *solver.Problem, a *sparse.CSR, keep []int) *restriction {
	q := *p
	r := &restriction{p: &q, keep: keep}
	_, r.features = p.Data.Dims()
	r.rowsOfA, _ = a.Dims()
	r.a, r.rows = submatrix.NonzeroRows(submatrix.Columns(a, keep))
	q.Data, q.Loss, q.Constraint = submatrix.Columns(p.Data, keep), lossOf(p), r.a
	return r
}

// spread returns x and beta of the whole problem.
func (r *restriction) spread(x, beta []float64) (fullX, fullBeta []float64) {
	fullX, fullBeta = make([]float64, r.features), make([]float64, r.rowsOfA)
	for k, j := range r.keep {
		fullX[j] = x[k]
	}
	for k, row := range r.rows {
		fullBeta[row] = beta[k]
	}
	return fullX, fullBeta
}

func lossOf(p *solver.Problem) solver.Loss {
	if p.Loss == nil {
		return solver.Logistic{}
	}
	return p.Loss
}
