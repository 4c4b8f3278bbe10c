package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/stream"
)

// progressEvery is how often a command that takes long says so where nobody sees a line
// that changes.
const progressEvery = 10 * time.Second

// A progress tells on stderr how far a command is: on a terminal in one line that changes,
// elsewhere every few seconds in a line of its own.
type progress struct {
	e     *env
	start time.Time
	lock  sync.Mutex
	text  string // what to say next
	shown bool
	stop  chan struct{} // nil on a terminal
	ended chan struct{}
}

// begin begins to tell how far a command is, that does what text says.
func (e *env) begin(text string) *progress {
	p := &progress{e: e, start: time.Now(), text: text}
	if e.terminal && !e.jsonLog {
		return p
	}
	p.stop, p.ended = make(chan struct{}), make(chan struct{})
	every := time.NewTicker(cmp.Or(e.every, progressEvery))
	go func() {
		defer close(p.ended)
		defer every.Stop()
		for {
			select {
			case <-p.stop:
				return
			case <-every.C:
				p.lock.Lock()
				text := p.text
				p.lock.Unlock()
				e.log("info", fmt.Sprintf("%.0f s: %s", time.Since(p.start).Seconds(), text))
			}
		}
	}()
	return p
}

// live reports whether show is seen at once.
func (p *progress) live() bool { return p.stop == nil }

// show says how far it is.
func (p *progress) show(format string, args ...any) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.text = fmt.Sprintf(format, args...)
	if p.live() {
		p.shown = true
		fmt.Fprintf(p.e.stderr, "\r%s   ", p.text)
	}
}

// end says no more.
func (p *progress) end() {
	if p.live() {
		if p.shown {
			p.e.clear()
		}
		return
	}
	close(p.stop)
	<-p.ended
}

// clear removes a line of progress.
func (e *env) clear() { _, _ = io.WriteString(e.stderr, "\r"+strings.Repeat(" ", 79)+"\r") }

// tell has a run of package solver tell how far it is.
func (p *progress) tell(s *solver.Settings) {
	passes := cmp.Or(s.Passes, 100)
	if !p.live() {
		s.Logger = slog.New(&iterationHandler{p, passes})
		return
	}
	// A record costs about as much as an outer iteration: show some twenty.
	s.RecordEvery = max(1, int(passes/40))
	s.Recorder = solver.RecorderFunc(func(at *solver.Point) error {
		p.show("pass %.0f of %.0f   objective %.8g", at.Passes, passes, at.Last.Objective)
		return nil
	})
}

// streamed returns what tells how far a run of package stream is, after some words.
func (p *progress) streamed(about string) func(stream.Progress) {
	return func(at stream.Progress) {
		text := fmt.Sprintf("%spass %.2f", about, at.Passes)
		if isFinite(at.Objective) {
			text += fmt.Sprintf("   objective %.8g", at.Objective)
		}
		if isFinite(at.Gap) {
			text += fmt.Sprintf(", gap %.2g", at.Gap)
		}
		p.show("%s", text)
	}
}

// An iterationHandler shows what package solver logs of iterations, which costs nothing.
type iterationHandler struct {
	*progress
	passes float64
}

func (h *iterationHandler) Enabled(context.Context, slog.Level) bool { return true }

func (h *iterationHandler) Handle(_ context.Context, r slog.Record) error {
	at := map[string]slog.Value{}
	r.Attrs(func(a slog.Attr) bool {
		at[a.Key] = a.Value
		return true
	})
	if _, ok := at["outer"]; !ok {
		return nil // the beginning or the end
	}
	text := fmt.Sprintf("pass %.0f of %.0f", at["passes"].Float64(), h.passes)
	if steps := at["newton_steps"].Int64(); steps > 0 {
		text += ", " + plural(steps, "Newton step")
	}
	if gap := at["gap"].Float64(); isFinite(gap) {
		text += fmt.Sprintf(", gap %.2g", gap)
	}
	h.show("%s", text)
	return nil
}

func (h *iterationHandler) WithAttrs([]slog.Attr) slog.Handler { return h }
func (h *iterationHandler) WithGroup(string) slog.Handler      { return h }
