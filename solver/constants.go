package solver

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/solver/theory"
)

// Constants returns the constants of p in the paper's theorems (see package theory), for the penalty
// parameter rho. The field Radius is zero. Constants makes a pass over the data and some products with A. It
// returns the error of Validate.
func (p *Problem) Constants(rho float64) (theory.Constants, error) {
	if err := p.Validate(); err != nil {
		return theory.Constants{}, err
	}
	c := p.constants(p.algebra(), p.team().MaxNumber(slices.Max(p.Data.RowNormsSq())))
	c.NuL = p.nuL(&c, rho)
	return c, nil
}

// constants returns all constants but NuL and Radius. maxNorm2 is the largest |aᵢ|² of a row aᵢ of the data.
func (p *Problem) constants(a *linalg.Algebra, maxNorm2 float64) theory.Constants {
	c := theory.Constants{MuF: p.L2, Lambda1: a.LargestEigenvalue(), LambdaP: a.SmallestEigenvalue()}
	if !p.unboundedCurvature() {
		c.NuF = float64(p.loss().Curvature()*maxNorm2) + p.L2
	}
	if p.Domain != nil && !math.IsInf(p.Domain.Diameter(), 1) {
		c.Diameter = p.Domain.Diameter()
	}
	return c
}

func (p *Problem) nuL(c *theory.Constants, rho float64) float64 {
	if p.unboundedCurvature() {
		return 0
	}
	return c.NuF + float64(rho*c.Lambda1)
}

// radius returns an upper bound of |x*|₂ for a solution x*, or 0 if no bound is known. objective is the
// objective at a point of the domain, so it is not below the optimum. If the loss and the penalty are nowhere
// negative, the optimum is at least (mu/2)|x*|², and at least rate·|x*|₁ if g(A x) ≥ rate·|x|₁ for every x.
func (p *Problem) radius(a *linalg.Algebra, objective float64) float64 {
	if !(objective >= 0) {
		return 0
	}
	rate := 0.0
	if l, _ := a.Dims(); p.Coupling == nil {
		if limits := term.Limits(p.penalty(), l); limits != nil {
			rate = a.LeastSingleton(limits)
		}
	}
	r := math.Inf(1)
	if p.L2 > 0 {
		r = math.Sqrt(2 * objective / p.L2)
	}
	if rate > 0 {
		r = math.Min(r, objective/rate)
	}
	if math.IsInf(r, 1) {
		return 0
	}
	return r
}
