// Package solver solves structured-sparse linear models by SCAS-ADMM.
package solver
