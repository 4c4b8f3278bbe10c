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
// (OuterLoop.NaturalEta in outer_loop.go) and the step size of the paper's theorems. Out of core, the method
// schedule in solver/method_scas_file.go chooses between the first two.
//
// # How to add a plan
//
// A plan changes how w is represented, not which samples are drawn. Its iterates must equal those of a
// densePlan with the same number of samples in a step, up to rounding.
//
//   - Add a file with a type that implements Plan (plan.go). The shortest example is boxPlan in
//     plan_diagonal.go; densePlan also has batches. Sampled rows are rows of InnerLoop.Rows. Out of core,
//     Rows is a batch of the rows of Data, and every batch gets a new plan. Write x*y + z as math.FMA or
//     float64(x*y) + z; TestFused (solver/bits_test.go) checks this, but not with -short.
//   - If the plan is accurate or fast only for some step sizes, add a method fits, as in plan_lazy.go, and
//     return the plan through guardPlan. A guarded plan takes one sample in a step. If the plan needs a
//     smaller automatic step size, change OuterLoop.NaturalEta.
//   - NewPlan chooses a plan. If K is diagonal, as with Kappa > 0, it calls newDiagonalPlan
//     (plan_diagonal.go); otherwise, without a domain or with a ball, newCoupledPlan (plan_rotated.go). Add
//     the choice of the plan to one of these three functions. Measure when the plan is faster, as BenchmarkDiagonal
//     (plan_bench_test.go) does. If the plan replaces a densePlan, compare the two also with BatchSize 0: a
//     densePlan then chooses the size of its batches itself. If the plan rotates w, its name must begin with
//     "rotated"; it is not chosen if NoRotation is set.
//   - In TestIteratesEqualNaive (solver/naive_test.go), add the name to the sorted list at the end, and add
//     a case that takes the plan. With a guard, add also a case with largeL2, which the plan must not fit.
//     The plain loop starts at 0, so the domain must contain 0. It needs an L1 penalty, the logistic or the
//     squared loss, an A that is nil or a *sparse.CSR, and no sample weights.
package admm
