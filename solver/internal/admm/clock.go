package admm

import "time"

// A Clock measures the time of a run. It can be paused.
type Clock struct {
	resumed  time.Time     // when the clock was started or resumed
	measured time.Duration // measured time until the last pause
}

// NewClock returns a running Clock that was started at the time start.
func NewClock(start time.Time) Clock { return Clock{resumed: start} }

// Seconds returns the measured time so far. The clock must be running.
func (c *Clock) Seconds() float64 { return (c.measured + time.Since(c.resumed)).Seconds() }

// SecondsAtPause returns the measured time until the last pause, in seconds.
func (c *Clock) SecondsAtPause() float64 { return c.measured.Seconds() }

// Pause stops the clock, which must be running.
func (c *Clock) Pause() { c.measured += time.Since(c.resumed) }

// Resume starts the clock again.
func (c *Clock) Resume() { c.resumed = time.Now() }
