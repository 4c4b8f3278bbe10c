package theory

import (
	"math"

	"github.com/scas-admm/scas/kernels"
)

// Theorem1Steps returns the step size η_t = 1/(C_t t^δ) and the number M_t = ⌈C_t t^2δ⌉ of
// inner steps, at least 2, for outer iteration t = 1, 2, ... of Algorithm 1 (paper, Theorem
// 1). delta is δ, and C_t = ν_L² D² + G_t², where ν_L is c.NuL and D is c.Diameter.
// gradientSquared is G_t², the squared norm of the gradient in x of the augmented Lagrangian at
// the beginning of the iteration.
func (c Constants) Theorem1Steps(gradientSquared float64, t int, delta float64) (eta float64, m int) {
	ct := float64(c.NuL*c.NuL*c.Diameter*c.Diameter) + gradientSquared
	power := kernels.ExpNeg(float64(delta * kernels.Log(float64(t)))) // t^-delta
	return power / ct, wholeSteps(ct / float64(power*power))
}

// Theorem2Steps returns the step size η = μ_f/(8ν_f² + μ_f ν_L) and the number M = ⌈4/(η μ_f)⌉
// of inner steps, at least 2, of Algorithm 2 (paper, Theorem 2, without its restriction on ρ).
// μ_f is c.MuF, ν_f is c.NuF and ν_L is c.NuL.
func (c Constants) Theorem2Steps() (eta float64, m int) {
	eta = c.MuF / (float64(8*c.NuF*c.NuF) + float64(c.MuF*c.NuL))
	return eta, wholeSteps(4 / (eta * c.MuF))
}

// wholeSteps rounds a number of inner steps up to a whole number from 2 to 2^53.
func wholeSteps(m float64) int {
	return int(math.Max(2, math.Min(math.Ceil(m), 1<<53)))
}
