package main

import (
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
	e := &env{matrices: new([]*sparse.CSR)}
	if err := out.write(e, func() error { return os.Mkdir(path, 0o777) }); err == nil {
		t.Error("a directory took the place of the file, and there is no error")
	}
}
