//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package atomicfile

import (
	"errors"
	"os"
)

// Lock returns an error, because this package has no file locks on this system.
func Lock(f *os.File) error { return errorf("locking %s: %w", f.Name(), errors.ErrUnsupported) }

// keepLock returns nil: there is no lock to keep.
func keepLock(*os.File) (*os.File, error) { return nil, nil }
