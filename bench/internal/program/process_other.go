//go:build !unix

package program

import (
	"os"
	"os/exec"
)

// Signals is nil, because this system has no signals.
var Signals map[string]os.Signal

// signalAndPeak returns "" and 0, because neither the signal nor the largest resident size is
// known on this system.
func signalAndPeak(*os.ProcessState) (signal string, peak int64) { return "", 0 }

// Isolate does nothing on this system: it has no process groups.
func Isolate(*exec.Cmd) {}

func becomeNobody(*exec.Cmd) {}
