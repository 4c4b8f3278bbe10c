// Package stream runs SCAS-ADMM out of core: each inner loop of solver.SCASK and SCASL draws from one batch
// of a mapped file. Margins are kept only for the rows that are in memory.
//
// Read [Minimize] first, then the type stochastic.
package stream
