// Package solver fits structured-sparse linear models.
//
// A [Problem] is a mean loss over the rows of a sparse matrix, plus an optional
// (mu/2)|x|², plus a penalty such as lambda |A x|₁. With A the identity this is the lasso. With
// A = [G; I] and one row xᵢ − xⱼ of G for each edge of a graph it is the graph-guided fused
// lasso, which favours equal coefficients of neighbours. [Minimize] solves it:
//
//	res, err := solver.Minimize(ctx, &solver.Problem{
//		Data: data.X, Labels: data.Labels,
//		Constraint: g.FusedLasso(),
//		Penalty:    solver.L1{Lambda: 1e-4},
//	}, nil)
//
// A [Method] is a value in [Settings]. The default, [Auto], is the proximal Newton method, or
// [SCASK] for most problems that Newton steps do not solve. Auto proves an upper bound of the
// objective minus the optimum, Result.DualityGap, and ends the run once this bound is small enough.
//
// The stochastic methods are SCAS-ADMM, the scalable stochastic alternating direction method
// of multipliers of Zhao, Li and Zhou. [SCAS] and [SCASStrong] are Algorithms 1 and 2 of their
// paper; [SCASK] and [SCASL] are Algorithm 1 with several dual updates for each full gradient.
// Package baseline has the methods they are compared with, and a method may be your own. If
// nothing is proved, Result.PrimalResidual and Result.DualResidual say how far a run came.
//
// [Problem.Memory] estimates the memory of a run. Step size and rho follow from the data unless
// they are set. Without a time limit, the same problem, settings and seed give the same bits on every
// machine, at every kernel level and with any number of threads: see package kernels for the numeric
// contract.
//
// # Terms
//
// These words have one meaning in the whole module, unless the list gives a second one. They refer
// to the problem
//
//		minimise (1/n) Σ φ(aᵢ'x; bᵢ) + (mu/2)|x|² + g(A x)   over x in X.
//
//	  - sample, feature: a row and a column of the data matrix
//	  - margin: aᵢ'x, plus the offset of the sample if it has one
//	  - slope, curvature: the first and second derivative of the loss with respect to the margin
//	  - label, class: the number bᵢ that belongs to a sample; one of several possible labels
//	  - coefficients, intercept: the solution x; a coefficient of a constant column, not penalised
//	  - lambda, limit: the factor of the penalty; the largest |beta| for one row of A
//	  - ridge: the term (mu/2)|x|²; Problem.L2 is mu
//	  - domain: the closed convex set X
//	  - constraint matrix: A in the penalty g(A x); ADMM writes it as the constraint A x = y
//	  - separable, coupled: a problem with A = I, no groups, and only bounds of single coefficients as
//	    its domain; every other problem. A matrix A is called coupled if A'A is not diagonal
//	  - singleton row: a row of A with one entry
//	  - free feature: a feature whose coefficient no limit, square or ridge penalises, such as an
//	    intercept
//	  - multiplier, dual point: beta, the dual variable of the constraint; beta together with one
//	    number for each sample
//	  - feasible: a dual point at which all conjugates are finite
//	  - root: a feature whose equation in the dual problem no change of the multipliers alone can
//	    satisfy; the part of the dual point that belongs to the samples must change (package gap)
//	  - separated: samples whose loss free features can make as small as one likes; their part of
//	    every feasible dual point is 0
//	  - slack: the distance of a number from its limit
//	  - residual: by how much an equation is violated; the primal residual is A x − y
//	  - gap, certificate: an upper bound on the objective minus its optimum, with rounding included;
//	    the proof that gives it
//	  - tally: sums over samples from which a gap or a metric is computed
//	  - pass: one reading of all rows, or work that costs as much
//	  - exact solver: the proximal Newton method of solver/internal/exact
//	  - interior-point solver: the method of solver/internal/quadratic for coupled problems
//	  - working set: the features that the exact solver currently considers
//	  - path: the solutions for a decreasing sequence of lambdas
//	  - old, former Hessian: the Hessian of the loss at an earlier point; an old Hessian of another
//	    working set
//	  - reference, estimate: an earlier dual point; what references tell about correlations with the
//	    present one (package gap)
//	  - tie: coefficients that are equal at a solution, up to a fixed factor
//	  - structure: which rows of A x are zero at a solution, and which coefficients are tied
//	  - snapshot: the point of an outer iteration of SCAS-ADMM at which the full gradient is computed
//	  - inner loop, outer iteration: the stochastic steps after a snapshot; a snapshot with its
//	    inner loop and dual updates
//	  - dual update, dual step: the minimisation over y, followed by the update of beta
//	  - round: a part of an inner loop that ends with a dual update; outside SCAS-ADMM one repetition
//	    in a method, such as the work on one working set in the exact solver
//	  - plan: the way in which an inner loop represents its iterate
//	  - rho, eta: the penalty parameter of ADMM; the step size
//	  - proximal weight: c in a term (c/2)|w − x|² that keeps an iterate near a point
//	  - damping: a number d from 0 to 1; the curvature of the loss is replaced by (1−d) times itself
//	    plus d times the curvature of a parabola that touches the loss (see term.Loss.Curvatures)
//	  - diagonal shift: a multiple of I added to a matrix before it is factored
//	  - chunk, window: a part of the rows that depends only on the data; a part of a file that is
//	    in memory at a time. In package kernels, a chunk is 4096 elements of a vector
//	  - block, batch: consecutive rows of a file; several blocks that are in memory together
//	  - piece: the part of a window for which one goroutine has its own sums
//	  - out of core: with data in a mapped file that may be larger than memory. Names that say
//	    stream, mapped or beyond mean the same
//	  - rank, shard, team: one of several processes; its part of the rows; all processes
//	  - kernel, level: a function of package kernels; one implementation of all of them
//	  - storage form, format: how a matrix is stored in memory; how it is stored in a file
//
// # What to read
//
// In this order; a package imports only packages that come before it:
//
//   - arithmetic: kernels; gen, which writes their assembly
//   - data: sparse and its sub-packages
//   - ranks: dist, dist/mpi
//   - solver/internal: rows (sums over samples), ending (how a run ended), linalg (the matrix A),
//     term (losses, penalties, domains), gap (certificates), quadratic and exact (the exact
//     solver), admm (SCAS-ADMM); theory (the constants of the paper's theorems)
//   - this package: Minimize, then method_auto.go for the default and method_scas.go, which runs the
//     loop of package admm; method_scas_file.go, which runs this loop out of core
//   - baseline (methods to compare with), model (what people fit)
//   - chart (curves as pictures) and cmd/scas (the command line)
//
// Package model fits out of core if Spec.Memory is set: with the default method by exact.NewFile, and
// with SCASK and SCASL by Minimize with Settings.Memory. Algorithms 1 and 2 as printed, SCAS
// and SCASStrong, run only with data in memory. The command line decides in cmd/scas/policy.go whether
// to set Spec.Memory.
//
// The sections "How to add" in the package comments of term, admm, baseline, sparse, gen
// and cmd/scas say what to change for a new loss, penalty, plan, method, file format,
// kernel, instruction set or command.
package solver
