//go:build !unix

package peers

import "time"

var began = time.Now()

// cpuSeconds is the time that passed, where processor time is not at hand.
func cpuSeconds() float64 { return time.Since(began).Seconds() }
