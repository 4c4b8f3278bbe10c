// Package stream runs SCAS-ADMM out of core: an inner loop of solver.SCASK and SCASL draws from one
// batch of a mapped file at a time. Margins are kept only for the rows that are being read.
//
// # Who runs out of core
//
// Package model uses Minimize for the methods SCASK and SCASL on mapped data (minimize.go there).
// Its default fits, and with them the fits of scas train, path and cv, use exact.NewFile directly
// (fitter.go there). scas predict reads the rows of a large file window by window (windows.go in
// cmd/scas).
//
// Read [Minimize] first, then the type stochastic.
package stream
