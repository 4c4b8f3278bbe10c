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
// renames it to path: with the permissions of the file that it replaces, or perm
// less the umask. If fill or any step fails, path is untouched, the temporary file is
// removed and the error returned (errors of fill as they are). A path that is a
// symbolic link to a file is replaced, not followed; a device or pipe, which cannot be
// replaced, is written to.
//
// What a killed process leaves, .NAME.*.tmp beside path, has no effect and is removed
// by the next Write to path, where files have locks.
func Write(path string, perm fs.FileMode, fill func(io.Writer) error) error {
	p, err := Prepare(path, perm, fill)
	if err != nil {
		return err
	}
	return p.Commit()
}

// A Prepared file is written, synced and closed beside its path, and is not yet in its place.
type Prepared struct {
	path string
	temp string   // the name it has until Commit; empty for a device or pipe, and after the end
	lock *os.File // keeps other processes from taking temp for abandoned; nil without locks
}

// Prepare does what Write does, but for the last step: Commit puts the file in its place,
// Discard removes it. One of the two must follow. To a device or pipe Prepare writes at once.
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
		return nil, fmt.Errorf("atomicfile: writing %s: %w", path, err)
	}
	p := &Prepared{path: path, temp: f.Name()}
	done := false
	defer func() {
		if !done { // fill may have panicked, too
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
			return nil, fmt.Errorf("atomicfile: writing %s: %w", path, err)
		}
	}
	done = true
	return p, nil
}

// Commit puts the file in its place. If that fails, the path is untouched and the file is
// removed.
func (p *Prepared) Commit() error {
	defer p.Discard()
	if p.temp == "" {
		return nil
	}
	if err := os.Rename(p.temp, p.path); err != nil {
		return fmt.Errorf("atomicfile: writing %s: %w", p.path, err)
	}
	p.temp = ""
	syncDir(filepath.Dir(p.path))
	return nil
}

// Discard removes the file. After Commit it has no effect.
func (p *Prepared) Discard() {
	if p.temp != "" {
		os.Remove(p.temp)
		p.temp = ""
	}
	if p.lock != nil {
		p.lock.Close() // nothing was written to it that an error could be about
		p.lock = nil
	}
}

// stem begins the names of base's temporary files. It is short enough for all of a
// name, of which file systems take 255 bytes.
func stem(base string) string {
	return "." + strings.ToValidUTF8(base[:min(len(base), 200)], "") + "."
}

const suffix = ".tmp"

// createTemp makes a new file, locked as long as it is open where there are locks.
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

// claim locks a file that is new, and reports whether it is still there: until it was
// locked, another process may have taken it for abandoned, and holds its lock then only to
// remove it.
func claim(f *os.File) bool {
	for try := 0; !Lock(f) && Locks && try < 100; try++ { // the last for file systems without locks
		time.Sleep(time.Millisecond)
	}
	own, err := f.Stat()
	there, gone := os.Lstat(f.Name())
	return err != nil || gone == nil && os.SameFile(own, there)
}

// removeStale removes the temporary files for base that no process holds open. Failing
// to has no effect on what is written.
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

// Probe returns the error that Write to path would meet in making its temporary file,
// whose like it makes and removes.
func Probe(path string) error {
	dir, base := filepath.Split(path)
	if dir == "" {
		dir = "."
	}
	f, err := createTemp(dir, base, 0o600)
	if err != nil {
		return fmt.Errorf("atomicfile: writing %s: %w", path, err)
	}
	f.Close()
	return os.Remove(f.Name())
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

// Followed returns the file that path leads to, if it is a symbolic link, whether or not
// the file is there: where to write so that links stay links.
func Followed(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	at := path
	for range 40 { // as many as Linux follows
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
