//go:build unix

package machine

import "golang.org/x/sys/unix"

// CPUSeconds returns the processor time of all threads of this process in seconds, including system calls.
// It returns 0 if the system does not report it.
func CPUSeconds() float64 {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
