package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/scas-admm/scas/sparse/sparsetest"
)

func writerOf(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

// wantOnlyFile checks that path has the given content and is the only file in its directory.
func wantOnlyFile(t *testing.T, path, content string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || string(got) != content {
		t.Errorf("%s holds %q, %v; want %q", path, got, err, content)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("the directory holds %v, %v; want one file", entries, err)
	}
}

func TestWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	for _, content := range []string{"first", "second, longer", ""} {
		sparsetest.Must(t, Write(path, 0o640, writerOf(content)))
		wantOnlyFile(t, path, content)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v; want 0640", info.Mode(), err)
	}
}

func TestFailureLeavesTheOldFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	sparsetest.Must(t, Write(path, 0o644, writerOf("old")))
	boom := errors.New("boom")
	err := Write(path, 0o644, func(w io.Writer) error {
		if err := writerOf("half of the ne")(w); err != nil {
			return err
		}
		return boom
	})
	if err != boom {
		t.Errorf("error %v, want the one of fill", err)
	}
	wantOnlyFile(t, path, "old")
}

func TestPanicLeavesTheOldFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	sparsetest.Must(t, Write(path, 0o644, writerOf("old")))
	func() {
		defer func() { _ = recover() }()
		_ = Write(path, 0o644, func(io.Writer) error { panic("boom") })
	}()
	wantOnlyFile(t, path, "old")
}

func TestWriteToNowhere(t *testing.T) {
	err := Write(filepath.Join(t.TempDir(), "none", "f"), 0o644, writerOf("x"))
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v, want one matching os.ErrNotExist", err)
	}
}

// TestPrepare checks that Prepare closes and locks the temporary file, that path does not change before
// Commit, and that Discard leaves path unchanged.
func TestPrepare(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	var written *os.File
	prepare := func(s string) *Prepared {
		t.Helper()
		p, err := Prepare(path, 0o644, func(w io.Writer) error {
			written = w.(*os.File)
			return writerOf(s)(w)
		})
		sparsetest.Must(t, err)
		if err := written.Close(); !errors.Is(err, os.ErrClosed) {
			t.Errorf("closing it again: %v, want %v", err, os.ErrClosed)
		}
		return p
	}
	firstFile := prepare("first")
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("before Commit: %v, want %v", err, os.ErrNotExist)
	}
	prepare("other").Discard() // Discard must not remove the temporary file of firstFile, which is in use
	sparsetest.Must(t, firstFile.Commit())
	firstFile.Discard()
	prepare("second").Discard()
	wantOnlyFile(t, path, "first")
}

// TestWriteToDevice checks that Write writes to a device and does not replace it.
func TestWriteToDevice(t *testing.T) {
	sparsetest.Must(t, Write(os.DevNull, 0o644, writerOf("x")))
	info, err := os.Stat(os.DevNull)
	if err != nil || info.Mode().IsRegular() {
		t.Errorf("%s is now %v, %v", os.DevNull, info.Mode(), err)
	}
}

// TestWriteToPipe checks that Write writes to a pipe whose only name is /dev/fd/N. This name is a link
// that leads to no path.
func TestWriteToPipe(t *testing.T) {
	r, w, err := os.Pipe()
	sparsetest.Must(t, err)
	defer r.Close()
	path := fmt.Sprintf("/dev/fd/%d", w.Fd())
	if _, err := os.Stat(path); err != nil {
		t.Skip(err)
	}
	sparsetest.Must(t, errors.Join(Write(path, 0o644, writerOf("x")), w.Close()))
	if b, err := io.ReadAll(r); string(b) != "x" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
}

