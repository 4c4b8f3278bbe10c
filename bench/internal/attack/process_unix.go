//go:build unix

package torture

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
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

// guardedMemory returns so many bytes, whole pages, before and after which are pages that
// nothing may touch. They stay for as long as the process does.
func guardedMemory(n int) ([]byte, error) {
	page := os.Getpagesize()
	m, err := syscall.Mmap(-1, 0, n+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil, err
	}
	for _, guard := range [][]byte{m[:page], m[page+n:]} {
		if err := syscall.Mprotect(guard, syscall.PROT_NONE); err != nil {
			return nil, err
		}
	}
	return m[page : page+n : page+n], nil
}

// processorTime is how long this process has had processors; the argument matters where
// that is not known.
func processorTime(time.Time) time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
