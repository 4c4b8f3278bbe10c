package paper

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// Progress tells how far an experiment is. A nil *Progress is silent.
type Progress struct {
	W     io.Writer
	Live  bool    // W is a terminal: one line, written over
	Total float64 // work to come

	mu          sync.Mutex
	done        float64
	began, last time.Time
	idle        float64 // work found done already
}

// quiet is how often lines appear where they cannot be written over.
const quiet = 15 * time.Second

// Done reports that a run of so much work is over.
func (p *Progress) Done(what string, work float64) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if p.began.IsZero() {
		p.began = now
	}
	p.done += work
	if now.Sub(p.began) < 50*time.Millisecond {
		p.idle = p.done
	}
	if !p.Live && now.Sub(p.last) < quiet {
		return
	}
	p.last = now
	text := fmt.Sprintf("%3.0f %%  %s  (%s)", 100*p.done/p.Total, p.left(now), what)
	if p.Live {
		fmt.Fprintf(p.W, "\r\x1b[K%s", text)
	} else {
		fmt.Fprintln(p.W, text)
	}
}

// left estimates the time to come from the work done so far.
func (p *Progress) left(now time.Time) string {
	work := p.done - p.idle
	if work <= 0 {
		return "time left unknown"
	}
	d := time.Duration(float64(now.Sub(p.began)) * max(0, p.Total-p.done) / work)
	return d.Round(time.Second).String() + " left"
}

// End leaves the line.
func (p *Progress) End() {
	if p != nil && p.Live {
		fmt.Fprintf(p.W, "\r\x1b[K")
	}
}
