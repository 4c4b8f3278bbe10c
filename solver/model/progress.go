package model

import "github.com/scas-admm/scas/solver/internal/stream"

// ErrNotStreamed is wrapped by errors that say why a fit is not possible out of core.
var ErrNotStreamed = stream.ErrNotStreamed

// Progress describes the progress of a fit out of core.
type Progress struct {
	Passes         float64 // number of passes over the data, with the finished part of the current pass
	Objective, Gap float64 // of the best point so far; +Inf if not known
	Goal           float64 // the gap to reach; 0 if not known
	Class          int     // the class that is being fitted, from 0
}
