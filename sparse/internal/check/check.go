// Package check holds what tests of the packages here have in common.
package check

import (
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
