// Package stream solves problems whose data are larger than memory (out of core), with few passes
// over a mapped file.
//
// With solver.Auto, a first pass checks the data and copies a random sample of the rows, as many as
// fit in memory. The problem of this sample is solved in memory. If the sample has m of the n rows,
// its solution differs from the optimum by the sampling error, about p/m of the objective. From
// there, package exact makes proximal Newton steps. Each step is one pass, which computes the loss,
// the gradient, the Hessian (p² numbers) and a certified gap at the new point. So the number of
// features is limited, and the number of rows is not.
//
// Nothing with an entry per sample is kept after a pass: margins exist only for the current block
// of rows. An intercept is a column of ones that is not stored.
//
// For more features there are solver.SCASK and solver.SCASL, whose inner loops draw from one part
// of the file at a time.
//
// # Who runs out of core
//
// Package model uses Minimize for the methods SCASK and SCASL on mapped data (minimize.go there).
// Its default fits, and with them the fits of scas train, path and cv, use exact.NewFile directly
// (fitter.go there). scas predict reads the rows of a large file window by window (predictoutofcore.go
// in cmd/scas).
//
// Read [Minimize] first, then the type stochastic.
package stream
