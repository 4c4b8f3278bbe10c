package stream

import "math"

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
}

func newTeller(tell func(Progress)) teller {
	return teller{tell, Progress{Objective: math.Inf(1), Gap: math.Inf(1)}}
}

// found notes what is known of the best point.
func (t *teller) found(objective, gap float64) { t.at.Objective, t.at.Gap = objective, gap }

// tellPart tells that a part of the present pass is done.
func (s *run) tellPart(share float64) {
	if t := &s.teller; t.tell != nil {
		t.at.Passes, t.at.Goal = float64(s.facts.passes)+share, s.set.Tol*s.facts.zero
		t.tell(t.at)
	}
}

// each goes over the windows of the data.
func (s *run) each(do func(lo, hi int) error) error {
	n, _ := s.q.Data.Dims()
	return s.windows.each(func(lo, hi int) error {
		err := do(lo, hi)
		s.tellPart(float64(hi) / float64(n))
		return err
	})
}
