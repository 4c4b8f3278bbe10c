// Package stream runs SCAS-ADMM on data larger than memory (out of core): the inner loops of
// solver.SCASK and SCASL draw from one part of a mapped file at a time. The number of features is
// not limited.
//
// Nothing with an entry per sample is kept after a pass: margins exist only for the current block
// of rows.
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
