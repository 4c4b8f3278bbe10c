//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package atomicfile

import (
	"os"
	"syscall"
)

// Lock takes the lock of a file, which closing it, or the end of the process, releases;
// false if another has it.
func Lock(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

// Locks reports whether this system has locks of files.
const Locks = true
