// Package peers compares scas with other solvers on the same problems: the time that
// each takes to come within a gap of the optimum, by its own clock, with the objective
// of what it returns computed here.
package peers

import (
	"math"

	"github.com/scas-admm/scas/sparse"
)

// A Problem is L1 logistic regression, with a graph or an L2 term or both:
//
//	minimise (1/n) Σ log(1 + exp(−bᵢ aᵢ'x)) + (L2/2)|x|² + L1 |A x|₁.
type Problem struct {
	Spec
	X      *sparse.CSR
	Labels []float64   // −1 and 1
	A      *sparse.CSR // nil means the identity
	Lambda float64     // the weight of the L1 term: that of Spec, or found from the data
	// Known is an optimum that came with the data, NaN if none did.
	Known float64
}

// Objective evaluates the problem at x, naively: a loop over the rows, with nothing of
// the solver's.
func (p *Problem) Objective(x []float64) float64 {
	n, _ := p.X.Dims()
	var loss, penalty, square float64
	for i := range n {
		loss += logistic(p.Labels[i] * product(p.X, i, x))
	}
	for _, v := range x {
		square += v * v
	}
	if p.A == nil {
		for _, v := range x {
			penalty += math.Abs(v)
		}
	} else {
		rows, _ := p.A.Dims()
		for j := range rows {
			penalty += math.Abs(product(p.A, j, x))
		}
	}
	return loss/float64(n) + p.L2/2*square + p.Lambda*penalty
}

// AtZero is the objective at x = 0.
func (p *Problem) AtZero() float64 { return math.Ln2 }

// logistic returns log(1 + exp(−m)).
func logistic(m float64) float64 {
	if m < 0 {
		return math.Log1p(math.Exp(m)) - m
	}
	return math.Log1p(math.Exp(-m))
}

// product returns the product of a row with x.
func product(m *sparse.CSR, i int, x []float64) (sum float64) {
	idx, val := m.Row(i)
	for k, j := range idx {
		sum += val[k] * x[j]
	}
	return sum
}

// lambdaMax is the least weight of the L1 term, with A = I, at which x = 0 is optimal.
func lambdaMax(x *sparse.CSR, labels []float64) float64 {
	n, p := x.Dims()
	gradient := make([]float64, p)
	for i := range n {
		idx, val := x.Row(i)
		for k, j := range idx {
			gradient[j] += val[k] * labels[i]
		}
	}
	var largest float64
	for _, g := range gradient {
		largest = max(largest, math.Abs(g)/(2*float64(n)))
	}
	return largest
}
