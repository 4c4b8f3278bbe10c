//go:build unix

package program

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// Signals has the signals that a process can be sent, by their names without SIG. It is nil on systems
// without signals.
var Signals = map[string]os.Signal{
	"KILL": syscall.SIGKILL, "INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP,
	"STOP": syscall.SIGSTOP, "CONT": syscall.SIGCONT,
}

// signalAndPeak returns the name of the signal that ended a process, or "" if no signal did, and the largest
// resident size of the process in bytes.
func signalAndPeak(s *os.ProcessState) (signal string, peak int64) {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		signal = w.Signal().String()
	}
	if u, ok := s.SysUsage().(*syscall.Rusage); ok {
		peak = int64(u.Maxrss)
		if runtime.GOOS != "darwin" { // Darwin counts bytes, all other systems count KiB
			peak <<= 10
		}
	}
	return signal, peak
}

// Isolate gives a command its own process group. The end of the command's context then kills all processes of
// this group.
func Isolate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// becomeNobody makes a command run as the user nobody, if this process runs as root. Isolate must come first.
func becomeNobody(cmd *exec.Cmd) {
	if os.Getuid() == 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: 65534, Gid: 65534}
	}
}
