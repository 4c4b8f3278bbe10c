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

// setCallbacks sets the callbacks of spec that report the progress of a fit. classes is the number of classes
// if each has a fit of its own, and 0 otherwise.
func (p *progress) setCallbacks(spec *model.Spec, classes int) {
	spec.ClassFitted = p.showClasses
	switch {
	case classes > 0:
		spec.Progress = func(report model.Progress) {
			p.showShare(float64(report.Class), float64(classes), "class %d of %d   %s", report.Class+1, classes, passText(report))
		}
	case spec.Memory > 0:
		spec.Progress = p.showPasses
	case spec.Comm == nil: // with several ranks, a Recorder would need the rows of all ranks
		p.setRecorder(&spec.Settings)
	}
}

// setRecorder sets the Logger of s and, if the reports go to a terminal, the Recorder.
func (p *progress) setRecorder(s *solver.Settings) {
	passes := cmp.Or(s.Passes, 100)
	h := &iterationHandler{progress: p, passes: passes, gap: math.Inf(1)}
	s.Logger = slog.New(h)
	if !p.overwrites {
		return
	}
	// A record takes about as much time as an outer iteration, so only some iterations make one.
	s.RecordEvery = max(1, int(passes/40))
	s.Recorder = solver.RecorderFunc(func(point *solver.Point) error {
		h.objective = fmt.Sprintf("   objective %.8g", point.Last.Objective)
		h.report(point.Passes, 0)
		return nil
	})
}

func passText(report model.Progress) string {
	text := fmt.Sprintf("pass %.2f", report.Passes)
	if isFinite(report.Objective) {
		text += fmt.Sprintf("   objective %.8g", report.Objective)
	}
	if isFinite(report.Gap) {
		text += fmt.Sprintf(", gap %.2g", report.Gap)
	}
	return text
}

func (p *progress) showPasses(report model.Progress) {
	p.showGap(report.Gap, report.Goal, passText(report))
}

// componentCallback returns a callback that shows the progress of a graphical lasso. The callback ignores
// components that have fewer features than another component that was reported before.
func (p *progress) componentCallback() func(glasso.Progress) {
	var lock sync.Mutex
	largestSize := 0
	return func(report glasso.Progress) {
		lock.Lock()
		defer lock.Unlock()
		if report.Features < largestSize {
			return
		}
		if report.Features > largestSize || report.Steps == 0 { // the first report of a component
			largestSize, p.firstGap = report.Features, math.Inf(1)
		}
		text := fmt.Sprintf("%s: %s together, %s", p.task, plural(report.Features, "feature"), plural(report.Steps, "Newton step"))
		if isFinite(report.Gap) {
			text += fmt.Sprintf(", gap %.2g", report.Gap)
		}
		p.showGap(report.Gap, report.Goal, text)
	}
}

func (p *progress) showClasses(done, total int) {
	p.showShare(float64(done), float64(total), "class %d of %d", min(done+1, total), total)
}

// An iterationHandler is a slog.Handler for the log entries of package solver about iterations. It stores
// the goal and the gap. It also shows the iterations, unless the Recorder of progress.setRecorder shows them.
type iterationHandler struct {
	*progress
	passes    float64 // largest number of passes of the run
	goal      float64 // the gap at which the run ends; 0 if there is no such gap
	gap       float64 // the latest gap; +Inf if none is known
	objective string  // text with the objective of the latest record
}

func (h *iterationHandler) Enabled(context.Context, slog.Level) bool { return true }

func (h *iterationHandler) Handle(_ context.Context, r slog.Record) error {
	values := map[string]slog.Value{}
	r.Attrs(func(a slog.Attr) bool {
		values[a.Key] = a.Value
		return true
	})
	if goal, isStart := values["goal"]; isStart {
		h.goal = goal.Float64()
	}
	if _, ok := values["outer"]; !ok {
		return nil // an entry about the beginning or the end of the run
	}
	h.gap = values["gap"].Float64()
	if h.overwrites {
		return nil // the Recorder reports the iterations
	}
	h.report(values["passes"].Float64(), values["newton_steps"].Int64())
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
		h.showGap(h.gap, h.goal, text)
		return
	}
	h.showShare(passes, h.passes, "%s", text)
}

func (h *iterationHandler) WithAttrs([]slog.Attr) slog.Handler { return h }
func (h *iterationHandler) WithGroup(string) slog.Handler      { return h }
