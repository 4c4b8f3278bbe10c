//go:build !unix

package machine

import "time"

var startTime = time.Now()

// CPUSeconds returns the time since the start of the process, because processor time is not known
// on this system.
func CPUSeconds() float64 { return time.Since(startTime).Seconds() }
