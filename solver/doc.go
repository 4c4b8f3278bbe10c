// Package solver fits structured-sparse linear models by SCAS-ADMM, the
// scalable stochastic alternating direction method of multipliers of Zhao, Li
// and Zhou.
//
// A [Problem] is a mean loss over the rows of a sparse matrix, plus an optional
// (mu/2)|x|², plus lambda |A x|₁. With A the identity this is the lasso; with
// A = [G; I] and one row xᵢ − xⱼ of G per edge of a graph it is the
// graph-guided fused lasso, which makes coefficients of neighbours equal.
// [Minimize] solves it:
//
//	res, err := solver.Minimize(ctx, &solver.Problem{
//		Data: data.X, Labels: data.Labels,
//		Constraint: g.FusedLasso(),
//		Penalty:    solver.L1{Lambda: 1e-4},
//	}, nil)
//
// # The method
//
// The problem is split as f(x) + g(y) with A x − y = 0 and multipliers beta. An
// outer iteration takes the full gradient at a snapshot x_t, then runs M
// stochastic steps on the augmented Lagrangian in x, with the gradient's
// variance reduced by the snapshot, projecting onto the domain; x_{t+1} is the
// mean of the inner iterates. Then y and beta are updated in one pass. Nothing
// of size n·p is stored: beside the data there are a few vectors of length p and
// of the number of rows of A, and n scalars, the slopes at the snapshot.
//
// Algorithms 1 ([SCAS]) and 2 ([SCASStrong]) do this once per snapshot. The
// default, [SCASK], cuts the M steps into K blocks and updates y and beta after
// each; it has the same fixed points and converges far faster per pass.
//
// # Step size and penalty parameter
//
// Both follow from the data unless set. Eta is 1.5 divided by the curvature met
// by the stochastic steps, measured at each snapshot; rho is lambda times the
// root mean square norm of a row (three times that for SCASK). A run whose
// objective stops falling returns to its best iterate and halves eta. A step
// size that was set and diverges is a [DivergenceError].
//
// # Certificates
//
// beta always lies in the subdifferential of the penalty at y, so a zero primal
// and dual residual certify an optimum. Where mu > 0, Result.DualityGap bounds
// the excess over it.
//
// # Reproducibility
//
// The same problem, settings and seed give the same bits on every machine and at
// every kernel level: see package kernels for the numeric contract, which this
// package keeps by spelling out every fused operation.
package solver
