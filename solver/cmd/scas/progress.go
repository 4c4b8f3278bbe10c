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
	"github.com/scas-admm/scas/solver/stream"
	"github.com/scas-admm/scas/sparse/graph/glasso"
)

// How often a command that takes long reports how far it is: on a terminal, and elsewhere.
const terminalEvery, progressEvery = time.Second, 10 * time.Second

// A progress reports on stderr how far a command is, how long it has taken, and how long the
// rest will take: on a terminal in one line that changes, elsewhere every few seconds in a
// line of its own.
type progress struct {
	e     *env
	live  bool   // on a terminal
	what  string // the command does
	start time.Time
	lock  sync.Mutex
	text  string // what to say next
	shown time.Time
	width int // of the line on the terminal; 0 where there is none
	over  bool
	stop  chan struct{}
	ended chan struct{}

	// Of the present stage: the share of the work that is done, and what it was at its
	// beginning.
	share, from float64
	began       time.Time
}

// begin begins to report on a command that does what text says.
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

// tick reports what was said last.
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

// show says how far it is, where nobody knows how much is left.
func (p *progress) show(format string, args ...any) { p.showOf(0, 0, format, args...) }

// showOf says how far it is, done of total being done. A smaller share than before begins
// another stage.
func (p *progress) showOf(done, total float64, format string, args ...any) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.set(done, total, fmt.Sprintf(format, args...))
	const rest = 100 * time.Millisecond // between two lines: more are not read
	if now := time.Now(); p.live && !p.over && (p.share >= 1 || now.Sub(p.shown) >= rest) {
		p.shown = now
		p.draw()
	}
}

// set notes how far it is.
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

// toward is showOf for what ends when a gap, which falls by about the same factor in equal
// times, is at most goal; first is the first that was known.
func (p *progress) toward(first, gap, goal float64, format string, args ...any) {
	if !(goal > 0 && gap < first) || math.IsInf(first, 1) {
		p.show(format, args...)
		return
	}
	p.showOf(math.Log(first/max(gap, goal)), math.Log(first/goal), format, args...)
}

// left says how long the rest of the stage will take, if that can be told.
func (p *progress) left() string {
	passed := time.Since(p.began)
	if !(p.share > p.from && p.share < 1) || passed < terminalEvery && p.e.every == 0 {
		return ""
	}
	return fmt.Sprintf(", about %s left", clock(time.Duration(float64(passed)*(1-p.share)/(p.share-p.from))))
}

// draw writes the line of a terminal, over the one before. It cuts a long text, not the times.
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

// lineWidth is how much of a line a terminal has room for.
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

// clear removes the line from the terminal, until there is another.
func (p *progress) clear() {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.width > 0 {
		p.width = 0
		_, _ = io.WriteString(p.e.stderr, "\r"+strings.Repeat(" ", lineWidth+3)+"\r")
	}
}

// end says no more; it may be called twice.
func (p *progress) end() {
	if p.over {
		return
	}
	close(p.stop)
	<-p.ended
	p.clear()
	p.lock.Lock()
	p.over = true // though reading may go on after an interrupt
	p.lock.Unlock()
	p.e.progress = nil
}

// tell has a run of package solver tell how far it is.
func (p *progress) tell(s *solver.Settings) {
	passes := cmp.Or(s.Passes, 100)
	h := &iterationHandler{progress: p, passes: passes, first: math.Inf(1), gap: math.Inf(1)}
	s.Logger = slog.New(h)
	if !p.live {
		return
	}
	// A record costs about as much as an outer iteration: show some twenty.
	s.RecordEvery = max(1, int(passes/40))
	s.Recorder = solver.RecorderFunc(func(at *solver.Point) error {
		h.objective = fmt.Sprintf("   objective %.8g", at.Last.Objective)
		h.report(at.Passes, 0)
		return nil
	})
}

// passes is how far a run of package stream is.
func passes(at stream.Progress) string {
	text := fmt.Sprintf("pass %.2f", at.Passes)
	if isFinite(at.Objective) {
		text += fmt.Sprintf("   objective %.8g", at.Objective)
	}
	if isFinite(at.Gap) {
		text += fmt.Sprintf(", gap %.2g", at.Gap)
	}
	return text
}

// streamed returns what reports how far a run of package stream is.
func (p *progress) streamed() func(stream.Progress) {
	first := math.Inf(1)
	return func(at stream.Progress) {
		if math.IsInf(first, 1) {
			first = at.Gap
		}
		p.toward(first, at.Gap, at.Goal, "%s", passes(at))
	}
}

// bytes notes how far a file is read or written. It is shown from the first second on, since
// most files take less.
func (p *progress) bytes(what string, done, total int64) {
	text := fmt.Sprintf("%s: %s", what, byteCount(done))
	if total > 0 { // unlike that of a pipe
		text = fmt.Sprintf("%s: %.0f %% of %s", what, 100*float64(done)/float64(total), byteCount(total))
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	p.set(float64(done), float64(total), text)
}

// rows shows how many rows of so many are done.
func (p *progress) rows(done, total int) {
	p.showOf(float64(done), float64(total), "%s: row %s of %s", p.what, grouped(done), grouped(total))
}

// component returns what reports how far the largest component of a graphical lasso is.
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

// classes shows how many of several classes are fitted to all rows.
func (p *progress) classes(done, total int) {
	p.showOf(float64(done), float64(total), "class %d of %d", min(done+1, total), total)
}

// An iterationHandler shows what package solver logs of iterations, which costs nothing.
type iterationHandler struct {
	*progress
	passes           float64
	goal, first, gap float64 // of the gap: 0 for none, the first one known, and the last
	objective        string
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
		return nil // the beginning or the end
	}
	h.gap = at["gap"].Float64()
	if h.live {
		return nil // the recorder shows it
	}
	h.report(at["passes"].Float64(), at["newton_steps"].Int64())
	return nil
}

// report shows an iteration.
func (h *iterationHandler) report(passes float64, steps int64) {
	text := fmt.Sprintf("pass %.0f of %.0f%s", passes, h.passes, h.objective)
	if steps > 0 {
		text += ", " + plural(steps, "Newton step")
	}
	if isFinite(h.gap) {
		text += fmt.Sprintf(", gap %.2g", h.gap)
	}
	if h.goal > 0 { // which may come long before the last pass
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
