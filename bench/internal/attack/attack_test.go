package attack

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestShort checks that a few trials of every kind of attack succeed, and that an unknown kind is an error.
func TestShort(t *testing.T) {
	dir := t.TempDir()
	// Some attacks run scas as another user, who must be able to enter these directories.
	for _, d := range []string{dir, filepath.Dir(dir)} {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	tallies, err := Run(t.Context(), Options{Tries: 1, Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("\n%s", Table(tallies))
	for _, tally := range tallies {
		for _, f := range tally.Failed {
			t.Error(f)
		}
		if tally.Skipped == "" && tally.Tried == 0 {
			t.Errorf("%s tried nothing", tally.Kind.Name)
		}
	}
	if _, err := Run(t.Context(), Options{Only: "luck", Dir: dir}); err == nil || !strings.Contains(err.Error(), "bombs") {
		t.Errorf("--only luck: %v", err)
	}
}
