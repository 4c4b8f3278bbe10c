// Package atomicfile replaces files so that a reader, or a crash at any moment,
// finds either the old content or the whole new one.
package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Write calls fill with a new temporary file beside path, syncs it to disk and
// renames it to path. The file gets the permissions of the file that it replaces; if
// there is none, perm less the umask. If fill or any step fails, path is untouched, the
// temporary file is removed and the error is returned (an error of fill unchanged). A
// symbolic link to a file is replaced, not followed. A device or pipe cannot be
// replaced: Write writes to it directly.
//
// A killed process leaves its temporary file, .NAME.*.tmp, beside path. This file has no effect,
// and the next Write to path removes it if the system has file locks.
func Write(path string, perm fs.FileMode, fill func(io.Writer) error) error {
	p, err := Prepare(path, perm, fill)
	if err != nil {
		return err
	}
	return p.Commit()
}

// A Prepared file is written, synced and closed under a temporary name in the directory of
// its path, and not yet renamed to its path.
type Prepared struct {
	path string
	temp string   // the temporary name; empty for a device or pipe, and after Commit or Discard
	lock *os.File // open file whose lock keeps other processes from removing temp as stale; nil without locks
}

// Prepare does all steps of Write except the rename. The caller must then call Commit, which
// renames the file, or Discard, which removes it. Prepare writes to a device or pipe at once.
func Prepare(path string, perm fs.FileMode, fill func(io.Writer) error) (*Prepared, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return &Prepared{path: path}, writeThrough(path, fill)
	}
	dir, base := filepath.Split(path)
	if dir == "" {
		dir = "."
	}
	removeStale(dir, base)
	f, err := createTemp(dir, base, perm)
	if err != nil {
		return nil, errorf("writing %s: %w", path, err)
	}
	p := &Prepared{path: path, temp: f.Name()}
	done := false
	defer func() {
		if !done { // after an error, or a panic in fill
			f.Close()
			p.Discard()
		}
	}()
	if err := fill(f); err != nil {
		return nil, err
	}
	for _, step := range []func() error{
		func() error {
			if info == nil {
				return nil
			}
			return f.Chmod(info.Mode().Perm())
		},
		f.Sync,
		func() (err error) {
			p.lock, err = keepLock(f)
			return err
		},
		f.Close,
	} {
		if err := step(); err != nil {
			return nil, errorf("writing %s: %w", path, err)
		}
	}
	done = true
	return p, nil
}

// Commit renames the file to its path. If that fails, the path is untouched and the
// temporary file is removed.
func (p *Prepared) Commit() error {
	defer p.Discard()
	if p.temp == "" {
		return nil
	}
	if err := os.Rename(p.temp, p.path); err != nil {
		return errorf("writing %s: %w", p.path, err)
	}
	p.temp = ""
	syncDir(filepath.Dir(p.path))
	return nil
}

// Discard removes the temporary file. After Commit it has no effect.
func (p *Prepared) Discard() {
	if p.temp != "" {
		os.Remove(p.temp)
		p.temp = ""
	}
	if p.lock != nil {
		p.lock.Close() // its error does not matter: nothing was written through this handle
		p.lock = nil
	}
}

// stem returns the beginning of the names of base's temporary files. It is cut so that a
// whole name stays below the 255 bytes that file systems allow.
func stem(base string) string {
	return "." + strings.ToValidUTF8(base[:min(len(base), 200)], "") + "."
}

const suffix = ".tmp"

// createTemp creates a new temporary file, and locks it if the system has file locks. The
// lock ends when the file, and the copy that keepLock makes, are closed.
func createTemp(dir, base string, perm fs.FileMode) (*os.File, error) {
	for {
		name := filepath.Join(dir, fmt.Sprintf("%s%08x%s", stem(base), rand.Uint32(), suffix))
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil || claim(f) {
			return f, err
		}
		f.Close()
	}
}

// claim locks a new file and reports whether the file still exists. Before the file is
// locked, another process may take it for stale, lock it and remove it; claim waits for
// about 0.1 s until that process has released its lock.
func claim(f *os.File) bool {
	for try := 0; !Lock(f) && Locks && try < 100; try++ { // a file system without locks fails every try
		time.Sleep(time.Millisecond)
	}
	own, err := f.Stat()
	there, missing := os.Lstat(f.Name())
	if err != nil || missing != nil {
		return !errors.Is(missing, fs.ErrNotExist) // after any other error, assume that the file exists
	}
	return os.SameFile(own, there)
}

// removeStale removes the temporary files for base that no process has locked. It ignores
// errors, since a stale file does not affect what is written.
func removeStale(dir, base string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		prefix, name := stem(base), e.Name()
		if len(name) != len(prefix)+8+len(suffix) || name[:len(prefix)] != prefix || filepath.Ext(name) != suffix {
			continue
		}
		if info, err := e.Info(); err != nil || !info.Mode().IsRegular() {
			continue
		}
		path := filepath.Join(dir, name)
		if f, err := os.Open(path); err == nil {
			if Lock(f) {
				os.Remove(path)
			}
			f.Close()
		}
	}
}

// Probe returns the error that Write to path would get when it creates its temporary file.
// Probe finds out by creating such a file and removing it.
func Probe(path string) error {
	dir, base := filepath.Split(path)
	if dir == "" {
		dir = "."
	}
	f, err := createTemp(dir, base, 0o600)
	if err != nil {
		return errorf("writing %s: %w", path, err)
	}
	f.Close()
	return os.Remove(f.Name())
}

// writeThrough writes to a device or pipe directly.
func writeThrough(path string, fill func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return errorf("%w", err)
	}
	err = fill(f)
	if closing := f.Close(); err == nil && closing != nil {
		return errorf("%w", closing)
	}
	return err
}

// syncDir makes a rename in dir durable. It ignores errors: some file systems cannot sync
// a directory, and the new file is complete without it.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		d.Close()
	}
}

// Followed returns the path to write to so that a symbolic link stays a link: the target if
// path is a link, whether or not the target exists, and path otherwise.
func Followed(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	at := path
	for range 40 { // Linux follows at most 40 links, too
		target, err := os.Readlink(at)
		if err != nil {
			return at
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(at), target)
		}
		at = target
	}
	return path
}
