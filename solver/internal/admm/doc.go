// Package admm implements SCAS-ADMM, the scalable stochastic alternating direction method
// of multipliers (Zhao, Li, Zhou, "Scalable Stochastic Alternating Direction Method of
// Multipliers"). It minimises
//
//	(1/n) Σ φ(aᵢ'x; bᵢ) + (mu/2)|x|² + g(y)   subject to  A x + B y = c,  x ∈ X,
//
// where φ is the loss, aᵢ and bᵢ are the features and the label of sample i, and g is the penalty. ADMM
// minimises over x and y in turn, and then adds ρ(A x + B y − c) to the multipliers beta. SCAS-ADMM
// minimises over x by variance-reduced stochastic gradients (SVRG; Johnson and Zhang 2013). An outer
// iteration has three parts:
//
//  1. A snapshot: one pass over the data computes the gradient of the mean loss at the current x, called x_t.
//  2. An inner loop: each step draws a sample and moves w against an estimate of the gradient of the
//     augmented Lagrangian. In place of the gradient of the mean loss at w, the estimate has the gradient of
//     the mean loss at x_t, plus the change of the gradient of the sample's loss from x_t to w. The next x
//     is the mean of the iterates w.
//  3. A dual step: y is minimised exactly, by a proximal map, and beta is updated.
//
// The inner loop may be divided into K rounds, each of which ends with a dual step.
//
// Read OuterLoop.Next (outer_loop.go) first, then runRounds (rounds.go), which is Algorithm 1 of the paper.
// A RowSet is the set of rows from which an inner loop draws: all rows if the data are in memory, a batch
// of them if they are in a file. A Plan runs the steps of a round; there are several plans, because the
// cheapest representation of w depends on A and on the data. A Sampler draws the samples. A DualStep
// updates y and beta. A Keeper compares the objectives at snapshots, restores the best iterate, and says
// when to halve the step size. Scales and StepSize (step_size.go) compute the automatic parameters ρ and η.
// A Metric gives each column its own step size.
//
// The method schedule in solver/schedule.go chooses between the given step size, the automatic one
// (OuterLoop.NaturalEta in outer_loop.go) and the step size of the paper's theorems. Out of core,
// solver/internal/stream/stochastic.go chooses between the first two.
//
// # How to add a plan
//
//   - a file with a type that implements Plan, as plan_dense.go
//   - newDiagonalPlan (plan_diagonal.go) or newCoupledPlan (plan_rotated.go): when to choose the plan
//   - solver/naive_test.go: the name of the plan in the list of plans, and a problem for which
//     the plan is chosen; the test compares its iterates with the iterates of a plain loop
package admm
