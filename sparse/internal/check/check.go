// Package check holds what tests of the packages here have in common.
package check

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Error reports an error that lacks any of the fragments, or is nil.
func Error(t testing.TB, err error, fragments ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error, want one with %q", fragments)
		return
	}
	for _, f := range fragments {
		if !strings.Contains(err.Error(), f) {
			t.Errorf("error %q lacks %q", err, f)
		}
	}
}

// DataFile returns the path of a file of the data directory, or skips the test.
func DataFile(t testing.TB, parts ...string) string {
	t.Helper()
	dir := os.Getenv("SCAS_DATA")
	if dir == "" {
		t.Skipf("SCAS_DATA is not set: not reading %s", filepath.Join(parts...))
	}
	return filepath.Join(append([]string{dir}, parts...)...)
}
