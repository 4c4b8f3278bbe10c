package linalg

import (
	"math"

	"github.com/scas-admm/scas/kernels"
)

// ConjugateGradients solves K v = b for a symmetric positive definite K by the conjugate
// gradient method with a diagonal preconditioner. It is not safe for concurrent use.
type ConjugateGradients struct {
	Multiply func(dst, v []float64) // sets dst = K v
	Diagonal []float64              // the preconditioner: the diagonal of K or an estimate of it; positive
	Residual []float64              // b − K v

	dir, image, scaled []float64
}

// NewConjugateGradients returns a solver for p unknowns.
func NewConjugateGradients(p int, multiply func(dst, v []float64)) *ConjugateGradients {
	c := &ConjugateGradients{Multiply: multiply}
	for _, v := range []*[]float64{&c.Diagonal, &c.Residual, &c.dir, &c.image, &c.scaled} {
		*v = make([]float64, p)
	}
	return c
}

// Solve improves v until the norm of the residual is at most goal or the given number of
// rounds is done. It returns the number of products with K. The caller sets c.Residual to
// the residual of v before.
func (c *ConjugateGradients) Solve(v []float64, goal float64, rounds int) (products int) {
	previous := 0.0
	for round := range rounds {
		if math.Sqrt(kernels.Dot(c.Residual, c.Residual)) <= goal {
			return round
		}
		for j, g := range c.Residual {
			c.scaled[j] = g / c.Diagonal[j]
		}
		product := kernels.Dot(c.Residual, c.scaled)
		if round == 0 {
			copy(c.dir, c.scaled)
		} else {
			turn := product / previous
			for j, g := range c.scaled {
				c.dir[j] = math.FMA(turn, c.dir[j], g)
			}
		}
		previous = product
		c.Multiply(c.image, c.dir)
		length := product / kernels.Dot(c.dir, c.image)
		kernels.Axpy(length, c.dir, v)
		kernels.Axpy(-length, c.image, c.Residual)
	}
	return rounds
}
