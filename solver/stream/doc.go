// Package stream solves problems whose data are larger than memory, with few passes over a mapped file.
//
// A first pass checks the data and copies as many samples as there is room for, drawn without regard to
// their order. The problem of these is solved in memory: for m of n samples that is as far from the
// optimum as the error of a sample, about p/m of the objective. From there package exact takes its steps.
// A step is one pass, which finds the loss, the gradient and the Hessian at its end, p² numbers, and
// proves how far that is from the optimum. So the number of features is bounded, and that of rows is not.
//
// Of a pass nothing is kept that has an entry per sample: margins live as long as a block
// of rows. An intercept is a column of ones that is nowhere stored.
//
// For more features there are stochastic runs beside it, whose inner loop draws from a part of the file
// at a time.
package stream
