package atomicfile

import (
	"errors"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/scas-admm/scas/sparse/sparsetest"
)

// TestCloseFails checks that an error of close is detected before the old file is replaced.
// Network file systems report lost data by such an error.
func TestCloseFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	sparsetest.Must(t, Write(path, 0o644, writerOf("old")))
	result := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread, in which close fails, ends with the goroutine
		if err := failClose(); err != nil {
			result <- err
			return
		}
		result <- Write(path, 0o644, writerOf("new"))
	}()
	switch err := <-result; {
	case errors.Is(err, errors.ErrUnsupported):
		t.Skip("no seccomp filters here")
	case !errors.Is(err, syscall.EIO):
		t.Errorf("error %v, want %v", err, syscall.EIO)
	}
	wantOnlyFile(t, path, "old")
}

// failClose makes close fail with EIO in this thread.
func failClose() error {
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS}, // load the number of the system call
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_CLOSE, Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(syscall.EIO)},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	if err == nil {
		err = unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0)
	}
	if err != nil {
		return errors.Join(err, errors.ErrUnsupported)
	}
	return nil
}
