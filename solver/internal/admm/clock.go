package admm

import "time"

// A Clock counts the time of a run, evaluations excluded.
type Clock struct {
	since time.Time
	used  time.Duration
}

// NewClock returns one that runs since it began.
func NewClock(began time.Time) Clock { return Clock{since: began} }

// Seconds returns the time so far, while the clock runs.
func (c *Clock) Seconds() float64 { return (c.used + time.Since(c.since)).Seconds() }

// Used returns the time up to the last pause, in seconds.
func (c *Clock) Used() float64 { return c.used.Seconds() }

// Pause stops the clock, which runs.
func (c *Clock) Pause() { c.used += time.Since(c.since) }

// Resume goes on.
func (c *Clock) Resume() { c.since = time.Now() }
