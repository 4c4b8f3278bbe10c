package stream

import (
	"math"

	"github.com/scas-admm/scas/solver/internal/exact"
)

// Options holds the settings of Minimize that solver.Settings lacks.
type Options struct {
	// Memory is the approximate number of bytes that a run may use.
	Memory int64
	// Tell, if not nil, is called with the progress after every window of rows.
	Tell func(Progress)
}

// Progress describes the progress of a run.
type Progress struct {
	Passes         float64 // number of passes over the data, with the finished part of the current pass
	Objective, Gap float64 // of the best point so far; +Inf if not known
	Goal           float64 // the gap to reach; 0 if not known
}

// A reporter reports progress.
type reporter struct {
	report func(Progress)
	at     Progress
	goal   float64
}

func newReporter(report func(Progress)) reporter {
	return reporter{report: report, at: Progress{Objective: math.Inf(1), Gap: math.Inf(1)}}
}

// found records the objective and gap of the best point.
func (t *reporter) found(objective, gap float64) { t.at.Objective, t.at.Gap = objective, gap }

// pass reports the given finished part of the current pass over a file.
func (t *reporter) pass(f *exact.File, part float64) { t.passes(float64(f.Visits()) + part) }

// passes reports that the given number of passes is done.
func (t *reporter) passes(done float64) {
	if t.report != nil {
		t.at.Passes, t.at.Goal = done, t.goal
		t.report(t.at)
	}
}
