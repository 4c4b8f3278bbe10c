//go:build !unix

package program

import (
	"os"
	"os/exec"
)

// usage returns "" and 0, because the signal and the largest resident size are not known on this system.
func usage(*os.ProcessState) (signal string, peak int64) { return "", 0 }

func isolate(*exec.Cmd, bool) {}
