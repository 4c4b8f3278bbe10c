//go:build !unix

package torture

import (
	"os"
	"os/exec"
	"runtime"
	"time"
)

// usage is not told here.
func usage(*os.ProcessState) (signal string, peak int64) { return "", 0 }

func apart(*exec.Cmd, bool) {}

// What stops a process and lets it go on is not there: it goes on.
var stopSignal, continueSignal = os.Interrupt, os.Interrupt

// guardedMemory is not to be had.
func guardedMemory(int) ([]byte, error) {
	return nil, skip("memory between guard pages is not to be had here")
}

// processorTime is the time since start on all processors, for want of a better one.
func processorTime(start time.Time) time.Duration {
	return time.Since(start) * time.Duration(runtime.GOMAXPROCS(0))
}
