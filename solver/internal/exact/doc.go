// Package exact solves
//
//	P(x) = Σ cᵢ φ(tᵢ; bᵢ) + Σ limit_k |(A x)_k| + Σ (square_k/2) (A x)_k² + Σ (ridgeⱼ/2) xⱼ²  over x in X,
//	t = X x + o,  cᵢ = ωᵢ/Σω,
//
// where φ is the loss and bᵢ, oᵢ and ωᵢ are the label, offset and weight of sample i. C is the diagonal
// matrix of the cᵢ. The package also proves an upper bound of P(x) − P*, the duality gap, where P* is the
// least value of P. With groups of rows of A, the penalty has norms of groups instead of absolute values. If
// A = I, one Solver solves for one lambda after the other, with limit = lambda·Limit and ridge =
// lambda·Ridge. A feature is free if no limit, square or ridge penalises its coefficient, as for an
// intercept.
//
// The method is proximal Newton (Lee, Sun, Saunders 2014). A step minimises the quadratic model of the
// loss at x plus the penalty (package quadratic), and a line search follows. If there are many samples,
// the first point is the solution for some of them. If there are only ridges, and many columns, it is
// the end of a dual coordinate ascent (ascent.go).
//
// There are two kinds of models:
//
//   - Separable, if A = I, there are no squares or groups, and X is a product of intervals. The model has
//     the columns of a working set. The correlations of all columns with the slopes φ' prove a gap and show
//     which columns the set lacks. The columns that violate optimality most enter first, at most about as
//     many as there are non-zero coefficients. If the Hessian of all columns costs little, the set has
//     them all.
//   - Coupled, for all other problems. The model has all columns. If these are too many, a setSolver
//     solves smaller problems on working sets.
//
// Let x + d be the solution of the model. The dual point is the slope of the model there: α = φ'(t) +
// φ″(t) X d. It is dual feasible up to the model's tolerance and rounding, and its duality gap is of
// fourth order in d. The last step to the solution of a separable model satisfies the model's optimality
// equation for fixed signs of the coefficients. If this step takes coefficients across zero, they are zero in
// the solution, but x + d is the end of the step, where the equation holds. Package gap computes the bound.
//
// Everything that depends on the rows of the data is computed by an interface, samples. It has three
// implementations:
//
//   - memory keeps margins, slopes and α of samples in memory.
//   - gram replaces the rows by the Gram matrix X'CX if the loss has a constant curvature. Most steps and
//     proofs then need no visit of the rows.
//   - File has the rows in a mapped file and keeps no vector with an entry per sample. One visit of all
//     rows finds the loss, the gradient and the Hessian at the end of a step, and the tally that
//     proves the gap there.
//
// With several processes, the memory or File of each process holds some of the samples.
//
// To read: problem.go has the types, solve.go the steps, working.go and coupled.go the two models,
// samples.go what is computed from the rows, finish.go the methods Finish and Certify.
//
// The bits of results depend on the problem, the start and the lambdas before. They do not depend on the
// number of goroutines or the kernel level. For rows in a file they depend on FileProblem.Memory as
// well. With several processes they depend on how the processes share the samples.
package exact
