// Package stream runs SCAS-ADMM out of core: each inner loop of solver.SCASK and SCASL draws from one batch
// of a mapped file. Margins are kept only for the rows that are in memory.
//
// # Which packages run out of core
//
// Package model uses Minimize for the methods SCASK and SCASL on mapped data (model/minimize.go). With the
// default method, also in scas train, path and cv, it uses exact.NewFile directly (model/fitter.go). scas
// predict reads the rows of a large file window by window (cmd/scas/windows.go).
//
// Read [Minimize] first, then the type stochastic.
package stream
