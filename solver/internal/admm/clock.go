package admm

import "time"

// A Clock measures the time of a run. It can be paused.
type Clock struct {
	since time.Time     // when the clock was started or resumed
	used  time.Duration // measured time until the last pause
}

// NewClock returns a running Clock that was started at the time began.
func NewClock(began time.Time) Clock { return Clock{since: began} }

// Seconds returns the measured time so far. The clock must be running.
func (c *Clock) Seconds() float64 { return (c.used + time.Since(c.since)).Seconds() }

// Used returns the measured time until the last pause, in seconds.
func (c *Clock) Used() float64 { return c.used.Seconds() }

// Pause stops the clock, which must be running.
func (c *Clock) Pause() { c.used += time.Since(c.since) }

// Resume starts the clock again.
func (c *Clock) Resume() { c.since = time.Now() }
