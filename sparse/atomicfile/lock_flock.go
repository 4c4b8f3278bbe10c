//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package atomicfile

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Lock locks a file. It returns false if another process or descriptor holds the lock. Closing the
// file, or the end of the process, releases the lock.
func Lock(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

// keepLock returns a second descriptor of f, which has f's lock and keeps it when f is closed.
func keepLock(f *os.File) (*os.File, error) {
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}

// Locks reports whether this system has file locks.
const Locks = true
