package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/model"
	"github.com/scas-admm/scas/sparse/graph/glasso"
)

// The time between two reports of a long command: on a terminal, and elsewhere.
const terminalEvery, progressEvery = time.Second, 10 * time.Second

// A progress reports on stderr how far a command is, how long it has taken, and how long the
// rest will take: on a terminal in one line that changes, elsewhere every few seconds in a
// line of its own.
type progress struct {
	e     *env
	live  bool   // on a terminal
	what  string // what the command does
	start time.Time
	lock  sync.Mutex
	text  string    // the next report, without the times
	shown time.Time // when showOf last drew the line
	width int       // of the line on the terminal; 0 if there is none
	over  bool      // after end: nothing is drawn any more
	stop  chan struct{}
	ended chan struct{}

	// A stage is a part of the command, such as reading the data. share is the part of the
	// present stage that is done, from 0 to 1; the stage began at the time began, with the
	// share from.
	share, from float64
	began       time.Time
}

// begin starts the reports of a command; text says what the command does.
func (e *env) begin(text string) *progress {
	p := &progress{
		e: e, live: e.terminal && !e.jsonLog, what: text, start: time.Now(), text: text,
		stop: make(chan struct{}), ended: make(chan struct{}), share: math.Inf(1),
	}
	e.progress = p
	often := progressEvery
	if p.live {
		often = terminalEvery
	}
	every := time.NewTicker(cmp.Or(e.every, often))
	go func() {
		defer close(p.ended)
		defer every.Stop()
		for {
			select {
			case <-p.stop:
				return
			case <-every.C:
				p.tick()
			}
		}
	}()
	return p
}

// tick reports the present text, with the times.
func (p *progress) tick() {
	p.lock.Lock()
	text, passed := p.text+p.left(), time.Since(p.start)
	if p.live && (passed > terminalEvery || p.e.every > 0) {
		p.draw()
	}
	p.lock.Unlock()
	if !p.live {
		p.e.log("info", fmt.Sprintf("%.0f s: %s", passed.Seconds(), text))
	}
}

// show sets the text of the report while the amount of work is not known.
func (p *progress) show(format string, args ...any) { p.showOf(0, 0, format, args...) }

// showOf sets the text of the report and the share done/total of the work. A smaller share
// than before begins another stage.
func (p *progress) showOf(done, total float64, format string, args ...any) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.set(done, total, fmt.Sprintf(format, args...))
	const rest = 100 * time.Millisecond // between two drawings; people do not read faster
	if now := time.Now(); p.live && !p.over && (p.share >= 1 || now.Sub(p.shown) >= rest) {
		p.shown = now
		p.draw()
	}
}

// set is showOf without drawing. The caller holds the lock.
func (p *progress) set(done, total float64, text string) {
	p.text = text
	share := 0.0
	if total > 0 {
		share = done / total
	}
	if share < p.share {
		p.from, p.began = share, time.Now()
	}
	p.share = share
}

// toward is showOf for a run that ends when its gap is at most goal; first is the first gap
// that was known. A gap falls by about the same factor in equal times, so the share of the
// work is measured by the logarithm of the gap.
func (p *progress) toward(first, gap, goal float64, format string, args ...any) {
	if !(goal > 0 && gap < first) || math.IsInf(first, 1) {
		p.show(format, args...)
		return
	}
	p.showOf(math.Log(first/max(gap, goal)), math.Log(first/goal), format, args...)
}

// left returns an estimate of the time that the rest of the stage will take, as text; it is
// empty when the stage is too young for an estimate.
func (p *progress) left() string {
	passed := time.Since(p.began)
	if !(p.share > p.from && p.share < 1) || passed < terminalEvery && p.e.every == 0 {
		return ""
	}
	return fmt.Sprintf(", about %s left", clock(time.Duration(float64(passed)*(1-p.share)/(p.share-p.from))))
}

// draw writes the line on the terminal over the line before. It shortens a long text, but
// not the times.
func (p *progress) draw() {
	line, times := p.text, ""
	if passed := time.Since(p.start); passed >= terminalEvery {
		times = "   " + clock(passed) + p.left()
	}
	if runes := []rune(line); len(runes)+len(times) > lineWidth {
		line = string(runes[:lineWidth-len(times)-1]) + "…"
	}
	line += times
	width := utf8.RuneCountInString(line)
	fmt.Fprintf(p.e.stderr, "\r%s%s", line, strings.Repeat(" ", max(3, p.width-width)))
	p.width = width
}

// lineWidth is the number of characters that draw writes to a line at most.
const lineWidth = 76

// clock writes a time as people read it: 12 s, 3 min 20 s, 2 h 5 min.
func clock(d time.Duration) string {
	s := int(math.Round(d.Seconds()))
	switch {
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 3600:
		return fmt.Sprintf("%d min %d s", s/60, s%60)
	}
	return fmt.Sprintf("%d h %d min", s/3600, s%3600/60)
}

// clear removes the line from the terminal; the next report draws it again.
func (p *progress) clear() {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.width > 0 {
		p.width = 0
		_, _ = io.WriteString(p.e.stderr, "\r"+strings.Repeat(" ", lineWidth+3)+"\r")
	}
}

