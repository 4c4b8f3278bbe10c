package main

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// peakMain runs a command line of scas, and writes its peak memory, in kilobytes, to standard output.
// It is a process of its own, because the peak of a process begins with the memory of its parent.
func peakMain() {
	cmd := exec.Command("scas", os.Args[1:]...)
	cmd.Stderr = os.Stderr
	_ = cmd.Run()
	fmt.Println(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
	os.Exit(cmd.ProcessState.ExitCode())
}
