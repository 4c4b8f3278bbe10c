package paper

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/theory"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// A Bound has the gaps of runs on a small problem, and the upper bound that a theorem of the paper gives for
// these gaps.
type Bound struct {
	Theorem    string
	Problem    string    // description in words, with the constants
	Conditions []string  // sentences that say which conditions of the theorem hold
	T          []float64 // numbers of outer iterations: 1, 2, ...
	Gap        []float64 // objective minus optimum at the average iterate; mean over the seeds
	GapBound   []float64 // the theorem's bound on Gap
	Gradients  []float64 // number of sample gradients up to each iteration in T; mean over the seeds
}

// The size of the small problem, and the settings of its runs.
const (
	boundRows, boundFeatures = 200, 15
	boundLambda              = 5e-3
	boundMu                  = 0.1 // mu of the problem for Theorem 2
	boundOuter               = 60  // outer iterations
	boundSeeds               = 5
	boundDelta               = 1.1 // δ of Theorem 1
)

// A boundProblem is the small problem, with its optimum and the starting point 0 of x, y and the multipliers.
type boundProblem struct {
	*solver.Problem
	optimum      float64
	normX, normY float64 // norms of the minimiser x and of A x
	// gamma is λ √l, where l is the number of rows of A. It is a Lipschitz constant of the penalty g. rho is
	// the penalty parameter of the runs.
	gamma, rho float64
}

func newBoundProblem(ctx context.Context, mu float64) (*boundProblem, error) {
	d, err := sparse.NewSynthetic(sparse.SyntheticOptions{
		Rows: boundRows, Features: boundFeatures, Noise: 2, Seed: 11,
	})
	if err != nil {
		return nil, err
	}
	g, err := graph.FromPairs(boundFeatures, d.Edges)
	if err != nil {
		return nil, err
	}
	inverseNorms := d.X.RowNormsSq()
	for i, v := range inverseNorms {
		inverseNorms[i] = 1 / math.Sqrt(v)
	}
	x, err := d.X.Transpose().ScaleColumns(inverseNorms)
	if err != nil {
		return nil, err
	}
	a := g.FusedLasso()
	p := &solver.Problem{
		Data: x.Transpose(), Labels: d.Labels, L2: mu, Penalty: solver.L1{Lambda: boundLambda}, Constraint: a,
	}
	best, minimiser, err := provenOptimum(ctx, p)
	if err != nil {
		return nil, err
	}
	l, _ := a.Dims()
	y := make([]float64, l)
	a.MulVec(y, minimiser)
	b := &boundProblem{
		Problem: p, optimum: best.Objective, normX: norm(minimiser), normY: norm(y),
		gamma: boundLambda * math.Sqrt(float64(l)),
	}
	b.rho = b.gamma / b.normY
	return b, nil
}

// run runs the solver with several seeds. It sets all fields of the result but Problem and Conditions. The
// bound after T outer iterations is, with y* = A x at the minimiser x,
//
//	(1/T) [ start + Σ_t term(t) + (ρ/2)|y*|² + γ²/ρ ],
//
// where t runs from 1 to T. res is the result of the solver with the last seed.
func (p *boundProblem) run(
	ctx context.Context, theorem string, s solver.Settings, start float64, term func(t float64) float64,
) (b *Bound, res *solver.Result, err error) {
	b = &Bound{Theorem: theorem, Gap: make([]float64, boundOuter), Gradients: make([]float64, boundOuter)}
	sum := start + p.rho/2*p.normY*p.normY + p.gamma*p.gamma/p.rho
	for t := 1.0; t <= boundOuter; t++ {
		sum += term(t)
		b.T, b.GapBound = append(b.T, t), append(b.GapBound, sum/t)
	}
	s.Rho, s.Passes = p.rho, 1e9
	for seed := range uint64(boundSeeds) {
		s.Seed = seed
		res, err = minimize(ctx, p.Problem, s, func(pt *solver.Point) bool {
			k := pt.Outer - 1
			if k >= 0 {
				b.Gap[k] += (pt.Average.Objective - p.optimum) / boundSeeds
				b.Gradients[k] += pt.Passes * boundRows / boundSeeds
			}
			return pt.Outer == boundOuter
		})
		if err != nil {
			return nil, nil, fmt.Errorf("paper: %s: %w", theorem, err)
		}
	}
	return b, res, nil
}

// Theorem1 measures the gap of SCAS on a ball of diameter D. Outer iteration t = 1, 2, ... has the step size
// η_t and the number of inner steps M_t of Theorem 1; see theory.Constants.Theorem1Steps, which also says
// what C_t is. δ is boundDelta. Term t of the theorem's bound is D²/(2 M_t η_t) + η_t C_t. Bound.GapBound has
// (D²/2 + 1) t^-δ instead, which is not smaller, because Theorem 1 has η_t = 1/(C_t t^δ) and M_t ≥ C_t t^2δ.
func Theorem1(ctx context.Context) (*Bound, error) {
	p, err := newBoundProblem(ctx, 0)
	if err != nil {
		return nil, err
	}
	ball := solver.Ball{Radius: 1.1 * p.normX}
	p.Domain = ball
	d := ball.Diameter()
	b, res, err := p.run(ctx, "Theorem 1",
		solver.Settings{Method: solver.SCAS{}, Schedule: solver.Theorem, Delta: boundDelta}, 0,
		func(t float64) float64 { return (d*d/2 + 1) * math.Pow(t, -boundDelta) })
	if err != nil {
		return nil, err
	}
	c := res.Stats.Constants
	b.Problem = fmt.Sprintf("%d samples of norm 1, %d features, %d rows of A, lambda %g, mu 0; X a ball of radius 1.1 |x*|: D = %.3g, nu_f = %.3g, nu_L = %.3g, rho = %.3g, gamma = %.3g, delta = %g; the last inner loop has %d steps",
		boundRows, boundFeatures, len(res.Dual), boundLambda, d, c.NuF, c.NuL, p.rho, p.gamma, boundDelta,
		res.Stats.InnerSteps)
	b.Conditions = []string{"X is convex, bounded and holds a minimiser: holds by construction"}
	return b, nil
}

