package linalg

import (
	"math"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/sparse/pages"
)

// ConjugateGradients solves K v = b for a symmetric positive definite K, with a preconditioner D. It is not
// safe for concurrent use.
type ConjugateGradients struct {
	Multiply func(dst, v []float64) // sets dst = K v
	// Precondition sets dst = D⁻¹ r. If it is nil, D has the positive diagonal Diagonal: that of K, or an estimate
	// of it.
	Precondition func(dst, r []float64)
	Diagonal     []float64
	Residual     []float64 // the residual b − K v of the system K v = b

	dir, image     []float64 // search direction, and K times it
	scaledResidual []float64 // D⁻¹ times Residual
}

// NewConjugateGradients returns a solver for p unknowns. multiply sets dst = K v.
func NewConjugateGradients(p int, multiply func(dst, v []float64)) *ConjugateGradients {
	c := &ConjugateGradients{Multiply: multiply}
	c.Resize(p)
	return c
}

// Resize prepares for p unknowns. It reuses memory that is large enough.
func (c *ConjugateGradients) Resize(p int) {
	for _, v := range []*[]float64{&c.Diagonal, &c.Residual, &c.dir, &c.image, &c.scaledResidual} {
		*v = pages.Resize(*v, p)
	}
}

// Solve improves an approximate solution v of K v = b until stop returns true, the given number of rounds is
// done, or K is found to be singular. It returns the number of products with K. Before the call, c.Residual
// must be b − K v. Before each round, Solve calls stop with the number of the round, from 0, and with
// energy = r'D⁻¹r, where r is the residual.
func (c *ConjugateGradients) Solve(
	v []float64, rounds int, stop func(round int, energy float64) bool,
) (products int) {
	previousEnergy := 0.0
	for round := range rounds {
		c.precondition()
		energy := kernels.Dot(c.Residual, c.scaledResidual)
		if stop(round, energy) {
			return round
		}
		if round == 0 {
			copy(c.dir, c.scaledResidual)
		} else {
			beta := energy / previousEnergy
			for j, g := range c.scaledResidual {
				c.dir[j] = math.FMA(beta, c.dir[j], g)
			}
		}
		previousEnergy = energy
		c.Multiply(c.image, c.dir)
		curvature := kernels.Dot(c.dir, c.image)
		if !(curvature > 0) { // K is singular up to rounding
			return round + 1
		}
		stepLength := energy / curvature
		kernels.Axpy(stepLength, c.dir, v)
		kernels.Axpy(-stepLength, c.image, c.Residual)
	}
	return rounds
}

// precondition sets scaledResidual to D⁻¹ times Residual.
func (c *ConjugateGradients) precondition() {
	if c.Precondition != nil {
		c.Precondition(c.scaledResidual, c.Residual)
		return
	}
	for j, g := range c.Residual {
		c.scaledResidual[j] = g / c.Diagonal[j]
	}
}

// StopAtNorm returns a function to pass to Solve as stop. It ends Solve when the norm of the residual is at
// most goal.
func (c *ConjugateGradients) StopAtNorm(goal float64) func(int, float64) bool {
	return func(int, float64) bool { return math.Sqrt(kernels.Dot(c.Residual, c.Residual)) <= goal }
}
