package linalg

import (
	"math"
	"math/rand/v2"

	"github.com/scas-admm/scas/sparse"
)

// largestEigenvalue returns an estimate of the largest eigenvalue of A'A that is usually slightly too
// large: the result of power iteration times 1 + 1e-6, or times 1 + 1e-2 if the iteration has not
// converged.
func (q *Algebra) largestEigenvalue() float64 {
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
	lambda, _ := New(m, p).powerIteration()
	return lambda
}

// powerIteration estimates the largest eigenvalue of A'A as PowerIteration does. It starts at a random
// vector, because the vector of ones is an eigenvector of A'A for the matrix A of a fused lasso. converged is
// false if the limit of work ended the iteration.
func (q *Algebra) powerIteration() (lambda float64, converged bool) {
	products := 4 * (q.rows + q.cols)
	if q.matrix != nil {
		products = int(q.matrix.NNZ())
	}
	trans, v, av := q.transProduct(), randomVector(q.cols, 1, 2), make([]float64, q.rows)
	rounds := min(max(20_000_000/(products+1), 100), 5000)
	for range rounds {
		if !normalise(v) {
			return 0, true
		}
		q.op.MulVec(av, v)
		next := SumSquares(av) // v'A'Av, which is at most the largest eigenvalue
		trans(v, av)
		if next-lambda <= 1e-10*next {
			return next, true
		}
		lambda = next
	}
	return lambda, false
}

// smallestEigenvalue returns an upper bound of the smallest eigenvalue of A'A, by power iteration on
// lambda1·I − A'A, where lambda1 is Largest.
func (q *Algebra) smallestEigenvalue() float64 {
	lambda1, v, next, image := q.Largest(), randomVector(q.cols, 5, 6), make([]float64, q.cols), make([]float64, q.rows)
	var best float64
	for range min(max(10_000_000/(4*(q.rows+q.cols)), 20), 300) {
		if !normalise(v) {
			break
		}
		q.op.MulVec(image, v)
		q.op.MulVecTrans(next, image)
		var quotient float64
		for j, x := range v {
			next[j] = math.FMA(lambda1, x, -next[j])
			quotient += float64(x * next[j])
		}
		best = math.Max(best, quotient)
		v, next = next, v
	}
	return math.Max(0, lambda1-best)
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
	norm := math.Sqrt(SumSquares(v))
	if norm == 0 {
		return false
	}
	for j := range v {
		v[j] /= norm
	}
	return true
}
