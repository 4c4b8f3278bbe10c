//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package atomicfile

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Lock locks f without waiting. If f is locked already, the error is ErrLocked. Any other error means that f
// cannot be locked, for example because the file system has no locks. The lock ends when f and its duplicates
// are closed, or the process ends.
func Lock(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	switch err {
	case nil:
		return nil
	case syscall.EWOULDBLOCK:
		return ErrLocked
	}
	return errorf("locking %s: %w", f.Name(), err)
}

// keepLock returns a duplicate of f, which keeps the lock when f is closed.
func keepLock(f *os.File) (*os.File, error) {
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}
