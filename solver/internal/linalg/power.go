package linalg

import (
	"math"
	"math/rand/v2"

	"github.com/scas-admm/scas/sparse"
)

// estimateLargest returns an estimate of the largest eigenvalue of A'A that is usually slightly too
// large: the result of power iteration times 1 + 1e-6, or times 1 + 1e-2 if the iteration has not
// converged.
func (q *Algebra) estimateLargest() float64 {
	lambda, converged := q.powerIteration()
	if converged {
		return lambda * (1 + 1e-6)
	}
	return lambda * (1 + 1e-2)
}

// PowerIteration estimates the largest eigenvalue of M'M from below, up to rounding. It ends once a round
// raises the estimate by at most 1e-10 of its value, or after a limited amount of work.
func PowerIteration(m *sparse.CSR) float64 {
	_, p := m.Dims()
	lambda, _ := newAlgebra(m, p).powerIteration()
	return lambda
}

// LargestEigenvalue returns the estimate of Algebra.LargestEigenvalue for a data matrix. Unlike New, it does
// not copy the matrix to leave out stored zeros.
func LargestEigenvalue(m *sparse.CSR) float64 {
	_, p := m.Dims()
	return newAlgebra(m, p).LargestEigenvalue()
}

// powerIteration estimates the largest eigenvalue of A'A as PowerIteration does. It starts at a random
// vector, because the vector of ones is an eigenvector of A'A for the matrix A of a fused lasso. converged is
// false if the limit of work ended the iteration.
func (q *Algebra) powerIteration() (lambda float64, converged bool) {
	roundWork := 4 * (q.rows + q.cols)
	if q.matrix != nil {
		roundWork = int(q.matrix.NNZ())
	}
	trans, v, av := q.transProduct(), randomVector(q.cols, 1, 2), make([]float64, q.rows)
	rounds := min(max(20_000_000/(roundWork+1), 100), 5000)
	for range rounds {
		if !normalise(v) {
			return 0, true
		}
		q.operator.MulVec(av, v)
		estimate := SumSquares(av) // v'A'Av, which is at most the largest eigenvalue
		trans(v, av)
		if estimate-lambda <= 1e-10*estimate {
			return estimate, true
		}
		lambda = estimate
	}
	return lambda, false
}

// boundSmallest returns an upper bound of the smallest eigenvalue of A'A, by power iteration on
// lambda1·I − A'A, where lambda1 is LargestEigenvalue.
func (q *Algebra) boundSmallest() float64 {
	lambda1, v := q.LargestEigenvalue(), randomVector(q.cols, 5, 6)
	nextV, image := make([]float64, q.cols), make([]float64, q.rows)
	var largestQuotient float64
	for range min(max(10_000_000/(4*(q.rows+q.cols)), 20), 300) {
		if !normalise(v) {
			break
		}
		q.operator.MulVec(image, v)
		q.operator.MulVecTrans(nextV, image)
		var quotient float64
		for j, x := range v {
			nextV[j] = math.FMA(lambda1, x, -nextV[j])
			quotient += float64(x * nextV[j])
		}
		largestQuotient = math.Max(largestQuotient, quotient)
		v, nextV = nextV, v
	}
	return math.Max(0, lambda1-largestQuotient)
}

// randomVector returns p random numbers between −½ and ½.
func randomVector(p int, seed1, seed2 uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed1, seed2))
	v := make([]float64, p)
	for j := range v {
		v[j] = float64(rng.Float64()) - 0.5
	}
	return v
}

// normalise divides v by its norm. It returns false if v is zero.
func normalise(v []float64) bool {
	norm := Norm(v)
	if norm == 0 {
		return false
	}
	for j := range v {
		v[j] /= norm
	}
	return true
}
