// Package peers compares the times that scas and other solvers need to come within a given gap of the
// optimum. Each solver measures its own time. This package evaluates the objective at each solution. Read
// Race first.
package peers

import (
	"fmt"
	"math"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/model"
	"github.com/scas-admm/scas/sparse"
)

// A Task says what a solver computes for a problem.
type Task string

// The tasks.
const (
	Fit  Task = "fit"  // one lambda, from the start point 0
	Path Task = "path" // all lambdas, from the largest to the smallest
	// CV is cross-validation: the path of all rows and, for each fold, the path of the rows outside the fold.
	// The models of a fold's path are scored by their mean loss on the fold.
	CV Task = "cv"
)

// A Problem is
//
//	minimise (1/n) Σ φ(aᵢ'x + c; bᵢ) + (L2/2)|x|² + λ |A S x|₁
//
// for each λ of Lambdas. aᵢ is row i of X, bᵢ is its label, and φ is the loss that Spec.Loss names. The
// intercept c is 0 unless Spec.Intercept is set. If Spec.Standardize is set, A is the identity, and S is the
// diagonal matrix of Deviations. Otherwise S is the identity.
type Problem struct {
	Spec
	X          *sparse.CSR
	Labels     []float64   // −1 and 1, or any numbers for the squared loss
	A          *sparse.CSR // nil means the identity
	Lambdas    []float64   // decreasing weights λ of the L1 term; a single one for the task Fit
	Deviations []float64   // standard deviations of the features; nil means ones
	Folds      []int       // for the task CV, the fold of each row, from 0
	// ObjectiveAtZero is the objective for zero coefficients and a zero intercept.
	ObjectiveAtZero float64
}

// A Loss has two implementations of a loss φ(t; b) of the margin t and the label b: one of this package and
// one of the solver.
type Loss struct {
	value  func(t, b float64) float64
	solver solver.Loss
}

// losses maps the name of a loss in the file problem.json, which the peers read, to the loss.
var losses = map[string]Loss{
	"logistic":      {func(t, b float64) float64 { return logistic(b * t) }, solver.Logistic{}},
	"squared":       {func(t, b float64) float64 { return (b - t) * (b - t) }, solver.Squared{}},
	"squared hinge": {func(t, b float64) float64 { m := max(0, 1-b*t); return m * m }, solver.SquaredHinge{}},
}

// Objective returns the objective at x for λ = Lambdas[k]. x has the coefficients and then, if the problem
// has one, the intercept. Objective shares no code with the solver.
func (p *Problem) Objective(k int, x []float64) float64 {
	n, features := p.X.Dims()
	phi := losses[p.Loss].value
	c := 0.0
	if p.Intercept {
		c = x[features]
	}
	var loss, penalty, square float64
	for i := range n {
		loss += phi(rowProduct(p.X, i, x)+c, p.Labels[i])
	}
	for j, v := range x[:features] {
		square += v * v
		if p.Deviations != nil {
			v *= p.Deviations[j]
		}
		if p.A == nil {
			penalty += math.Abs(v)
		}
	}
	if p.A != nil {
		rows, _ := p.A.Dims()
		for j := range rows {
			penalty += math.Abs(rowProduct(p.A, j, x))
		}
	}
	return loss/float64(n) + p.L2/2*square + p.Lambdas[k]*penalty
}

// solutionLen returns the length of a solution: one entry for each feature, and one for the intercept if
// there is one.
func (p *Problem) solutionLen() int {
	_, features := p.X.Dims()
	if p.Intercept {
		features++
	}
	return features
}

// Split cuts numbers into one solution for each lambda. It returns an error if numbers has the wrong length,
// or has an entry that is not finite.
func (p *Problem) Split(numbers []float64) (solutions [][]float64, err error) {
	length := p.solutionLen()
	if len(numbers) != length*len(p.Lambdas) {
		return nil, fmt.Errorf("%d numbers in its answer; want %d, for each of %d lambdas %d",
			len(numbers), length*len(p.Lambdas), len(p.Lambdas), length)
	}
	for i, v := range numbers {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("coefficient %d of lambda %d is %v", i%length+1, i/length+1, v)
		}
	}
	for k := range p.Lambdas {
		solutions = append(solutions, numbers[k*length:(k+1)*length])
	}
	return solutions, nil
}

// head returns a line that describes the problem.
func (p *Problem) head() string {
	n, features := p.X.Dims()
	text := fmt.Sprintf("%s: %d x %d, %d nonzeros, %s loss", p.Data, n, features, p.X.NNZ(), p.Loss)
	if last := len(p.Lambdas) - 1; last > 0 {
		text += fmt.Sprintf(", %d lambdas from %.4g to %.4g", last+1, p.Lambdas[0], p.Lambdas[last])
	} else {
		text += fmt.Sprintf(", lambda %.4g", p.Lambdas[0])
	}
	if p.Task == CV {
		text += fmt.Sprintf(", %d folds", cvFolds)
	}
	text += fmt.Sprintf(", mu %.4g", p.L2)
	if p.Intercept {
		text += ", intercept"
	}
	if p.Standardize {
		text += ", standardised"
	}
	if p.A == nil {
		return text + ", A = I"
	}
	rows, _ := p.A.Dims()
	return text + fmt.Sprintf(", A with %d rows", rows)
}

// specification returns the problem as a Spec of package model, without A and the lambdas.
func (p *Problem) specification() *model.Spec {
	spec := &model.Spec{Loss: losses[p.Loss].solver, NoIntercept: !p.Intercept, Mu: p.L2}
	spec.Standardize = model.StandardizeOff
	if p.Standardize {
		spec.Standardize = model.StandardizeOn
	}
	spec.Threads = 1
	return spec
}

// logistic returns log(1 + exp(−m)).
func logistic(m float64) float64 {
	if m < 0 {
		return math.Log1p(math.Exp(m)) - m
	}
	return math.Log1p(math.Exp(-m))
}

func rowProduct(m *sparse.CSR, i int, x []float64) (sum float64) {
	idx, val := m.Row(i)
	for k, j := range idx {
		sum += val[k] * x[j]
	}
	return sum
}

// deviations returns the population standard deviation of each column, or 1 for a constant column.
func deviations(x *sparse.CSR) []float64 {
	n, p := x.Dims()
	mean, square, entries := make([]float64, p), make([]float64, p), make([]int, p)
	for i := range n {
		idx, val := x.Row(i)
		for k, j := range idx {
			mean[j] += val[k] / float64(n)
			entries[j]++
		}
	}
	for i := range n {
		idx, val := x.Row(i)
		for k, j := range idx {
			square[j] += (val[k] - mean[j]) * (val[k] - mean[j])
		}
	}
	for j, m := range mean {
		square[j] = math.Sqrt((square[j] + float64(n-entries[j])*m*m) / float64(n))
		if square[j] == 0 {
			square[j] = 1
		}
	}
	return square
}
