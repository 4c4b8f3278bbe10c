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

// terminalEvery is the time between two reports on a terminal, progressEvery the time elsewhere.
const terminalEvery, progressEvery = time.Second, 10 * time.Second

// A progress reports on stderr how much of a command is done, the time that has passed, and an estimate
// of the time that is left. On a terminal each report overwrites the line of the report before.
// Elsewhere each report is a new line.
type progress struct {
	e     *env
	live  bool   // whether the reports overwrite one line on a terminal
	what  string // what the command does
	start time.Time
	lock  sync.Mutex
	text  string    // the next report, without the times
	shown time.Time // when showOf last drew the line
	width int       // characters of the line on the terminal; 0 if there is no line
	over  bool      // end was called; nothing is drawn any more
	stop  chan struct{}
	ended chan struct{}

	// A stage is one part of the command, such as reading the data. share is the share of its work that
	// is done now, and from the share that was done at the time began. Shares are between 0 and 1.
	share, from float64
	began       time.Time // when the stage began
}

// begin starts the reports of a command. text says what the command does.
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

// tick writes a report with the present text and the times.
func (p *progress) tick() {
	p.lock.Lock()
	text, passed := p.text+p.timeLeft(), time.Since(p.start)
	if p.live && (passed > terminalEvery || p.e.every > 0) {
		p.draw()
	}
	p.lock.Unlock()
	if !p.live {
		p.e.log("info", fmt.Sprintf("%.0f s: %s", passed.Seconds(), text))
	}
}

// show sets the text of the report if the amount of work is not known.
func (p *progress) show(format string, args ...any) { p.showOf(0, 0, format, args...) }

// showOf sets the text of the report and the share done/total of the work. If the share is smaller than
// before, a new stage begins.
func (p *progress) showOf(done, total float64, format string, args ...any) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.set(done, total, fmt.Sprintf(format, args...))
	const rest = 100 * time.Millisecond // least time between two drawings; people do not read faster
	if now := time.Now(); p.live && !p.over && (p.share >= 1 || now.Sub(p.shown) >= rest) {
		p.shown = now
		p.draw()
	}
}

// set does the work of showOf except drawing. The caller must hold the lock.
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

// toward reports a run that ends when its gap is at most goal. first is the first known gap. In equal times
// a gap falls by about the same factor, so the share of the work is computed from logarithms of gaps.
func (p *progress) toward(first, gap, goal float64, format string, args ...any) {
	if !(goal > 0 && gap < first) || math.IsInf(first, 1) {
		p.show(format, args...)
		return
	}
	p.showOf(math.Log(first/max(gap, goal)), math.Log(first/goal), format, args...)
}

// timeLeft returns a text with an estimate of the time that is left in the stage. It returns "" if it is too
// early for an estimate.
func (p *progress) timeLeft() string {
	passed := time.Since(p.began)
	if !(p.share > p.from && p.share < 1) || passed < terminalEvery && p.e.every == 0 {
		return ""
	}
	return fmt.Sprintf(", about %s left", clock(time.Duration(float64(passed)*(1-p.share)/(p.share-p.from))))
}

// draw writes the report over the last line on the terminal. It shortens a long text, but not the times.
func (p *progress) draw() {
	line, times := p.text, ""
	if passed := time.Since(p.start); passed >= terminalEvery {
		times = "   " + clock(passed) + p.timeLeft()
	}
	if runes := []rune(line); len(runes)+len(times) > lineWidth {
		line = string(runes[:lineWidth-len(times)-1]) + "…"
	}
	line += times
	width := utf8.RuneCountInString(line)
	fmt.Fprintf(p.e.stderr, "\r%s%s", line, strings.Repeat(" ", max(3, p.width-width)))
	p.width = width
}

// lineWidth is the largest number of characters of a report that draw writes.
const lineWidth = 76

// clock formats a time for people: 12 s, 3 min 20 s, 2 h 5 min.
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

// clear removes the report from the terminal. The next report draws a line again.
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
	p.over = true // after an interrupt a goroutine may still read data and call showOf
	p.lock.Unlock()
	p.e.progress = nil
}

// follow sets the callbacks of spec that report the progress of a fit. classes is the number of classes if
// there are more than two, and 0 otherwise.
func (p *progress) follow(spec *model.Spec, classes int) {
	spec.Fitted = p.classes
	switch {
	case classes > 0:
		spec.Progress = func(at model.Progress) {
			p.showOf(float64(at.Class), float64(classes), "class %d of %d   %s", at.Class+1, classes, passes(at))
		}
	case spec.Memory > 0:
		spec.Progress = p.streamed()
	case spec.Comm == nil: // a Recorder needs the rows of all ranks
		p.record(&spec.Settings)
	}
}

// record sets the logger and the recorder of s, which report the progress of a run of package solver.
func (p *progress) record(s *solver.Settings) {
	passes := cmp.Or(s.Passes, 100)
	h := &iterationHandler{progress: p, passes: passes, first: math.Inf(1), gap: math.Inf(1)}
	s.Logger = slog.New(h)
	if !p.live {
		return
	}
	// A record costs about as much as an outer iteration, so a run has only a few dozen records.
	s.RecordEvery = max(1, int(passes/40))
	s.Recorder = solver.RecorderFunc(func(at *solver.Point) error {
		h.objective = fmt.Sprintf("   objective %.8g", at.Last.Objective)
		h.report(at.Passes, 0)
		return nil
	})
}

// passes returns a text with the passes, the objective and the gap of an out-of-core run.
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

// streamed returns the callback that reports the progress of an out-of-core run.
func (p *progress) streamed() func(model.Progress) {
	first := math.Inf(1)
	return func(at model.Progress) {
		if math.IsInf(first, 1) {
			first = at.Gap
		}
		p.toward(first, at.Gap, at.Goal, "%s", passes(at))
	}
}

// bytes sets the number of bytes of a file that are read or written. It does not draw, because most files
// need less than a second. For other files, tick draws the number.
func (p *progress) bytes(what string, done, total int64) {
	text := fmt.Sprintf("%s: %s", what, byteCount(done))
	if total > 0 { // the size of a pipe is not known
		text = fmt.Sprintf("%s: %.0f %% of %s", what, 100*float64(done)/float64(total), byteCount(total))
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	p.set(float64(done), float64(total), text)
}

// rows reports that done of total rows are finished.
func (p *progress) rows(done, total int) {
	p.showOf(float64(done), float64(total), "%s: row %s of %s", p.what, grouped(done), grouped(total))
}

// component returns the callback that reports the progress of a graphical lasso. Several components are
// solved at the same time. The reports are about the largest one.
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

// classes reports that done of total classes are fitted to all rows.
func (p *progress) classes(done, total int) {
	p.showOf(float64(done), float64(total), "class %d of %d", min(done+1, total), total)
}

// An iterationHandler is a slog.Handler that reports the iterations that package solver logs. A log
// entry costs no computation; a solver.Recorder would evaluate the objective.
type iterationHandler struct {
	*progress
	passes     float64 // largest number of passes
	goal       float64 // the gap at which the run ends; 0 if there is no such gap
	first, gap float64 // the first known gap, and the latest gap
	objective  string  // text with the objective of the latest record
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
		return nil // the recorder reports the iterations
	}
	h.report(at["passes"].Float64(), at["newton_steps"].Int64())
	return nil
}

// report shows the number of passes, of Newton steps and the gap after an iteration.
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
