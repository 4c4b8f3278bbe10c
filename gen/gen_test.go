package gen

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

const kernelsDir = "../kernels"

// TestCurrent checks that the repository contains exactly the generated files that Generate returns.
func TestCurrent(t *testing.T) {
	files, err := Generate(kernelsDir)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(kernelsDir, name))
		if err != nil {
			t.Error(err)
		} else if !bytes.Equal(got, want) {
			t.Errorf("kernels/%s is stale; run go generate ./kernels", name)
		}
	}
	paths, err := filepath.Glob(filepath.Join(kernelsDir, "z*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if files[filepath.Base(path)] == nil {
			t.Errorf("kernels/%s is not generated any more; delete it", filepath.Base(path))
		}
	}
}
