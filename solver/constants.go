package solver

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/solver/internal/quad"
	"github.com/scas-admm/scas/sparse"
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

// Constants returns the constants of p for the penalty parameter rho of a run,
// without a run; Radius is left zero. It takes a pass over the data and a bounded
// number of products with A.
func (p *Problem) Constants(rho float64) (Constants, error) {
	if err := p.Validate(); err != nil {
		return Constants{}, err
	}
	longest, _ := rowNorms(p.Data)
	c := p.constants(p.algebra(), longest)
	c.NuL = c.NuF + float64(rho*c.Lambda1)
	return c, nil
}

// constants computes all but NuL and Radius, given the largest |aᵢ|².
func (p *Problem) constants(a *quad.Algebra, longest float64) Constants {
	c := Constants{NuF: float64(p.loss().Curvature()*longest) + p.L2, MuF: p.L2, Lambda1: a.Largest(), LambdaP: a.Smallest()}
	if p.Domain != nil && !math.IsInf(p.Domain.Diameter(), 1) {
		c.Diameter = p.Domain.Diameter()
	}
	return c
}

// rowNorms returns the largest |aᵢ|² and the root mean square of |aᵢ|.
func rowNorms(x *sparse.CSR) (longest, scale float64) {
	n, _ := x.Dims()
	var sum float64
	for i := range n {
		_, val := x.Row(i)
		norm2 := sumSquares(val)
		longest = math.Max(longest, norm2)
		sum += norm2
	}
	return longest, math.Sqrt(sum / float64(n))
}

// radius bounds |x*|₂ given an objective that some point attains.
func (p *Problem) radius(a *quad.Algebra, objective float64) float64 {
	r := math.Inf(1)
	if p.L2 > 0 {
		r = math.Sqrt(2 * max(0, objective) / p.L2)
	}
	if g, ok := p.Penalty.(L1); ok && g.Lambda > 0 && p.Coupling == nil {
		if least := leastOwnWeight(a, g); least > 0 {
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
func leastOwnWeight(a *quad.Algebra, g L1) float64 {
	_, cols := a.Dims()
	own := make([]float64, cols)
	at := func(row int) float64 {
		if g.Weights == nil {
			return 1
		}
		return g.Weights[row]
	}
	if a.Identity() {
		for j := range own {
			own[j] = at(j)
		}
	} else if m := a.Matrix(); m != nil {
		rows, _ := m.Dims()
		for row := range rows {
			if idx, val := m.Row(row); len(idx) == 1 {
				own[idx[0]] = math.Max(own[idx[0]], math.Abs(val[0])*at(row))
			}
		}
	}
	return slices.Min(own)
}