// end stops the reports. It may be called twice.
func (p *progress) end() {
	if p.over {
		return
	}
	close(p.stop)
	<-p.ended
	p.clear()
	p.lock.Lock()
	p.over = true // after an interrupt a goroutine may still read and call showOf
	p.lock.Unlock()
	p.e.progress = nil
}

// follow sets the callbacks of spec, so that a fit of several classes, of two or of numbers is
// reported.
func (p *progress) follow(spec *model.Spec, classes int) {
	spec.Fitted = p.classes
	switch {
	case classes > 0:
		spec.Progress = func(at model.Progress) {
			p.showOf(float64(at.Class), float64(classes), "class %d of %d   %s", at.Class+1, classes, passes(at))
		}
	case spec.Memory > 0:
		spec.Progress = p.streamed()
	case spec.Comm == nil: // a Recorder looks at all rows
		p.record(&spec.Settings)
	}
}

// record sets the logger and the recorder of s, so that a run of package solver is reported.
func (p *progress) record(s *solver.Settings) {
	passes := cmp.Or(s.Passes, 100)
	h := &iterationHandler{progress: p, passes: passes, first: math.Inf(1), gap: math.Inf(1)}
	s.Logger = slog.New(h)
	if !p.live {
		return
	}
	// A record costs about as much as an outer iteration, so there are only a few dozen.
	s.RecordEvery = max(1, int(passes/40))
	s.Recorder = solver.RecorderFunc(func(at *solver.Point) error {
		h.objective = fmt.Sprintf("   objective %.8g", at.Last.Objective)
		h.report(at.Passes, 0)
		return nil
	})
}

// passes describes the progress of a run of package stream: passes, objective and gap.
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

// streamed returns the callback by which a run of package stream is reported.
func (p *progress) streamed() func(model.Progress) {
	first := math.Inf(1)
	return func(at model.Progress) {
		if math.IsInf(first, 1) {
			first = at.Gap
		}
		p.toward(first, at.Gap, at.Goal, "%s", passes(at))
	}
}

// bytes sets how many bytes of a file are read or written. It does not draw: tick shows it
// after a second, and most files take less than that.
func (p *progress) bytes(what string, done, total int64) {
	text := fmt.Sprintf("%s: %s", what, byteCount(done))
	if total > 0 { // the size of a pipe is not known
		text = fmt.Sprintf("%s: %.0f %% of %s", what, 100*float64(done)/float64(total), byteCount(total))
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	p.set(float64(done), float64(total), text)
}

// rows reports that done rows of total are finished.
func (p *progress) rows(done, total int) {
	p.showOf(float64(done), float64(total), "%s: row %s of %s", p.what, grouped(done), grouped(total))
}

// component returns the callback by which a graphical lasso is reported. The components are
// solved at the same time; the reports are about the largest one.
func (p *progress) component() func(glasso.Progress) {
	var lock sync.Mutex
	largest, first := 0, math.Inf(1)
	return func(at glasso.Progress) {
		lock.Lock()
		defer lock.Unlock()
		if at.Features < largest {
			return
		}
		if at.Features > largest || at.Steps == 0 { // another penalty, or another component
			largest, first = at.Features, math.Inf(1)
		}
		if math.IsInf(first, 1) {
			first = at.Gap
		}
		text := fmt.Sprintf("%s: %s together, %s", p.what, plural(at.Features, "feature"), plural(at.Steps, "Newton step"))
		if isFinite(at.Gap) {
			text += fmt.Sprintf(", gap %.2g", at.Gap)
		}
		p.toward(first, at.Gap, at.Goal, "%s", text)
	}
}

// classes reports that done classes of total are fitted to all rows.
func (p *progress) classes(done, total int) {
	p.showOf(float64(done), float64(total), "class %d of %d", min(done+1, total), total)
}

// An iterationHandler is a slog.Handler that reports the iterations that package solver logs. A log
// entry costs no computation; a solver.Recorder would evaluate the objective.
type iterationHandler struct {
	*progress
	passes     float64 // the number allowed
	goal       float64 // the gap at which the run ends; 0 for none
	first, gap float64 // the first gap that was known, and the latest
	objective  string  // of the latest record, as text
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
		return nil // the recorder shows it
	}
	h.report(at["passes"].Float64(), at["newton_steps"].Int64())
	return nil
}

// report reports an iteration after a number of passes and Newton steps.
func (h *iterationHandler) report(passes float64, steps int64) {
	text := fmt.Sprintf("pass %.0f of %.0f%s", passes, h.passes, h.objective)
	if steps > 0 {
		text += ", " + plural(steps, "Newton step")
	}
	if isFinite(h.gap) {
		text += fmt.Sprintf(", gap %.2g", h.gap)
	}
	if h.goal > 0 { // the gap may be small enough long before the last pass
		if math.IsInf(h.first, 1) {
			h.first = h.gap
		}
		h.toward(h.first, h.gap, h.goal, "%s", text)
		return
	}
	h.showOf(passes, h.passes, "%s", text)
}

func (h *iterationHandler) WithAttrs([]slog.Attr) slog.Handler { return h }
func (h *iterationHandler) WithGroup(string) slog.Handler      { return h }
