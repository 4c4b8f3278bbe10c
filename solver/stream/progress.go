package stream

import (
	"math"

	"github.com/scas-admm/scas/solver/internal/exact"
)

// Options are about a run.
type Options struct {
	// Memory is about how many bytes it takes.
	Memory int64
	// Tell is told how far it is after every window of rows; nil is nobody.
	Tell func(Progress)
}

// Progress is how far a run is.
type Progress struct {
	Passes         float64 // over the data, with the part of the present one
	Objective, Gap float64 // of the best point so far; +Inf where they are not known
	Goal           float64 // of the gap; 0 where it is not known
	Class          int     // of several that are fitted one after the other, from 0; package model sets it
}

// A teller tells somebody.
type teller struct {
	tell func(Progress)
	at   Progress
	goal float64
}

func newTeller(tell func(Progress)) teller {
	return teller{tell: tell, at: Progress{Objective: math.Inf(1), Gap: math.Inf(1)}}
}

// found notes what is known of the best point.
func (t *teller) found(objective, gap float64) { t.at.Objective, t.at.Gap = objective, gap }

// pass tells that a part of the present pass over a file is done.
func (t *teller) pass(f *exact.File, part float64) { t.passes(float64(f.Visits()) + part) }

// passes tells that so many are done.
func (t *teller) passes(done float64) {
	if t.tell != nil {
		t.at.Passes, t.at.Goal = done, t.goal
		t.tell(t.at)
	}
}
