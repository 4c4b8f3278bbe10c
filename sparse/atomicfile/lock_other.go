//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package atomicfile

import "os"

// Lock returns false: without file locks, no file is ever known to be abandoned.
func Lock(*os.File) bool { return false }

// keepLock returns nil: there is no lock to keep.
func keepLock(*os.File) (*os.File, error) { return nil, nil }

// Locks reports whether this system has file locks.
const Locks = false
