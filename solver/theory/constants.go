// Package theory computes the constants in the paper's assumptions (Zhao, Li, Zhou,
// "Scalable Stochastic Alternating Direction Method of Multipliers"), the conditions of
// its theorems, and the step sizes that they prescribe. Read [Constants] first.
package theory

// Constants holds the quantities in the paper's assumptions that can be computed from a
// problem. The paper writes the first two terms of the objective, the mean loss and
// (mu/2)|x|², as the mean f of functions fᵢ of single samples.
type Constants struct {
	// NuF is ν_f, a Lipschitz constant of the gradient of every fᵢ: the largest second derivative
	// of the loss, times max |aᵢ|², plus mu. It is 0 if the second derivative is not bounded.
	NuF float64 `json:"nu_f"`
	// MuF is μ_f, the modulus of strong convexity of f. It is mu.
	MuF float64 `json:"mu_f"`
	// Lambda1 is an upper bound of λ₁, the largest eigenvalue of A'A.
	Lambda1 float64 `json:"lambda_1"`
	// LambdaP is an upper bound of λ_p, the smallest eigenvalue of A'A, up to rounding. λ_p is 1 if
	// A contains the identity and some feature occurs in no row outside the identity.
	LambdaP float64 `json:"lambda_p"`
	// Diameter is D, the diameter of the domain; 0 if it is unbounded.
	Diameter float64 `json:"diameter"`
	// Radius is an upper bound of |x*|₂ for a minimiser x*. It follows from the objective at
	// the start, and from mu or, if A contains the identity, lambda. Radius is 0 if there is
	// no such bound.
	Radius float64 `json:"radius"`
	// NuL is ν_L = ν_f + ρ λ₁, a Lipschitz constant of the gradient of the augmented Lagrangian in
	// x (paper, Lemma 1). It is 0 if ν_f is not known.
	NuL float64 `json:"nu_l"`
}
