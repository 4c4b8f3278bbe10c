// Package solver fits structured-sparse linear models by SCAS-ADMM, the scalable
// stochastic alternating direction method of multipliers of Zhao, Li and Zhou.
//
// A [Problem] is a mean loss over the rows of a sparse matrix, plus an optional
// (mu/2)|x|², plus lambda |A x|₁. With A the identity this is the lasso; with A = [G;
// I] and one row xᵢ − xⱼ of G per edge of a graph it is the graph-guided fused lasso,
// which makes coefficients of neighbours equal. [Minimize] solves it:
//
//	res, err := solver.Minimize(ctx, &solver.Problem{
//		Data: data.X, Labels: data.Labels,
//		Constraint: g.FusedLasso(),
//		Penalty:    solver.L1{Lambda: 1e-4},
//	}, nil)
//
// A [Method] is a value in [Settings]. The default, [Auto], proves how far the result is
// from the optimum, Result.DualityGap, and ends a run where that is little enough, wherever
// it knows how: by Newton's method, and where that does not take the problem by passes of
// [SCASK]. [SCASK] and [SCASL] are Algorithm 1 of the paper with several dual updates per
// snapshot; [SCAS] and [SCASStrong] are its Algorithms 1 and 2; package baseline has more,
// and one may be your own.
//
// Nothing of size n·p is stored: beside the data there are some vectors of length p, n and
// the number of rows of A, and where Newton's method proves the result some matrices of
// order p or of a working set; see [Problem.Memory]. Columns without data that the penalty
// holds at 0 take an index and their zeros in the result. Step size and rho follow from the
// data unless set. Where nothing is proved, the residuals say how far the run came: zero
// primal and dual residuals certify an optimum, since Dual is always a subgradient of the
// penalty at Y.
//
// The same problem, settings and seed give the same bits on every machine, at every
// kernel level and with any number of threads: see package kernels for the numeric
// contract.
package solver
