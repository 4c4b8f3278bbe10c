package paper

import (
	"context"
	"fmt"
	"math"

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
	boundOuter               = 60 // outer iterations
	boundSeeds               = 5
	boundDelta               = 1.1 // δ of Theorem 1
)

// A boundProblem is the small problem of Theorem1 and Theorem2, with its optimum.
type boundProblem struct {
	*solver.Problem
	optimum      float64
	normX, normY float64 // norms of the minimiser x and of A x
	// gamma is λ √l, where l is the number of rows of A. It is a Lipschitz constant of the penalty g. rho is
	// the penalty parameter of the runs.
	gamma, rho float64
}

func newBoundProblem(ctx context.Context, mu float64) (*boundProblem, error) {
	d, err := sparse.NewSynthetic(sparse.SyntheticOptions{Rows: boundRows, Features: boundFeatures, Noise: 2, Seed: 11})
	if err != nil {
		return nil, err
	}
	g, err := graph.FromPairs(boundFeatures, d.Edges)
	if err != nil {
		return nil, err
	}
	dense := make([]float64, boundRows*boundFeatures)
	for i, norm2 := range d.X.RowNormsSq() {
		idx, val := d.X.Row(i)
		for k, j := range idx {
			dense[i*boundFeatures+int(j)] = val[k] / math.Sqrt(norm2)
		}
	}
	x, err := sparse.FromDense(boundRows, boundFeatures, dense)
	if err != nil {
		return nil, err
	}
	a := g.FusedLasso()
	p := &solver.Problem{Data: x, Labels: d.Labels, L2: mu, Penalty: solver.L1{Lambda: boundLambda}, Constraint: a}
	best, minimiser, err := provenOptimum(ctx, p)
	if err != nil {
		return nil, err
	}
	l, _ := a.Dims()
	y := make([]float64, l)
	a.MulVec(y, minimiser)
	b := &boundProblem{Problem: p, optimum: best.Objective, normX: norm(minimiser), normY: norm(y), gamma: boundLambda * math.Sqrt(float64(l))}
	b.rho = b.gamma / b.normY
	return b, nil
}

// Theorem1 measures the gap of SCAS on a ball of diameter D. Outer iteration t = 1, 2, ... has the step size
// η_t and the number of inner steps M_t of Theorem 1; see theory.Constants.Theorem1Steps, which also says
// what C_t is. δ is boundDelta. The theorem's bound of the gap after T outer iterations is
//
//	(1/T) [ Σ_t (D²/(2 M_t η_t) + η_t C_t) + (ρ/2)|y_0 − y*|² + (|β_0|² + γ²)/ρ ].
//
// Here y* is A x at the minimiser x, γ and ρ are the fields of boundProblem, and the starting points y_0 and
// β_0 are 0. In Bound.GapBound, (D²/2 + 1) t^-δ replaces term t of the sum. It is not smaller than the term,
// because Theorem 1 has η_t = 1/(C_t t^δ) and M_t ≥ C_t t^2δ.
func Theorem1(ctx context.Context) (*Bound, error) {
	p, err := newBoundProblem(ctx, 0)
	if err != nil {
		return nil, err
	}
	ball := solver.Ball{Radius: 1.1 * p.normX}
	p.Domain = ball
	b := &Bound{Theorem: "Theorem 1"}
	res, err := b.measure(ctx, p, solver.Settings{Method: solver.SCAS{}, Schedule: solver.Theorem, Delta: boundDelta})
	if err != nil {
		return nil, err
	}
	d := ball.Diameter()
	constantTerm := p.rho/2*p.normY*p.normY + p.gamma*p.gamma/p.rho
	var sum float64
	for k := range b.T {
		sum += (d*d/2 + 1) * math.Pow(float64(k+1), -boundDelta)
		b.GapBound = append(b.GapBound, (sum+constantTerm)/b.T[k])
	}
	c := res.Stats.Constants
	b.Problem = fmt.Sprintf("%d samples of norm 1, %d features, %d rows of A, lambda %g, mu 0; X a ball of radius 1.1 |x*|: D = %.3g, nu_f = %.3g, nu_L = %.3g, rho = %.3g, gamma = %.3g, delta = %g; the last inner loop has %d steps",
		boundRows, boundFeatures, len(res.Dual), boundLambda, d, c.NuF, c.NuL, p.rho, p.gamma, boundDelta, res.Stats.InnerSteps)
	b.Conditions = []string{"X is convex, bounded and holds a minimiser: holds by construction"}
	return b, nil
}

