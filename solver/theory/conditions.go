package theory

import (
	"fmt"
	"math"
)

// A Condition is an inequality of a theorem for given parameters: Left ≤ Right, or Left <
// Right if Strict is true. In C3 and C3', Left is +Inf if the denominator 2 - nu_L eta is not positive.
type Condition struct {
	Name        string // C1, C2, ... as in the paper; C2', ... for Theorem2Relaxed
	Statement   string
	Left, Right float64
	Strict      bool
}

// Holds reports whether the inequality is satisfied.
func (c Condition) Holds() bool {
	if c.Strict {
		return c.Left < c.Right
	}
	return c.Left <= c.Right
}

// String returns the condition as text, with both sides, and says whether it holds.
func (c Condition) String() string {
	verdict := "holds"
	if !c.Holds() {
		verdict = "fails"
		if c.Right > 0 && !math.IsInf(c.Left, 1) {
			verdict += fmt.Sprintf(" by a factor of %.3g", c.Left/c.Right)
		}
	}
	return fmt.Sprintf("%-3s %s: %s, %.4g against %.4g", c.Name, verdict, c.Statement, c.Left, c.Right)
}

// Theorem2 returns the conditions of Theorem 2, as printed in the paper, for step size
// eta, m inner steps and penalty parameter rho. C2 can hold only if rho (λ₁ − λ_p) < μ_f,
// where λ₁ is c.Lambda1, λ_p is c.LambdaP and μ_f is c.MuF. In C3, M is m, and alpha is
// 1 − rho λ₁ s/2 − μ_f s/4 with s = eta/(1 − ν_L eta/2).
func (c Constants) Theorem2(eta, rho float64, m int) []Condition {
	muL := c.MuF + float64(rho*c.LambdaP)
	s := eta / (1 - float64(c.NuL*eta/2))
	alpha := 1 - float64(rho*c.Lambda1*s/2) - float64(c.MuF*s/4)
	return []Condition{
		{"C1", "nu_L eta / 2 < 1", c.NuL * eta / 2, 1, true},
		{
			"C2", "(4 nu_L^2 + mu_f nu_L/2) eta + rho lambda_1 <= mu_L",
			float64((float64(4*c.NuL*c.NuL)+float64(c.MuF*c.NuL/2))*eta) + float64(rho*c.Lambda1), muL, false,
		},
		{
			"C3", "alpha/(2 M eta) + 2 nu_L^2 eta/(2 - nu_L eta) <= mu_f/4",
			c.leftSideOfC3(alpha, c.NuL, eta, m), c.MuF / 4, false,
		},
	}
}

// Theorem2Relaxed returns weaker conditions under which the conclusion of Theorem 2 still holds.
// If c.MuF > 0, a small enough eta and a large enough m satisfy them for every rho. The proof
// differs from the paper's proof in two points: it keeps |A x|² instead of the bound λ₁|x|², and
// it uses that only f, the mean loss plus (mu/2)|x|², contributes to the variance of the
// stochastic gradient. The Theorem schedule of solver.SCASStrong satisfies these conditions.
func (c Constants) Theorem2Relaxed(eta, rho float64, m int) []Condition {
	s := eta / (1 - float64(c.NuL*eta/2))
	alpha := 1 - float64(c.MuF*s/4) - float64(rho*c.LambdaP*s/2)
	return []Condition{
		{
			"C2'", "(4 nu_f^2 + mu_f nu_L/2) eta <= mu_f",
			(float64(4*c.NuF*c.NuF) + float64(c.MuF*c.NuL/2)) * eta, c.MuF, false,
		},
		{
			"C3'", "alpha'/(2 M eta) + 2 nu_f^2 eta/(2 - nu_L eta) <= mu_f/4",
			c.leftSideOfC3(alpha, c.NuF, eta, m), c.MuF / 4, false,
		},
		{
			"C4'", "max(s (rho lambda_1/2 + mu_f/4), nu_L eta) <= 1",
			math.Max(s*(float64(rho*c.Lambda1/2)+float64(c.MuF/4)), c.NuL*eta), 1, false,
		},
	}
}

// leftSideOfC3 returns the left side of C3 if nu is nu_L, or of C3' if nu is nu_f. alpha is alpha in C3,
// or alpha' in C3'. The result is +Inf if nu_L eta ≥ 2.
func (c Constants) leftSideOfC3(alpha, nu, eta float64, m int) float64 {
	if !(c.NuL*eta < 2) {
		return math.Inf(1)
	}
	return alpha/(2*float64(m)*eta) + 2*nu*nu*eta/(2-float64(c.NuL*eta))
}
