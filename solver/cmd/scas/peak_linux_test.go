package main

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// peakMain runs scas with the arguments of this process, and prints the peak memory of scas in kilobytes.
// The peak that Linux reports is at least the memory of the process that starts scas. So peakMain runs in a
// new process, which needs less memory than the tests.
func peakMain() {
	cmd := exec.Command("scas", os.Args[1:]...)
	cmd.Stderr = os.Stderr
	_ = cmd.Run()
	fmt.Println(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
	os.Exit(cmd.ProcessState.ExitCode())
}

// peakOf runs scas in a new process, and returns its exit code and its peak memory in bytes.
func peakOf(t *testing.T, args ...string) (code int, bytes int64) {
	t.Helper()
	cmd := exec.Command("scas-peak", args...)
	out, err := cmd.Output() // if scas fails, err is not nil, but out has the peak
	kilobytes, parseErr := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
	if parseErr != nil {
		t.Fatalf("%v: %v, %v", args, parseErr, err)
	}
	return cmd.ProcessState.ExitCode(), kilobytes << 10
}
