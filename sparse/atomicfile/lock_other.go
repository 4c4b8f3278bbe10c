//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package atomicfile

import "os"

// Lock returns false, because this system has no file locks.
func Lock(*os.File) bool { return false }

// keepLock returns nil: there is no lock to keep.
func keepLock(*os.File) (*os.File, error) { return nil, nil }

// Locks says whether this system has file locks.
const Locks = false
