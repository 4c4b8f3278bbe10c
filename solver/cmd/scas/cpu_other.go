//go:build !unix

package main

import "time"

// cpuTime returns 0, because this system does not report the processor time.
func cpuTime() time.Duration { return 0 }
