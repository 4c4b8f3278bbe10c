//go:build unix

package scasfile

import (
	"os"

	"golang.org/x/sys/unix"
)

// mapFile maps a file. It returns false if the system cannot do so.
func mapFile(f *os.File, size int64) ([]byte, bool) {
	if int64(int(size)) != size {
		return nil, false
	}
	b, err := unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_SHARED)
	return b, err == nil
}

func unmap(b []byte) error { return unix.Munmap(b) }

// The functions below ignore errors, which cost only time or memory.

func willNeed(b []byte) { _ = unix.Madvise(b, unix.MADV_WILLNEED) }

func dontNeed(b []byte) { _ = unix.Madvise(b, unix.MADV_DONTNEED) }
