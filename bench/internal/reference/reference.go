// Package reference finds optima by methods that share no code with the
// solver: a barrier Newton method with dense factors, on all features or on
// those that can be nonzero, and a bound on the distance to the optimum that
// does not depend on how a point was found.
package reference

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
)

const (
	// maxFeatures is the largest number of features to factor together. Memory is
	// three dense matrices of that size.
	maxFeatures = 2000
	// guessPasses is the budget of the iterative method that guesses which features
	// are nonzero; those that stand in for Newton get ten times as many.
	guessPasses = 60
	// barrierTol is the gap 2 τ l of the barrier at which to stop.
	barrierTol = 1e-13
)

// An Optimum is the least objective known of a problem.
type Optimum struct {
	X         []float64
	Objective float64
	// Gap bounds the excess of Objective over the optimum, by duality. It can
	// be far from tight where mu = 0.
	Gap float64
	// By says how it was found, in words.
	By string
}

// Solve finds the optimum of p: logistic or any other twice differentiable
// loss, R^p, penalty L1 without weights, B = −I and c = 0, and a constraint that
// is a *sparse.CSR or nil. Up to 2,000 features, it is a barrier Newton method on
// all of them. Beyond, it is that method on the features that the solver's
// iterates have nonzero, enlarged until all others satisfy their optimality
// conditions, and where those are too many, the best of two methods of the solver
// run for long.
func Solve(ctx context.Context, p *solver.Problem) (*Optimum, error) {
	return solve(ctx, p, maxFeatures)
}

// solve is Solve, factoring at most so many features together.
func solve(ctx context.Context, p *solver.Problem, most int) (*Optimum, error) {
	a, err := matrixOf(p)
	if err != nil {
		return nil, err
	}
	_, features := p.Data.Dims()
	if features > most {
		return solveActive(ctx, p, a, most)
	}
	r := restrict(p, a, list(slices.Repeat([]bool{true}, features)))
	bound := &lowerBound{p: r.p, a: r.a}
	x, err := barrier(ctx, r, nil, firstTau, barrierTol, bound.show)
	if err != nil {
		return nil, err
	}
	return bound.optimum(p, x, "barrier Newton"), nil
}

// matrixOf returns A, or an error if p is not of the form that Solve takes.
func matrixOf(p *solver.Problem) (*sparse.CSR, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	l1, ok := p.Penalty.(solver.L1)
	switch {
	case !ok || l1.Weights != nil || !(l1.Lambda > 0):
		return nil, fmt.Errorf("reference: penalty %T: only L1 with a positive Lambda and no weights is solved", p.Penalty)
	case p.Coupling != nil || p.Domain != nil || p.SampleWeights != nil:
		return nil, fmt.Errorf("reference: only A x = y without domain and sample weights is solved")
	}
	if p.Constraint == nil {
		_, features := p.Data.Dims()
		return sparse.Identity(features), nil
	}
	a, ok := p.Constraint.(*sparse.CSR)
	if !ok {
		return nil, fmt.Errorf("reference: constraint %T; a *sparse.CSR is needed", p.Constraint)
	}
	return a, nil
}

// A lowerBound is the best dual value seen, and what it was made from.
type lowerBound struct {
	p       *solver.Problem
	a       *sparse.CSR
	value   float64
	x, beta []float64
}

// show takes the dual point that x and beta make.
func (b *lowerBound) show(x, beta []float64) {
	if v := b.p.Evaluate(x).Objective - Certificate(b.p, b.a, x, beta); v > b.value || b.x == nil {
		b.value, b.x, b.beta = v, x, beta
	}
}

// optimum is what is known of p, of which b bounds the optimum.
func (b *lowerBound) optimum(p *solver.Problem, x []float64, by string) *Optimum {
	objective := p.Evaluate(x).Objective
	return &Optimum{X: x, Objective: objective, Gap: math.Max(0, objective-b.value), By: by}
}
