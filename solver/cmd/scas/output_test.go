package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/scas-admm/scas/sparse"
)

// TestOutputNotPlaced checks that write returns an error if a file cannot be renamed to its final name.
func TestOutputNotPlaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.json")
	out := outputs{{"-o", path, func(w io.Writer) error {
		_, err := io.WriteString(w, "model")
		return err
	}}}
	e := &env{ctx: context.Background(), matrices: new([]*sparse.CSR)}
	if err := out.write(e, func() error { return os.Mkdir(path, 0o777) }); err == nil {
		t.Error("a directory took the place of the file, and there is no error")
	}
}

// TestOutputInterrupted checks that an interrupt ends the writing of a file, and that no file is left.
func TestOutputInterrupted(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	out := outputs{{"-o", filepath.Join(dir, "data.csv"), func(w io.Writer) error {
		if _, err := io.WriteString(w, "first part"); err != nil {
			t.Errorf("before the interrupt: %v", err)
		}
		cancel()
		_, err := io.WriteString(w, "second part")
		return err
	}}}
	err := out.write(&env{ctx: ctx}, func() error { t.Error("the result is shown"); return nil })
	if files, _ := os.ReadDir(dir); exitCode(err) != exitInterrupted || len(files) > 0 {
		t.Errorf("%v, and %d files are left", err, len(files))
	}
}
