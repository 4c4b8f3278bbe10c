// Package check has helpers for the tests of the packages in sparse.
package check

import (
	"io"
	"strings"
	"testing"
)

// Error fails the test if err is nil or if its text lacks one of the fragments.
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

// Text returns the text that w.Write writes.
func Text(t testing.TB, w interface{ Write(io.Writer) error }) string {
	t.Helper()
	var b strings.Builder
	if err := w.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
