//go:build !unix

package attack

import (
	"os"
	"os/exec"
)

// usage is not known on this system.
func usage(*os.ProcessState) (signal string, peak int64) { return "", 0 }

func apart(*exec.Cmd, bool) {}

// Processes cannot be stopped and continued on this system: both names are an interrupt.
var stopSignal, continueSignal = os.Interrupt, os.Interrupt
