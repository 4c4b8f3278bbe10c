//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package atomicfile

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Lock locks f without waiting, and returns true if it has the lock. The lock ends when f and its
// duplicates are closed, or the process ends.
func Lock(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

// keepLock returns a duplicate of f, which keeps the lock when f is closed.
func keepLock(f *os.File) (*os.File, error) {
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}

// Locks reports whether this package has file locks on this system.
const Locks = true