func TestProbe(t *testing.T) {
	dir := t.TempDir()
	if err := Probe(filepath.Join(dir, "f")); err != nil {
		t.Error(err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("left %v, %v", entries, err)
	}
	if err := Probe(filepath.Join(dir, "none", "f")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v, want one matching os.ErrNotExist", err)
	}
}

// TestLongName checks Write with a name of 255 bytes, the limit of file systems.
func TestLongName(t *testing.T) {
	path := filepath.Join(t.TempDir(), strings.Repeat("n", 255))
	sparsetest.Must(t, Write(path, 0o644, writerOf("x")))
	wantOnlyFile(t, path, "x")
}

// TestConcurrentWriters checks that concurrent calls of Write and Probe with one path succeed. Write removes
// temporary files that no process has locked, also those of Probe.
func TestConcurrentWriters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	var writers sync.WaitGroup
	for range 8 {
		writers.Go(func() {
			for range 50 {
				if err := errors.Join(Probe(path), Write(path, 0o644, writerOf("x"))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	if b, err := os.ReadFile(path); string(b) != "x" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
}

// TestStale checks that Write removes the temporary files that no process has locked, old or new, and no
// other files.
func TestStale(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	old := time.Now().Add(-time.Hour)
	touch := func(name string, modTime time.Time) string {
		t.Helper()
		name = filepath.Join(dir, name)
		sparsetest.Must(t, os.WriteFile(name, nil, 0o600))
		sparsetest.Must(t, os.Chtimes(name, modTime, modTime))
		return name
	}
	touch(".f.01234567.tmp", old)
	want := []string{"f"}
	for _, name := range []string{".f.long-name.tmp", ".f.settings.tmp", ".f.0123456F.tmp", ".g.01234567.tmp", "f.01234567.tmp"} {
		touch(name, old)
		want = append(want, name)
	}
	touch(".f.11234567.tmp", time.Now())
	sparsetest.Must(t, os.Chmod(touch(".f.89abcdef.tmp", old), 0o400))
	lockedFile, err := os.Open(touch(".f.21234567.tmp", old))
	sparsetest.Must(t, err)
	defer lockedFile.Close()
	if Lock(lockedFile) != nil {
		t.Skip("no locks here")
	}
	want = append(want, ".f.21234567.tmp")
	sparsetest.Must(t, Write(path, 0o644, writerOf("x")))
	var got []string
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		got = append(got, e.Name())
	}
	slices.Sort(want)
	if !slices.Equal(got, want) || err != nil {
		t.Errorf("%v, %v are there, want %v", got, err, want)
	}
}

// TestWriteThroughLink checks that Write keeps a link and writes the file to which it leads, whether or not
// this file exists.
func TestWriteThroughLink(t *testing.T) {
	dir := t.TempDir()
	link, path := filepath.Join(dir, "link"), filepath.Join(t.TempDir(), "f")
	if err := os.Symlink(path, link); err != nil {
		t.Skip(err)
	}
	for _, content := range []string{"first", "second"} {
		sparsetest.Must(t, Write(link, 0o644, writerOf(content)))
		wantOnlyFile(t, path, content)
		wantOnlyFile(t, link, content)
		if to, err := os.Readlink(link); err != nil || to != path {
			t.Errorf("the link leads to %q, %v; want %q", to, err, path)
		}
	}
}

// TestFollowed checks Followed for files that do not exist. The element before ".." may be a link to a
// directory; ".." then is the parent of that directory.
func TestFollowed(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	sparsetest.Must(t, err)
	sparsetest.Must(t, os.MkdirAll(filepath.Join(dir, "other", "dir"), 0o755))
	for from, to := range map[string]string{
		"a": "b", "b": "file", "loop": "loop", "d": "other/dir", "other/dir/up": "../x", "through": "d/../y",
		"absolute": dir + "/d/../z",
	} {
		if err := os.Symlink(to, filepath.Join(dir, from)); err != nil {
			t.Skip(err)
		}
	}
	for from, want := range map[string]string{
		"a": "file", "b": "file", "file": "file", "loop": "loop", "none/file": "none/file",
		"d/up": "other/x", "through": "other/y", "absolute": "other/z", "d/../file": "other/file", "d/file": "other/dir/file",
	} {
		path, want := dir+"/"+from, filepath.Join(dir, want)
		if got := Followed(path); got != want {
			t.Errorf("%s leads to %s, want %s", from, got, want)
			continue
		}
		if err := Write(path, 0o644, writerOf(from)); err != nil {
			if from != "loop" && from != "none/file" {
				t.Error(err)
			}
			continue
		}
		if got, err := os.ReadFile(want); string(got) != from || err != nil {
			t.Errorf("%s: the file %s holds %q, %v", from, want, got, err)
		}
		os.Remove(want)
	}
}

// TestStandardOutput checks that Write adds to a file that is the standard output, and does not replace it.
func TestStandardOutput(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666)
	sparsetest.Must(t, err)
	defer f.Close()
	old := os.Stdout
	defer func() { os.Stdout = old }()
	os.Stdout = f
	fmt.Println("before")
	if err := Write(path, 0o666, writerOf("content\n")); err != nil {
		t.Error(err)
	}
	fmt.Println("after")
	wantOnlyFile(t, path, "before\ncontent\nafter\n")
}

// TestLock checks that Lock tells a file that is locked from a file that cannot be locked.
func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	open := func() *os.File {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		sparsetest.Must(t, err)
		t.Cleanup(func() { f.Close() })
		return f
	}
	first, second, closed := open(), open(), open()
	closed.Close()
	if err := Lock(closed); err == nil || err == ErrLocked {
		t.Errorf("a closed file: %v", err)
	}
	if err := Lock(first); err != nil {
		t.Skipf("no locks here: %v", err)
	}
	if err := Lock(second); err != ErrLocked {
		t.Errorf("a locked file: %v, want ErrLocked", err)
	}
	first.Close()
	if err := Lock(second); err != nil {
		t.Errorf("after the lock has ended: %v", err)
	}
}
