package model

// Progress describes the progress of a fit out of core.
type Progress struct {
	Passes         float64 // number of passes over the data, with the finished part of the current pass
	Objective, Gap float64 // objective and gap of the best point so far; +Inf if not known
	Goal           float64 // the gap to reach; 0 if not known
	Class          int     // the number of the class that is being fitted, from 0
}
