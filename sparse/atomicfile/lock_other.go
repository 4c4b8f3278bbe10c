//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package atomicfile

import "os"

// Lock returns false: files are not known to be abandoned.
func Lock(*os.File) bool { return false }

// keepLock returns nil: there is no lock to keep.
func keepLock(*os.File) (*os.File, error) { return nil, nil }

// Locks reports whether this system has locks of files.
const Locks = false
