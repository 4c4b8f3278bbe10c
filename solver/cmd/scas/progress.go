package main

import (
	"fmt"
	"io"
	"math"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// progress.tick is called once in every terminalEvery on a terminal, and in every progressEvery elsewhere.
// On a terminal, reports before terminalEvery has passed show no times.
const terminalEvery, progressEvery = time.Second, 10 * time.Second

// With everyReport as env.interval, every report is printed at once, so that tests do not depend on time.
const everyReport = time.Nanosecond

// A progress reports on stderr how much of a command is done, the time that has passed, and an estimate of
// the time that is left. On a terminal each report overwrites the previous report. Elsewhere, and in a JSON
// log, each report is a new line.
type progress struct {
	e          *env
	overwrites bool   // whether the reports overwrite one line on a terminal; false for a JSON log
	task       string // what the command does
	start      time.Time
	lock       sync.Mutex
	text       string    // the next report, without the times
	lastDrawn  time.Time // when showShare last drew the line, or start
	width      int       // characters of the line on the terminal; 0 if there is no line
	closed     bool      // whether end was called
	stop       chan struct{}
	ended      chan struct{}

	fits     fitCount // set by setReports
	firstGap float64  // the first finite gap that showGap was called with; +Inf if there is none

	// A stage is one part of the command, such as reading the data. share is the part of its work that is
	// done. firstShare is the value of share when the stage began.
	share, firstShare float64
	stageStart        time.Time // when the stage began
}

// beginProgress starts the reports of a command. text says what the command does.
func (e *env) beginProgress(text string) *progress {
	now := time.Now()
	p := &progress{
		e: e, overwrites: e.onTerminal && !e.jsonLog, task: text, start: now, lastDrawn: now, text: text,
		stop: make(chan struct{}), ended: make(chan struct{}), share: math.Inf(1), firstGap: math.Inf(1),
	}
	e.progress = p
	interval := progressEvery
	switch {
	case e.interval == everyReport:
		interval = time.Hour // the reports print themselves
	case e.interval > 0:
		interval = e.interval
	case p.overwrites:
		interval = terminalEvery
	}
	ticker := time.NewTicker(interval)
	go func() {
		defer close(p.ended)
		defer ticker.Stop()
		for {
			select {
			case <-p.stop:
				return
			case <-ticker.C:
				p.tick()
			}
		}
	}()
	return p
}

func (p *progress) tick() {
	p.lock.Lock()
	text, elapsed := p.text+p.timeLeft(), time.Since(p.start)
	if p.overwrites && (elapsed > terminalEvery || p.e.interval > 0) {
		p.draw()
	}
	p.lock.Unlock()
	if !p.overwrites {
		p.e.log("info", fmt.Sprintf("%.0f s: %s", elapsed.Seconds(), text))
	}
}

// tickAtOnce calls tick if every report is printed at once.
func (p *progress) tickAtOnce() {
	p.lock.Lock()
	closed := p.closed
	p.lock.Unlock()
	if p.e.interval == everyReport && !closed {
		p.tick()
	}
}

// show sets the text of the report, for work of unknown amount.
func (p *progress) show(format string, args ...any) { p.showShare(0, 0, format, args...) }

// showShare sets the text of the report and the share done/total of the work. If the share is smaller than
// before, a new stage begins. On a terminal, showShare draws the line at most once in each pause, so that the
// line does not flicker.
func (p *progress) showShare(done, total float64, format string, args ...any) {
	const pause = 100 * time.Millisecond
	defer p.tickAtOnce()
	p.lock.Lock()
	defer p.lock.Unlock()
	p.text = fmt.Sprintf(format, args...)
	share, now := 0.0, time.Now()
	if total > 0 {
		share = done / total
	}
	if share < p.share {
		p.firstShare, p.stageStart = share, now
	}
	p.share = share
	if p.overwrites && !p.closed && now.Sub(p.lastDrawn) >= pause {
		p.lastDrawn = now
		p.draw()
	}
}

// showGap reports a run that ends when its gap is at most goal. The share of the work is computed from
// logarithms of gaps, because a gap falls by similar factors in equal times.
func (p *progress) showGap(gap, goal float64, text string) {
	if math.IsInf(p.firstGap, 1) {
		p.firstGap = gap
	}
	if !(goal > 0 && gap < p.firstGap) {
		p.show("%s", text)
		return
	}
	p.showShare(math.Log(p.firstGap/max(gap, goal)), math.Log(p.firstGap/goal), "%s", text)
}

// timeLeft returns a text with an estimate of the time that is left in the stage. It returns "" if it is too
// early for an estimate, or if the estimate is longer than a year.
func (p *progress) timeLeft() string {
	const year = 365 * 24 * time.Hour
	elapsed := time.Since(p.stageStart)
	if !(p.share > p.firstShare && p.share < 1) || elapsed < terminalEvery && p.e.interval == 0 {
		return ""
	}
	left := float64(elapsed) * (1 - p.share) / (p.share - p.firstShare)
	if left > float64(year) {
		return ""
	}
	return fmt.Sprintf(", about %s left", formatDuration(time.Duration(left)))
}

// draw writes the report over the previous report on the terminal. The caller must hold the lock.
func (p *progress) draw() {
	line, timeText := p.text, ""
	if elapsed := time.Since(p.start); elapsed >= terminalEvery {
		timeText = "   " + formatDuration(elapsed) + p.timeLeft()
	}
	if runes := []rune(line); len(runes)+len(timeText) > lineWidth {
		line = string(runes[:lineWidth-len(timeText)-1]) + "…"
	}
	line += timeText
	width := utf8.RuneCountInString(line)
	fmt.Fprintf(p.e.stderr, "\r%s%s", line, strings.Repeat(" ", max(3, p.width-width)))
	p.width = width
}

// lineWidth is the number of characters to which draw shortens a report.
const lineWidth = 76

// formatDuration formats a time, such as 12 s, 3 min 20 s or 2 h 5 min.
func formatDuration(d time.Duration) string {
	s := int(math.Round(d.Seconds()))
	switch {
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 3600:
		return fmt.Sprintf("%d min %d s", s/60, s%60)
	}
	return fmt.Sprintf("%d h %d min", s/3600, s%3600/60)
}

func (p *progress) clearLine() {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.width > 0 {
		p.width = 0
		_, _ = io.WriteString(p.e.stderr, "\r"+strings.Repeat(" ", lineWidth+3)+"\r")
	}
}

// end stops the reports. It may be called twice.
func (p *progress) end() {
	if p.closed {
		return
	}
	close(p.stop)
	<-p.ended
	p.clearLine()
	p.lock.Lock()
	p.closed = true // after an interrupt, a goroutine may still call showShare
	p.lock.Unlock()
	p.e.progress = nil
}

// showBytes reports on a file that is read or written. done is the number of bytes so far, and total the size
// of the file; 0 if it is not known, as of a pipe.
func (p *progress) showBytes(task string, done, total int64) {
	text := fmt.Sprintf("%s: %s", task, formatBytes(done))
	if total > 0 {
		text = fmt.Sprintf("%s: %.0f %% of %s", task, 100*float64(done)/float64(total), formatBytes(total))
	}
	p.showShare(float64(done), float64(total), "%s", text)
}

func (p *progress) showRows(done, total int) {
	p.showShare(float64(done), float64(total), "%s: row %s of %s", p.task, groupDigits(done),
		groupDigits(total))
}
