// Package admm is SCAS-ADMM, the scalable stochastic alternating direction method of
// multipliers (Zhao, Li, Zhou, "Scalable Stochastic Alternating Direction Method of
// Multipliers"). It minimises
//
//	(1/n) Σ φ(aᵢ'x; bᵢ) + (mu/2)|x|² + g(y)   subject to  A x + B y = c,  x ∈ X.
//
// ADMM alternates between x and y and adds the violation of the constraint to the multipliers
// beta. SCAS-ADMM takes the step of x by variance-reduced stochastic gradients (SVRG; Johnson
// and Zhang 2013). An outer iteration has three parts:
//
//  1. A snapshot: one pass over the data computes the gradient of the mean loss at x_t.
//  2. An inner loop: each step draws a sample, and moves w along the difference of the
//     sample's gradients at w and x_t plus the gradient at x_t, all of the augmented
//     Lagrangian. The next x is the mean of the iterates w.
//  3. A dual step: y is minimised exactly, by a proximal map, and beta is updated.
//
// The inner loop may be cut into K blocks, each followed by a dual step.
//
// Read OuterLoop.Next first, then blocks, which is Algorithm 1 of the paper. A Window is the rows
// of an inner loop: all rows where the data are in memory, a batch of them where they are in a
// file. A Plan runs the steps of a block; there are several, since the cheapest way to hold w
// depends on A and on the data. A Sampler draws the samples. A DualStep updates y and beta.
// A Keeper compares the objectives of snapshots, goes back to the best iterate, and says when the
// step size must be halved. The automatic parameters ρ and η follow from Scales and StepSize.
//
// Some parts serve only data in memory: a Metric gives columns on different scales their own
// steps, and Average joins ranks. Tame serves only batches of a file.
package admm
