// Package theory has the constants of the paper's assumptions and the conditions of its
// theorems.
package theory

// Constants are the quantities of the paper's assumptions, as far as they can
// be computed from the data.
type Constants struct {
	// NuF is ν_f, a Lipschitz constant of every ∇f_i: the loss's curvature
	// times max |aᵢ|², plus mu. 0 if that curvature has no bound.
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
	// augmented Lagrangian in x (paper, Lemma 1). 0 if there is no ν_f.
	NuL float64 `json:"nu_l"`
}
