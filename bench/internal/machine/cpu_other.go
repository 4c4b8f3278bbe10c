//go:build !unix

package machine

import "time"

var began = time.Now()

// CPUSeconds is the time that passed, where processor time is not at hand.
func CPUSeconds() float64 { return time.Since(began).Seconds() }
