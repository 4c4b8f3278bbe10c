package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"math"
	"sync"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/model"
	"github.com/scas-admm/scas/sparse/graph/glasso"
)

// This file shows the progress of fits and of the graphical lasso.

// follow sets the callbacks of spec that report the progress of a fit. classes is the number of classes if
// each has a fit of its own, and 0 otherwise.
func (p *progress) follow(spec *model.Spec, classes int) {
	spec.Fitted = p.classes
	switch {
	case classes > 0:
		spec.Progress = func(at model.Progress) {
			p.showOf(float64(at.Class), float64(classes), "class %d of %d   %s", at.Class+1, classes, passes(at))
		}
	case spec.Memory > 0:
		spec.Progress = p.streamed
	case spec.Comm == nil: // with several ranks, a Recorder would need the rows of all ranks
		p.record(&spec.Settings)
	}
}

// record sets the Logger of s and, if the reports go to a terminal, the Recorder.
func (p *progress) record(s *solver.Settings) {
	passes := cmp.Or(s.Passes, 100)
	h := &iterationHandler{progress: p, passes: passes, gap: math.Inf(1)}
	s.Logger = slog.New(h)
	if !p.live {
		return
	}
	// A record takes about as much time as an outer iteration, so only some iterations make one.
	s.RecordEvery = max(1, int(passes/40))
	s.Recorder = solver.RecorderFunc(func(at *solver.Point) error {
		h.objective = fmt.Sprintf("   objective %.8g", at.Last.Objective)
		h.report(at.Passes, 0)
		return nil
	})
}

func passes(at model.Progress) string {
	text := fmt.Sprintf("pass %.2f", at.Passes)
	if isFinite(at.Objective) {
		text += fmt.Sprintf("   objective %.8g", at.Objective)
	}
	if isFinite(at.Gap) {
		text += fmt.Sprintf(", gap %.2g", at.Gap)
	}
	return text
}

func (p *progress) streamed(at model.Progress) { p.toward(at.Gap, at.Goal, passes(at)) }

// component returns a callback that shows the progress of a graphical lasso. The callback ignores components
// that have fewer features than another component that was reported before.
func (p *progress) component() func(glasso.Progress) {
	var lock sync.Mutex
	largest := 0
	return func(at glasso.Progress) {
		lock.Lock()
		defer lock.Unlock()
		if at.Features < largest {
			return
		}
		if at.Features > largest || at.Steps == 0 { // the first report of a component
			largest, p.firstGap = at.Features, math.Inf(1)
		}
		text := fmt.Sprintf("%s: %s together, %s", p.what, plural(at.Features, "feature"), plural(at.Steps, "Newton step"))
		if isFinite(at.Gap) {
			text += fmt.Sprintf(", gap %.2g", at.Gap)
		}
		p.toward(at.Gap, at.Goal, text)
	}
}

func (p *progress) classes(done, total int) {
	p.showOf(float64(done), float64(total), "class %d of %d", min(done+1, total), total)
}

// An iterationHandler is a slog.Handler for the log entries of package solver about iterations. It stores
// the goal and the gap. It also shows the iterations, unless the Recorder of progress.record shows them.
type iterationHandler struct {
	*progress
	passes    float64 // number of passes after which the run ends
	goal      float64 // the gap at which the run ends; 0 if there is no such gap
	gap       float64 // the latest gap; +Inf if none is known
	objective string  // text with the objective of the latest record
}

func (h *iterationHandler) Enabled(context.Context, slog.Level) bool { return true }

func (h *iterationHandler) Handle(_ context.Context, r slog.Record) error {
	at := map[string]slog.Value{}
	r.Attrs(func(a slog.Attr) bool {
		at[a.Key] = a.Value
		return true
	})
	if goal, begins := at["goal"]; begins {
		h.goal = goal.Float64()
	}
	if _, ok := at["outer"]; !ok {
		return nil // an entry about the beginning or the end of the run
	}
	h.gap = at["gap"].Float64()
	if h.live {
		return nil // the Recorder reports the iterations
	}
	h.report(at["passes"].Float64(), at["newton_steps"].Int64())
	return nil
}

func (h *iterationHandler) report(passes float64, steps int64) {
	text := fmt.Sprintf("pass %.0f of %.0f%s", passes, h.passes, h.objective)
	if steps > 0 {
		text += ", " + plural(steps, "Newton step")
	}
	if isFinite(h.gap) {
		text += fmt.Sprintf(", gap %.2g", h.gap)
	}
	if h.goal > 0 { // the gap may end the run long before the last pass
		h.toward(h.gap, h.goal, text)
		return
	}
	h.showOf(passes, h.passes, "%s", text)
}

func (h *iterationHandler) WithAttrs([]slog.Attr) slog.Handler { return h }
func (h *iterationHandler) WithGroup(string) slog.Handler      { return h }

// beginModels starts a progress report p and returns two callbacks that update it. judged shows how many of
// total models are scored. streamed also shows the passes of an out-of-core fit. The caller must end p.
func (e *env) beginModels(total int) (judged func(done, total int), streamed func(model.Progress), p *progress) {
	p = e.begin("the path of all rows")
	last := 0
	judged = func(done, total int) {
		p.showOf(float64(done), float64(total), "model %d of %d", done, total)
		last = done
	}
	streamed = func(at model.Progress) {
		p.showOf(float64(last), float64(total), "model %d of %d   %s", last, total, passes(at))
	}
	return judged, streamed, p
}
