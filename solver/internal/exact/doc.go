// Package exact solves
//
//	minimise P(x) = Σ cᵢ φ(tᵢ; bᵢ) + Σ limit_k |(A x)_k| + Σ (square_k/2) (A x)_k² + Σ (ridgeⱼ/2) xⱼ²
//	over x in the domain, where t = X x + o and cᵢ = ωᵢ/Σω.
//
// X is the n × p data matrix, φ is the loss, and bᵢ, oᵢ and ωᵢ are the label, offset and weight of sample i.
// C is the diagonal matrix of the cᵢ. The domain is a closed convex set. Rows of A may form groups: then the
// norm of a group's elements of A x replaces their absolute values. A feature is free if no limit, square or
// ridge penalises its coefficient, as for an intercept.
//
// The package also proves an upper bound of P(x) − P*, the duality gap, where P* is the least value of P. One
// Solver solves for one lambda after the other, with limit = lambda·Problem.Limit and ridge =
// lambda·Problem.Ridge + Problem.FixedRidge.
//
// The method is proximal Newton (Lee, Sun, Saunders 2014). A step minimises the quadratic model of the loss
// at x plus the penalty (package quadratic), and a line search follows. The first point may be the solution
// for some of the samples (sample.go), or the end of a dual coordinate ascent (ascent.go). On a path it
// may lie on the line through the last two solutions (extrapolate.go). If several models one
// after the other are not solved, the problem is first solved for larger lambdas (continuation.go).
//
// A model may keep the Hessian of an earlier point, which grows with the working set (grow.go). Correlations that
// are certainly small are only estimated (gap.DataProblem.Screen).
//
// There are three kinds of problems. Each has its own implementation of the interface model:
//
//   - Separable, if A = I, there are no squares or groups, and the domain is a product of intervals. The
//     model has the columns of a working set. The correlations X'Cα of all columns with a dual point α
//     prove a gap and show which columns the set lacks.
//   - Grouped, if the penalty has only norms of groups of coefficients, and perhaps ridges, the domain is R^p,
//     and one process has all samples in memory. The model has the columns of a working set of whole groups.
//     The same correlations prove a gap.
//   - Coupled, for other problems. The model has all columns. If these are too many, a Prover solves
//     smaller problems on working sets (setSolver). With many columns, and a sparse Cholesky factor of A'A, the
//     Hessian is usually not formed. Then the conjugate gradient method solves the linear systems. It needs two
//     or three iterations if A'A + X'X has a sparse factor, too (systems.go). If the iterations take too long,
//     the Hessian is formed after all.
//
// A coupled model replaces a grouped model in three cases: the grouped model is not solved accurately, its
// working set has no room, or it would take more time.
//
// Let x + d be the solution of the model. The dual point α = φ'(t) + φ″(t) X d is the slope of the model
// there. It is feasible up to the model's tolerance and rounding. For a smooth loss, α differs from
// φ'(t + X d) by O(|d|²), and the duality gap at x + d is quadratic in this difference: it is of fourth order
// in d. Package gap computes the bound.
//
// The interface samples computes everything that depends on the rows of the data. It has three
// implementations:
//
//   - memorySamples keeps margins, slopes and α of samples in memory.
//   - gram uses the Gram matrix X'CX in place of the rows, for some problems with a loss of constant
//     curvature. Most steps and proofs then need no visit of the rows.
//   - File has the rows in a mapped file and allocates no vector with an entry per sample. A step
//     usually needs one visit of the rows.
//
// With several processes, the memorySamples or File of each process holds some of the samples.
//
// These types and methods do the work:
//
//   - Solver.Solve solves the problem for one lambda.
//   - Solver.Finish solves it for lambda = 1, from a given point and, if necessary, in several attempts.
//   - Solver.Certify bounds P(x) − P* at a given point.
//   - A Prover does Finish and Certify by a Solver or, if New refuses the problem, perhaps by a setSolver.
//   - A setSolver solves coupled problems with many features, if the solution has few non-zero coefficients.
//
// Read these files first, in this order:
//
//   - problem.go: the types
//   - solve.go, step.go: Solve, and a Newton step
//   - model.go: the interface model, which separable.go, groups.go and coupled.go implement
//   - working.go, cost.go: working sets, and when to form a Hessian
//   - samples.go: the interface samples
//   - finish.go: Finish and Certify
//
// The bits of results do not depend on the number of goroutines or the kernel level. For rows in a file they
// depend on FileSettings.Memory, and with several processes on how the processes share the samples.
package exact
