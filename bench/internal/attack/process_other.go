//go:build !unix

package attack

import (
	"os"
	"os/exec"
)

// usage returns nothing: the signal and the peak are not known on this system.
func usage(*os.ProcessState) (signal string, peak int64) { return "", 0 }

func apart(*exec.Cmd, bool) {}

// On this system a process cannot be stopped and continued, so an interrupt stands for both
// signals.
var stopSignal, continueSignal = os.Interrupt, os.Interrupt
