// Package stream solves problems whose data are larger than memory (out of core), with
// few passes over a mapped file.
//
// A first pass checks the data and copies a random sample of the rows, as many as fit in
// memory. The problem of this sample is solved in memory. For m of n samples, its
// solution is as far from the optimum as the sampling error, about p/m of the objective.
// From there package exact does Newton steps. Each step is one pass, which computes the
// loss, the gradient and the Hessian (p² numbers) at the new point, and a certified gap.
// So the number of features is bounded, and the number of rows is not.
//
// Nothing with an entry per sample is kept after a pass: margins exist only for the
// current block of rows. An intercept is a column of ones that is not stored.
//
// For more features there is SCAS-ADMM, whose inner loops draw from one part of the file
// at a time. Read [Minimize] first.
package stream
