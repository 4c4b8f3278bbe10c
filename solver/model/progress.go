package model

// Progress is the progress of a fit out of core.
type Progress struct {
	Passes         float64 // number of passes over the data, including the finished part of the current pass
	Objective, Gap float64 // objective reached so far, and its gap; +Inf if not known
	Goal           float64 // the gap to reach; 0 if not known
	Class          int     // index of the class that is being fitted; 0 if there are at most two classes
}
