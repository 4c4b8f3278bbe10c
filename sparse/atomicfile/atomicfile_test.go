package atomicfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

func put(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

// wantOnly checks that dir holds the one file with the content, and nothing else.
func wantOnly(t *testing.T, path, content string) {
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
		if err := Write(path, 0o640, put(content)); err != nil {
			t.Fatal(err)
		}
		wantOnly(t, path, content)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v; want 0640", info.Mode(), err)
	}
}

func TestFailureLeavesTheOldFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := Write(path, 0o644, put("old")); err != nil {
		t.Fatal(err)
	}
	boom := errors.New("boom")
	err := Write(path, 0o644, func(w io.Writer) error {
		if err := put("half of the ne")(w); err != nil {
			return err
		}
		return boom
	})
	if err != boom {
		t.Errorf("error %v, want the one of fill", err)
	}
	wantOnly(t, path, "old")
}

func TestPanicLeavesTheOldFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := Write(path, 0o644, put("old")); err != nil {
		t.Fatal(err)
	}
	func() {
		defer func() { _ = recover() }()
		_ = Write(path, 0o644, func(io.Writer) error { panic("boom") })
	}()
	wantOnly(t, path, "old")
}

func TestWriteToNowhere(t *testing.T) {
	err := Write(filepath.Join(t.TempDir(), "none", "f"), 0o644, put("x"))
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v, want one matching os.ErrNotExist", err)
	}
}

// A target that is no regular file is written to, not replaced.
func TestWriteToDevice(t *testing.T) {
	if err := Write(os.DevNull, 0o644, put("x")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(os.DevNull)
	if err != nil || info.Mode().IsRegular() {
		t.Errorf("%s is now %v, %v", os.DevNull, info.Mode(), err)
	}
}
