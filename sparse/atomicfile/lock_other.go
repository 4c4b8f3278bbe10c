//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package atomicfile

import "os"

// Lock returns false, because this package has no file locks on this system.
func Lock(*os.File) bool { return false }

// keepLock returns nil: there is no lock to keep.
func keepLock(*os.File) (*os.File, error) { return nil, nil }

// Locks reports whether this package has file locks on this system.
const Locks = false
