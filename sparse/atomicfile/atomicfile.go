// Package atomicfile replaces files. A reader finds either the whole old content or the whole new
// content, even after a crash.
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

// Write calls fill with a new temporary file in the directory of path, syncs the file to disk and
// renames it to path. If a step fails, path is unchanged and the temporary file is removed. An error
// of fill is returned unchanged. If path exists, the new file gets the permissions of the old file;
// otherwise it gets perm less the umask. If path is a symbolic link, Write writes the file to which
// the link leads.
//
// A device, a pipe, and a file that is the standard output or error of the process get no temporary
// file: fill writes to them directly.
//
// A killed process leaves its temporary file, .NAME.*.tmp, in the directory. The next Write to
// path removes that file if the system has file locks.
func Write(path string, perm fs.FileMode, fill func(io.Writer) error) error {
	p, err := Prepare(path, perm, fill)
	if err != nil {
		return err
	}
	return p.Commit()
}

// A Prepared file is complete on disk under a temporary name. Commit renames it to its path.
type Prepared struct {
	path string
	temp string   // the temporary name; empty if the file is written directly, and after Commit or Discard
	lock *os.File // keeps temp locked, so that no process removes it as stale; nil without file locks
}

// Prepare does all steps of Write except the rename. The caller must then call Commit, which
// renames the file, or Discard, which removes it. If path is a device, a pipe, or the standard output or
// error, Prepare writes to it directly, and Commit and Discard have no effect.
func Prepare(path string, perm fs.FileMode, fill func(io.Writer) error) (*Prepared, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return &Prepared{path: path}, writeThrough(path, fill)
	}
	if f := standardFile(info); f != nil {
		return &Prepared{path: path}, fill(f)
	}
	path = Followed(path)
	removeStale(path)
	f, err := createTemp(path, perm)
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
	if info != nil {
		err = f.Chmod(info.Mode().Perm())
	}
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		p.lock, err = keepLock(f)
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		return nil, errorf("writing %s: %w", path, err)
	}
	done = true
	return p, nil
}

// Commit renames the file to its path. If that fails, the path is unchanged and the temporary
// file is removed.
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

// stem returns the text that the names of temporary files for path begin with. It is short enough
// that the names have at most 255 bytes, the limit of file systems.
func stem(path string) string {
	base := filepath.Base(path)
	return "." + strings.ToValidUTF8(base[:min(len(base), 200)], "") + "."
}

// A temporary name consists of the stem, a random number with digitCount hexadecimal digits, and the suffix.
const digitCount, suffix = 8, ".tmp"

// createTemp creates a new temporary file for path, and locks it if the system has file locks. The lock
// ends when the file and the duplicate that keepLock makes are closed.
func createTemp(path string, perm fs.FileMode) (*os.File, error) {
	for {
		name := filepath.Join(filepath.Dir(path),
			fmt.Sprintf("%s%0*x%s", stem(path), digitCount, rand.Uint32(), suffix))
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

// ErrLocked is the error of Lock for a file that is locked already.
var ErrLocked = errorf("the file is locked")

// claim locks a new file and reports whether the file still exists: another process may have
// locked and removed it as stale. claim waits up to 0.1 s for the lock.
func claim(f *os.File) bool {
	// On a file system without locks, every Lock fails with another error.
	for try := 0; Lock(f) == ErrLocked && try < 100; try++ {
		time.Sleep(time.Millisecond)
	}
	info, err := f.Stat()
	currentInfo, statErr := os.Lstat(f.Name())
	if err != nil || statErr != nil {
		return !errors.Is(statErr, fs.ErrNotExist) // after any other error, assume that the file exists
	}
	return os.SameFile(info, currentInfo)
}

// removeStale removes the temporary files for path that no process has locked. It ignores errors,
// because a stale file does no harm.
func removeStale(path string) {
	dir, prefix := filepath.Dir(path), stem(path)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		name := e.Name()
		middle, hasPrefix := strings.CutPrefix(name, prefix)
		digits, hasSuffix := strings.CutSuffix(middle, suffix)
		if !hasPrefix || !hasSuffix || len(digits) != digitCount ||
			strings.Trim(digits, "0123456789abcdef") != "" {
			continue
		}
		if info, err := e.Info(); err != nil || !info.Mode().IsRegular() {
			continue
		}
		stalePath := filepath.Join(dir, name)
		// On NFS, Lock works only if the file is open for writing.
		f, err := os.OpenFile(stalePath, os.O_RDWR, 0)
		if err != nil {
			f, err = os.Open(stalePath)
		}
		if err == nil {
			if Lock(f) == nil {
				os.Remove(stalePath)
			}
			f.Close()
		}
	}
}

// Probe creates a temporary file in the directory of path and removes it. It returns an error if
// this fails.
func Probe(path string) error {
	f, err := createTemp(path, 0o600)
	if err != nil {
		return errorf("writing %s: %w", path, err)
	}
	f.Close()
	// A concurrent Write to path may have removed the file as stale once Close had unlocked it.
	if err := os.Remove(f.Name()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return errorf("writing %s: %w", path, err)
	}
	return nil
}

// writeThrough writes to a device or pipe directly.
func writeThrough(path string, fill func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return errorf("%w", err)
	}
	err = fill(f)
	if closeErr := f.Close(); err == nil && closeErr != nil {
		return errorf("%w", closeErr)
	}
	return err
}

// standardFile returns the standard output or error of the process if info describes its file, and otherwise
// nil. Replacing that file would lose its content and all later output. info may be nil.
func standardFile(info fs.FileInfo) *os.File {
	for _, f := range []*os.File{os.Stdout, os.Stderr} {
		if streamInfo, err := f.Stat(); err == nil && info != nil && os.SameFile(info, streamInfo) {
			return f
		}
	}
	return nil
}

// syncDir makes a rename in dir durable. It ignores errors, because some file systems cannot sync
// a directory.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		d.Close()
	}
}

// Followed returns the path of the file that path leads to through symbolic links. The file need
// not exist.
func Followed(path string) string {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		return resolved
	}
	link := path
	for range 40 { // as many links as Linux follows
		dir, name := filepath.Split(link)
		target, err := os.Readlink(link)
		if err != nil {
			if resolved, err := filepath.EvalSymlinks(dir); err == nil {
				return filepath.Join(resolved, name)
			}
			return link
		}
		if !filepath.IsAbs(target) {
			// Not filepath.Join, which would remove ".." together with the element before it. If this
			// element is a link, ".." is the parent of the directory to which it leads.
			target = dir + target
		}
		link = target
	}
	return path
}
