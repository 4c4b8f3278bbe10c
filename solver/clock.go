package solver

import "time"

// A clock measures the time of a run. It can be paused. clock{resumed: t} is a running clock that was started
// at the time t.
type clock struct {
	resumed  time.Time     // when the clock was started or resumed
	measured time.Duration // measured time until the last pause
}

// seconds returns the measured time until now, in seconds. The clock must be running.
func (c *clock) seconds() float64 { return (c.measured + time.Since(c.resumed)).Seconds() }

// secondsAtPause returns the measured time until the last pause, in seconds.
func (c *clock) secondsAtPause() float64 { return c.measured.Seconds() }

// pause stops the clock, which must be running.
func (c *clock) pause() { c.measured += time.Since(c.resumed) }

// resume starts the clock again.
func (c *clock) resume() { c.resumed = time.Now() }
