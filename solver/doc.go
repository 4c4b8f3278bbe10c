// Package solver fits structured-sparse linear models.
//
// A [Problem] is a mean loss over the rows of a sparse matrix, plus an optional
// (mu/2)|x|², plus a penalty such as lambda |A x|₁. With A the identity this is the lasso. With
// A = [G; I] and one row xᵢ − xⱼ of G for each edge of a graph it is the graph-guided fused
// lasso, which makes coefficients of neighbours equal. [Minimize] solves it:
//
//	res, err := solver.Minimize(ctx, &solver.Problem{
//		Data: data.X, Labels: data.Labels,
//		Constraint: g.FusedLasso(),
//		Penalty:    solver.L1{Lambda: 1e-4},
//	}, nil)
//
// A [Method] is a value in [Settings]. The default, [Auto], is the proximal Newton method. It
// proves an upper bound of the distance from the optimum, Result.DualityGap, and ends the run
// once that is small enough. If it cannot solve a problem, passes of [SCASK] do.
//
// The stochastic methods are SCAS-ADMM, the scalable stochastic alternating direction method
// of multipliers of Zhao, Li and Zhou. [SCAS] and [SCASStrong] are Algorithms 1 and 2 of their
// paper; [SCASK] and [SCASL] are Algorithm 1 with several dual updates for each full gradient.
// Package baseline has the methods they are compared with, and a method may be your own. If
// nothing is proved, Result.PrimalResidual and Result.DualResidual say how far a run came:
// both are zero only at an optimum, because Dual is always a subgradient of the penalty at Y.
//
// Beside the data, a run holds some vectors of length p, n and the number of rows of A. Newton
// steps hold some matrices of order p or of a working set as well; see [Problem.Memory]. Nothing
// of size n·p is stored. Step size and rho follow from the data unless they are set.
//
// The same problem, settings and seed give the same bits on every machine, at every kernel
// level and with any number of threads: see package kernels for the numeric contract.
package solver