// runStrong calls run with Algorithm 2 and the bound of Theorem 2: start is (μ_f/4)|x*|², and the terms are
// 0.
func (p *boundProblem) runStrong(ctx context.Context, theorem string, s solver.Settings) (*Bound, *solver.Result, error) {
	s.Method = solver.SCASStrong{}
	return p.run(ctx, theorem, s, p.L2/4*p.normX*p.normX, func(float64) float64 { return 0 })
}

// Theorem2 measures the gap of Algorithm 2 with parameters that satisfy the conditions of
// theory.Constants.Theorem2Relaxed. Bound.Conditions lists these conditions, and those that are printed in
// the paper, which may fail.
func Theorem2(ctx context.Context) (*Bound, error) {
	p, err := newBoundProblem(ctx, boundMu)
	if err != nil {
		return nil, err
	}
	b, res, err := p.runStrong(ctx, "Theorem 2, relaxed", solver.Settings{Schedule: solver.Theorem})
	if err != nil {
		return nil, err
	}
	c, st := res.Stats.Constants, res.Stats
	b.Problem = fmt.Sprintf("the same with mu %g and X = R^p: mu_f = %.3g, nu_f = %.3g, nu_L = %.3g, lambda_1 = %.3g, lambda_p = %.3g, rho = %.3g, eta = %.3g, M = %d",
		boundMu, c.MuF, c.NuF, c.NuL, c.Lambda1, c.LambdaP, p.rho, st.Eta, st.InnerSteps)
	if err := b.require(c.Theorem2Relaxed(st.Eta, p.rho, st.InnerSteps)...); err != nil {
		return nil, err
	}
	for _, cond := range printedTheorem2(c, st.Eta, p.rho, st.InnerSteps) {
		b.Conditions = append(b.Conditions, "as printed, "+cond.String())
	}
	b.Conditions = append(b.Conditions,
		fmt.Sprintf("as printed, C2 can hold for some step size only if rho (lambda_1 - lambda_p) < mu_f, that is rho < %.3g here", boundMu/(c.Lambda1-c.LambdaP)))
	return b, nil
}

// Theorem2Printed measures the gap of Algorithm 2 with parameters that satisfy the conditions of Theorem 2
// as printed, and the condition of Lemma 16. rho and eta are half of the largest values that these conditions
// allow, and the number of inner steps is the smallest.
func Theorem2Printed(ctx context.Context) (*Bound, error) {
	p, err := newBoundProblem(ctx, boundMu)
	if err != nil {
		return nil, err
	}
	c, err := p.Constants(0)
	if err != nil {
		return nil, err
	}
	rhoLimit := boundMu / (c.Lambda1 - c.LambdaP)
	p.rho = min(rhoLimit, boundMu/c.Lambda1) / 2
	c.NuL = c.NuF + p.rho*c.Lambda1
	eta := 0.5 * (boundMu - p.rho*(c.Lambda1-c.LambdaP)) / (4*c.NuL*c.NuL + boundMu*c.NuL/2)
	fails := func(cond theory.Condition) bool { return !cond.Holds() }
	innerSteps := sort.Search(1<<40,
		func(m int) bool { return !slices.ContainsFunc(c.Theorem2(eta, p.rho, m), fails) })
	b, res, err := p.runStrong(ctx, "Theorem 2, as printed",
		solver.Settings{Eta: eta, InnerSteps: innerSteps, BatchSize: 1})
	if err != nil {
		return nil, err
	}
	st := res.Stats
	b.Problem = fmt.Sprintf("the same problem with rho = %.3g, below the %.3g that C2 allows, eta = %.3g, M = %d", p.rho, rhoLimit, st.Eta, st.InnerSteps)
	return b, b.require(printedTheorem2(st.Constants, st.Eta, p.rho, st.InnerSteps)...)
}

// require checks the conditions in turn. It appends the text of a condition that holds to b.Conditions, and
// returns an error at the first one that does not hold.
func (b *Bound) require(conditions ...theory.Condition) error {
	for _, cond := range conditions {
		if !cond.Holds() {
			return fmt.Errorf("paper: the parameters for %s break %v", b.Theorem, cond)
		}
		b.Conditions = append(b.Conditions, cond.String())
	}
	return nil
}

// printedTheorem2 returns the conditions of Theorem 2 as printed, and the condition of Lemma 16. The proof
// uses this lemma, but the theorem does not state the condition.
func printedTheorem2(c theory.Constants, eta, rho float64, innerSteps int) []theory.Condition {
	return append(c.Theorem2(eta, rho, innerSteps),
		theory.Condition{
			Name: "Lemma 16", Statement: "rho lambda_1 < mu_f", Left: rho * c.Lambda1, Right: c.MuF,
			Strict: true,
		})
}

func norm(v []float64) float64 { return math.Sqrt(kernels.Dot(v, v)) }
