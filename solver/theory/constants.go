// Package theory computes the constants in the paper's assumptions (Zhao, Li, Zhou,
// "Scalable Stochastic Alternating Direction Method of Multipliers"), the conditions of
// its theorems, and the step sizes that the theorems prescribe. Read [Constants] first.
package theory

// Constants holds the quantities in the paper's assumptions that can be computed from a
// problem. In the paper, f is the mean loss plus (mu/2)|x|². It is the mean of functions fᵢ,
// one for each sample.
type Constants struct {
	// NuF is ν_f, a Lipschitz constant of the gradient of every fᵢ: the largest second derivative
	// of the loss, times the largest |aᵢ|² of all rows aᵢ of the data, plus mu. It is 0 if the
	// second derivative is not bounded.
	NuF float64 `json:"nu_f"`
	// MuF is μ_f, the modulus of strong convexity of f. It is equal to mu.
	MuF float64 `json:"mu_f"`
	// Lambda1 is an estimate of λ₁, the largest eigenvalue of A'A. It is usually slightly too large.
	Lambda1 float64 `json:"lambda_1"`
	// LambdaP is an upper bound, up to rounding, of λ_p, the smallest eigenvalue of A'A.
	LambdaP float64 `json:"lambda_p"`
	// Diameter is D, the diameter of the domain, or 0 if the domain is unbounded.
	Diameter float64 `json:"diameter"`
	// Radius is an upper bound of |x*|₂ for a minimiser x* of the problem, or 0 if no bound is
	// known. It is valid if the loss and the penalty are nowhere negative.
	Radius float64 `json:"radius"`
	// NuL is ν_L = ν_f + ρ λ₁ (see NuF and Lambda1), a Lipschitz constant of the gradient of the augmented
	// Lagrangian in x (paper, Lemma 1). It is 0 if the second derivative of the loss is not bounded.
	NuL float64 `json:"nu_l"`
}
