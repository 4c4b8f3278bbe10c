// Package atomicfile replaces files so that a reader, or a crash at any moment,
// finds either the old content or the whole new one.
package atomicfile

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Write calls fill with a new temporary file beside path, syncs it to disk and
// renames it to path with permission perm. If fill or any step fails, path is
// untouched, the temporary file is removed and the error returned (errors of
// fill as they are). A path that is a symbolic link to a file is replaced, not
// followed; a device or pipe, which cannot be replaced, is written to.
func Write(path string, perm fs.FileMode, fill func(io.Writer) error) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return writeThrough(path, fill)
	}
	dir, base := filepath.Split(path)
	if dir == "" {
		dir = "."
	}
	f, err := os.CreateTemp(dir, "."+base+".*.tmp")
	if err != nil {
		return fmt.Errorf("atomicfile: writing %s: %w", path, err)
	}
	done := false
	defer func() {
		if !done { // fill may have panicked, too
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if err := fill(f); err != nil {
		return err
	}
	for _, step := range []func() error{
		func() error { return f.Chmod(perm) },
		f.Sync,
		f.Close,
		func() error { return os.Rename(f.Name(), path) },
	} {
		if err := step(); err != nil {
			return fmt.Errorf("atomicfile: writing %s: %w", path, err)
		}
	}
	done = true
	syncDir(dir)
	return nil
}

func writeThrough(path string, fill func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("atomicfile: %w", err)
	}
	err = fill(f)
	if closing := f.Close(); err == nil && closing != nil {
		return fmt.Errorf("atomicfile: %w", closing)
	}
	return err
}

// syncDir makes the rename itself durable. Not every file system lets a
// directory be synced, and the new file is complete either way.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		d.Close()
	}
}

// Followed returns the file that path leads to, if it is a symbolic link: where to write
// so that links stay links.
func Followed(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}
