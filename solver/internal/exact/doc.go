// Package exact solves
//
//	P(x) = Σ cᵢ φ(tᵢ; bᵢ) + Σ limit_k |(A x)_k| + Σ (square_k/2) (A x)_k² + Σ (ridgeⱼ/2) xⱼ²  over x in X,
//	t = X x + o,  cᵢ = ωᵢ/Σω,
//
// with norms of groups of rows in the place of absolute values where there are groups, and proves how
// far its point is from the optimum. For A = I it does so for one lambda after the other, limit =
// lambda·Limit and ridge = lambda·Ridge. Features that neither a row nor a ridge holds, such as an
// intercept, are free.
//
// It is the proximal Newton method (Lee, Sun, Saunders 2014). A step minimises the quadratic model of
// the loss at x plus the penalty (package quadratic), to an accuracy that follows what the last step
// was worth, and a line search follows. With many samples the first point is the solution for a part of
// them.
//
// There are two models. If A = I, X is a product of intervals and there are no groups, the model is
// separable, and is solved for a working set of columns: the correlations of all columns with the slopes
// prove a gap, and say which columns are missing. As many enter as there are coefficients that are not
// zero, the most violated first; if the Hessian of all columns takes little time, the set has them all.
// Else the model is coupled: it has all columns, or where there are too many, those that a [Wide] takes.
//
// The dual point is the slope of the model, α = φ'(t) + φ”(t) X d at the point x + d: by the model's
// optimality it is feasible, but for what an inexact model and rounding leave, and its gap at
// x + d is of fourth order in d. Package gap finds what it proves.
//
// The steps ask samples for everything that is of the rows of the data. There are three kinds: those in
// memory, which keep margins, slopes and α; of a loss with constant curvature a Gram matrix, with which
// most steps and proofs need no row; and a [File], which keeps nothing that has an entry per
// sample: one visit of its rows finds the loss, the gradient and the Hessian at the end of a step, and
// what is proved of it. Either of these may be a part of the samples, with others on other processes.
//
// To read: solve.go has the outer steps, working.go and coupled.go the two models, samples.go what is
// asked of the rows, finish.go how a run ends.
//
// Bits depend on nothing but the problem, the start and the lambdas before.
package exact
