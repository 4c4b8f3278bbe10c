package solver

import (
	"math"
	"math/rand/v2"
	"slices"
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
	// LambdaP is λ_p, the smallest eigenvalue of A'A, estimated from above; 1 if
	// A contains the identity and some feature nothing else.
	LambdaP float64 `json:"lambda_p"`
	// Diameter is D, of the domain; 0 if it is unbounded.
	Diameter float64 `json:"diameter"`
	// Radius bounds |x*|₂ for some minimiser x*, given the objective at the start:
	// by mu, or by lambda where A contains the identity. 0 if neither does.
	Radius float64 `json:"radius"`
	// NuL is ν_L = ν_f + ρ λ₁, a Lipschitz constant of the gradient of the
	// augmented Lagrangian in x (paper, Lemma 1).
	NuL float64 `json:"nu_l"`
}

// newConstants computes all but NuL and Radius.
func newConstants(p *Problem) Constants {
	n, _ := p.Data.Dims()
	var longest float64
	for i := range n {
		_, val := p.Data.Row(i)
		longest = math.Max(longest, sumSquares(val))
	}
	curvature := p.loss().Curvature()
	c := Constants{NuF: float64(curvature*longest) + p.L2, MuF: p.L2, Lambda1: 1, LambdaP: 1}
	if p.Constraint != nil {
		c.Lambda1 = largestEigenvalue(p.Constraint)
		c.LambdaP = smallestEigenvalue(p.Constraint, c.Lambda1)
	}
	if p.Domain != nil && !math.IsInf(p.Domain.Diameter(), 1) {
		c.Diameter = p.Domain.Diameter()
	}
	return c
}

// radius bounds |x*|₂ given an objective that some point attains.
func (p *Problem) radius(objective float64) float64 {
	r := math.Inf(1)
	if p.L2 > 0 {
		r = math.Sqrt(2 * objective / p.L2)
	}
	if g, ok := p.Penalty.(L1); ok && g.Lambda > 0 && p.Coupling == nil {
		if least := leastOwnWeight(p, g); least > 0 {
			r = math.Min(r, objective/(g.Lambda*least))
		}
	}
	if math.IsInf(r, 1) {
		return 0
	}
	return r
}

// leastOwnWeight returns the least w such that the penalty is at least
// lambda·w·|xⱼ| for every j through a row of A that holds xⱼ alone.
func leastOwnWeight(p *Problem, g L1) float64 {
	_, cols := p.Data.Dims()
	own := make([]float64, cols)
	at := func(row int) float64 {
		if g.Weights == nil {
			return 1
		}
		return g.Weights[row]
	}
	if p.Constraint == nil {
		for j := range own {
			own[j] = at(j)
		}
	} else if a, ok := asMatrix(p.Constraint); ok {
		rows, _ := a.Dims()
		for row := range rows {
			if idx, val := a.Row(row); len(idx) == 1 {
				own[idx[0]] = math.Max(own[idx[0]], math.Abs(val[0])*at(row))
			}
		}
	}
	return slices.Min(own)
}

// smallestEigenvalue returns λ_p(A'A) by power iteration on λ₁ I − A'A, from
// above.
func smallestEigenvalue(a Operator, lambda1 float64) float64 {
	shifted := shiftedGram{a: a, shift: lambda1}
	l, p := a.Dims()
	shifted.image = make([]float64, l)
	rounds := min(max(10_000_000/(4*(l+p)), 20), 300)
	return math.Max(0, lambda1-rayleigh(shifted, rounds))
}

// shiftedGram is the symmetric operator shift·I − A'A.
type shiftedGram struct {
	a     Operator
	shift float64
	image []float64
}

func (s shiftedGram) multiply(dst, x []float64) {
	s.a.MulVec(s.image, x)
	s.a.MulVecTrans(dst, s.image)
	for j, v := range x {
		dst[j] = math.FMA(s.shift, v, -dst[j])
	}
}

// rayleigh returns the largest Rayleigh quotient met by power iteration.
func rayleigh(s shiftedGram, rounds int) float64 {
	_, p := s.a.Dims()
	rng := rand.New(rand.NewPCG(5, 6))
	v, next := make([]float64, p), make([]float64, p)
	for j := range v {
		v[j] = rng.Float64() - 0.5
	}
	var best float64
	for range rounds {
		norm := math.Sqrt(sumSquares(v))
		if norm == 0 {
			break
		}
		for j := range v {
			v[j] /= norm
		}
		s.multiply(next, v)
		var quotient float64
		for j, x := range v {
			quotient += float64(x * next[j])
		}
		best = math.Max(best, quotient)
		v, next = next, v
	}
	return best
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
	rounds := min(max(20_000_000/(products+1), 100), 5000)
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
