package graph

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// The constants of the published recipe; see PublishedRecipe.
const (
	recipePenalty   = 0.005
	recipeThreshold = 2.5e-3 // smallest |inv(W)_ij| of an edge
	recipeRounds    = 10
	recipeSweeps    = 1000  // largest number of sweeps for a lasso problem
	recipeChange    = 1e-16 // a lasso problem ends if the norm of the changes in a sweep is below this
	recipeComponent = 5000  // largest number of features of a component, as in the published code
)

// PublishedRecipe returns the graph that published codes of stochastic ADMM compute from the covariance
// (not the correlation) of the data. Their function graphical_lasso starts block coordinate descent
// (Friedman, Hastie and Tibshirani 2008) from W = I instead of W = S + 0.005 I. The diagonal of W therefore
// stays 1, and the result is not the graphical lasso of S. The steps are:
//
//	S = c, covariances with the divisor rows-1;  W = I
//	10 times, for every feature j:
//	    b = argmin 1/2 b'Vb - u'b + 0.005 |b|_1
//	        for V = W without row and column j, and u = column j of S without S_jj
//	        (cyclic coordinate descent from 0: at most 1,000 sweeps, until the norm of the changes in a
//	        sweep is below 1e-16)
//	    row and column j of W = V b, except W_jj
//	edges where |inv(W)_ij| > 0.0025
//
// Edges have weight 1 and are ordered by (I, J) with I < J. The codes use the constraint matrix [B; I] with
// B = Graph.Antisymmetric(). The values of the features should be of order 1. Connected components of the
// graph whose edges are the pairs with |S_ij| > 0.005 are solved in parallel, on the given number of
// threads; 0 means one per processor. A component of more than 5,000 features is a *ComponentError. A W
// that is not finite or has no inverse is an error.
func PublishedRecipe(c *Covariance, threads int) (*Graph, error) {
	members, err := c.Components(recipePenalty, recipeComponent, threads)
	if tooLarge, ok := errors.AsType[*ComponentError](err); ok {
		tooLarge.Fits = 0 // the penalty of the recipe is fixed
	}
	if err != nil {
		return nil, err
	}
	blockEdges := make([][]Edge, len(members))
	errs := make([]error, len(members))
	c.Blocks(members, threads,
		func(k int, s []float64) { blockEdges[k], errs[k] = recipeEdges(s, members[k]) })
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	edges := slices.Concat(blockEdges...)
	sortEdges(edges)
	return &Graph{n: c.n, edges: edges}, nil
}

// recipeEdges returns the edges that PublishedRecipe makes in one connected component. s is the covariance
// matrix of the component, row by row, and members are the component's features.
func recipeEdges(s []float64, members []int32) ([]Edge, error) {
	p := len(members)
	w := mat.NewDense(p, p, nil)
	for i := range p {
		w.Set(i, i, 1)
	}
	lasso := recipeLasso{p: p, w: w.RawMatrix().Data, s: s, b: make([]float64, p), vb: make([]float64, p)}
	for range recipeRounds {
		for j := range p {
			lasso.solve(j)
			lasso.vb[j] = 1 // the diagonal of W stays 1
			for i, v := range lasso.vb {
				lasso.w[i*p+j], lasso.w[j*p+i] = v, v
			}
		}
	}
	if slices.ContainsFunc(lasso.w, notFinite) {
		return nil, errorf("recipe: the estimate for %d features around feature %d is not finite: want features of smaller variance", p, members[0]+1)
	}
	var theta mat.Dense
	if err := theta.Inverse(w); err != nil {
		return nil, errorf("recipe: the estimate for %d features around feature %d has no inverse (%w): want features scaled to order 1", p, members[0]+1, err)
	}
	var edges []Edge
	for i := range p {
		for j := i + 1; j < p; j++ {
			if math.Abs(theta.At(i, j)) > recipeThreshold {
				edges = append(edges, Edge{I: members[i], J: members[j], Weight: 1})
			}
		}
	}
	return edges, nil
}

// recipeLasso solves the lasso problem of one feature j of a component; see PublishedRecipe for the problem.
type recipeLasso struct {
	p     int       // number of features of the component
	w, s  []float64 // the component's part of the matrices W and S of PublishedRecipe, row by row
	b, vb []float64 // the solution b, with b_j = 0, and W b; element j of W b is not used
}

// solve sets b and vb for feature j by cyclic coordinate descent.
func (l *recipeLasso) solve(j int) {
	p := l.p
	clear(l.b)
	clear(l.vb)
	u := l.s[j*p : (j+1)*p]
	for range recipeSweeps {
		change := 0.0
		for i := range p {
			if i == j {
				continue
			}
			b := 0.0
			if v := u[i] - l.vb[i] + l.b[i]; math.Abs(v) > recipePenalty { // no division by W_ii, which is 1
				b = v - math.Copysign(recipePenalty, v)
			}
			d := b - l.b[i]
			if d == 0 {
				continue
			}
			l.b[i] = b
			change += float64(d * d)
			for k, w := range l.w[i*p : (i+1)*p] {
				l.vb[k] += float64(d * w)
			}
		}
		if math.Sqrt(change) < recipeChange {
			return
		}
	}
}
