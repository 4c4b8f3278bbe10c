package solver

import (
	"math"
	"math/rand/v2"
)

// Constants are the quantities of the paper's assumptions, as far as they can
// be computed from the data.
type Constants struct {
	// NuF is ν_f, a Lipschitz constant of every ∇f_i: the loss's curvature
	// times max |aᵢ|², plus mu.
	NuF float64 `json:"nu_f"`
	// MuF is μ_f, the modulus of strong convexity of f: mu.
	MuF float64 `json:"mu_f"`
	// Lambda1 is λ₁, the largest eigenvalue of A'A, from above.
	Lambda1 float64 `json:"lambda_1"`
	// NuL is ν_L = ν_f + ρ λ₁, a Lipschitz constant of the gradient of the
	// augmented Lagrangian in x (paper, Lemma 1).
	NuL float64 `json:"nu_l"`
}

// newConstants computes all but NuL.
func newConstants(p *Problem) Constants {
	n, _ := p.Data.Dims()
	var longest float64
	for i := range n {
		_, val := p.Data.Row(i)
		longest = math.Max(longest, sumSquares(val))
	}
	curvature := p.loss().Curvature()
	c := Constants{NuF: float64(curvature*longest) + p.L2, MuF: p.L2, Lambda1: 1}
	if p.Constraint != nil {
		c.Lambda1 = largestEigenvalue(p.Constraint)
	}
	return c
}

// largestEigenvalue returns λ₁(A'A) by power iteration, raised by 1e-6, or by
// 1e-2 if the iteration had not settled within a bounded amount of work. The
// start is random: the all-ones vector would be an exact eigenvector of a
// graph's Laplacian, for the wrong eigenvalue.
func largestEigenvalue(a Operator) float64 {
	l, p := a.Dims()
	products := 4 * (l + p)
	back := a.MulVecTrans
	if m, ok := asMatrix(a); ok {
		products = int(m.NNZ())
		back = m.Transpose().MulVec
	}
	rng := rand.New(rand.NewPCG(1, 2))
	v, av := make([]float64, p), make([]float64, l)
	for j := range v {
		v[j] = rng.Float64() - 0.5
	}
	var lambda float64
	rounds := min(max(100_000_000/(products+1), 100), 5000)
	for range rounds {
		norm := math.Sqrt(sumSquares(v))
		if norm == 0 {
			return 0
		}
		for j := range v {
			v[j] /= norm
		}
		a.MulVec(av, v)
		next := sumSquares(av) // v'A'Av, from below
		back(v, av)
		if next-lambda <= 1e-10*next {
			return next * (1 + 1e-6)
		}
		lambda = next
	}
	return lambda * (1 + 1e-2)
}