// Theorem2 measures the gap of Algorithm 2 with parameters that satisfy the conditions of
// theory.Constants.Theorem2Relaxed. Bound.Conditions lists these conditions, and those that are printed in
// the paper, which may fail.
func Theorem2(ctx context.Context) (*Bound, error) {
	const mu = 0.1
	p, err := newBoundProblem(ctx, mu)
	if err != nil {
		return nil, err
	}
	b := &Bound{Theorem: "Theorem 2, relaxed"}
	res, err := b.measure(ctx, p, solver.Settings{Method: solver.SCASStrong{}, Schedule: solver.Theorem})
	if err != nil {
		return nil, err
	}
	b.setStrongBound(p)
	c, st := res.Stats.Constants, res.Stats
	b.Problem = fmt.Sprintf("the same with mu %g and X = R^p: mu_f = %.3g, nu_f = %.3g, nu_L = %.3g, lambda_1 = %.3g, lambda_p = %.3g, rho = %.3g, eta = %.3g, M = %d",
		mu, c.MuF, c.NuF, c.NuL, c.Lambda1, c.LambdaP, p.rho, st.Eta, st.InnerSteps)
	if err := b.require(c.Theorem2Relaxed(st.Eta, p.rho, st.InnerSteps)...); err != nil {
		return nil, err
	}
	for _, cond := range append(c.Theorem2(st.Eta, p.rho, st.InnerSteps), lemma16(c, p.rho)) {
		b.Conditions = append(b.Conditions, "as printed, "+cond.String())
	}
	b.Conditions = append(b.Conditions, fmt.Sprintf("as printed, C2 can hold for some step size only if rho (lambda_1 - lambda_p) < mu_f, that is rho < %.3g here", mu/(c.Lambda1-c.LambdaP)))
	return b, nil
}

// Theorem2Printed measures the gap of Algorithm 2 with parameters that satisfy the conditions of Theorem 2
// as printed, and the condition of Lemma 16. rho and eta are half of the largest values that these conditions
// allow.
func Theorem2Printed(ctx context.Context) (*Bound, error) {
	const mu = 0.1
	p, err := newBoundProblem(ctx, mu)
	if err != nil {
		return nil, err
	}
	c, err := p.Constants(0)
	if err != nil {
		return nil, err
	}
	rhoLimit := mu / (c.Lambda1 - c.LambdaP)
	p.rho = min(rhoLimit, mu/c.Lambda1) / 2
	c.NuL = c.NuF + p.rho*c.Lambda1
	eta := 0.5 * (mu - p.rho*(c.Lambda1-c.LambdaP)) / (4*c.NuL*c.NuL + mu*c.NuL/2)
	s := eta / (1 - c.NuL*eta/2)
	alpha := 1 - p.rho*c.Lambda1*s/2 - mu*s/4
	innerSteps := int(math.Ceil(alpha / (2 * eta * (mu/4 - 2*c.NuL*c.NuL*eta/(2-c.NuL*eta)))))
	b := &Bound{Theorem: "Theorem 2, as printed"}
	res, err := b.measure(ctx, p, solver.Settings{Method: solver.SCASStrong{}, Eta: eta, InnerSteps: innerSteps, BatchSize: 1})
	if err != nil {
		return nil, err
	}
	b.setStrongBound(p)
	st := res.Stats
	b.Problem = fmt.Sprintf("the same problem with rho = %.3g, below the %.3g that C2 allows, eta = %.3g, M = %d", p.rho, rhoLimit, st.Eta, st.InnerSteps)
	return b, b.require(append(st.Constants.Theorem2(st.Eta, p.rho, st.InnerSteps), lemma16(st.Constants, p.rho))...)
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

// setStrongBound sets b.GapBound to the bound of Theorem 2, in the symbols of the paper:
//
//	(1/T) [ (μ_f/4)|x_0 − x*|² + (ρ/2)|y_0 − y*|² + (|β_0|² + γ²)/ρ ].
//
// The starting points x_0, y_0 and β_0 are 0.
func (b *Bound) setStrongBound(p *boundProblem) {
	constantTerm := p.L2/4*p.normX*p.normX + p.rho/2*p.normY*p.normY + p.gamma*p.gamma/p.rho
	for _, t := range b.T {
		b.GapBound = append(b.GapBound, constantTerm/t)
	}
}

// lemma16 returns the condition of Lemma 16. The proof of Theorem 2 uses this lemma, but the theorem does not
// state the condition.
func lemma16(c theory.Constants, rho float64) theory.Condition {
	return theory.Condition{Name: "Lemma 16", Statement: "rho lambda_1 < mu_f", Left: rho * c.Lambda1, Right: c.MuF, Strict: true}
}

// measure runs the solver with several seeds, and sets b.T, b.Gap and b.Gradients. res is the result with
// the last seed.
func (b *Bound) measure(ctx context.Context, p *boundProblem, s solver.Settings) (res *solver.Result, err error) {
	b.T, b.Gap, b.Gradients = make([]float64, boundOuter), make([]float64, boundOuter), make([]float64, boundOuter)
	s.Rho, s.Passes = p.rho, 1e9
	for seed := range uint64(boundSeeds) {
		s.Seed = seed
		res, err = minimize(ctx, p.Problem, s, func(pt *solver.Point) bool {
			if k := pt.Outer - 1; k >= 0 {
				b.T[k] = float64(pt.Outer)
				b.Gap[k] += (pt.Average.Objective - p.optimum) / boundSeeds
				b.Gradients[k] += pt.Passes * boundRows / boundSeeds
			}
			return pt.Outer == boundOuter
		})
		if err != nil {
			return nil, fmt.Errorf("paper: %s: %w", b.Theorem, err)
		}
	}
	return res, nil
}

func norm(v []float64) float64 { return math.Sqrt(kernels.Dot(v, v)) }
