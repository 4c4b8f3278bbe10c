//go:build unix

package attack

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// usage returns the signal that ended a process, if one did, and the bytes that it had
// resident at most.
func usage(s *os.ProcessState) (signal string, peak int64) {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		signal = w.Signal().String()
	}
	if u, ok := s.SysUsage().(*syscall.Rusage); ok {
		peak = int64(u.Maxrss)
		if runtime.GOOS != "darwin" { // which counts bytes
			peak <<= 10
		}
	}
	return signal, peak
}

// apart gives a command a process group of its own, all of which is killed when its time
// is over, and if asked the rights of nobody.
func apart(cmd *exec.Cmd, nobody bool) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if nobody && os.Getuid() == 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: 65534, Gid: 65534}
	}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// What stops a process and lets it go on.
const (
	stopSignal     = syscall.SIGSTOP
	continueSignal = syscall.SIGCONT
)
