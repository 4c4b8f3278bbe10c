//go:build unix

package atomicfile

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/scas-admm/scas/sparse/sparsetest"
)

// TestPermissions checks that the umask applies to a new file, and that a replaced file keeps its
// permissions.
func TestPermissions(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o077))
	path := filepath.Join(t.TempDir(), "f")
	mode := func() os.FileMode {
		t.Helper()
		sparsetest.Must(t, Write(path, 0o666, writerOf("x")))
		info, err := os.Stat(path)
		sparsetest.Must(t, err)
		return info.Mode().Perm()
	}
	if m := mode(); m != 0o600 {
		t.Errorf("under umask 077 a new file has mode %v", m)
	}
	for _, want := range []os.FileMode{0o640, 0o444, 0o600} {
		sparsetest.Must(t, os.Chmod(path, want))
		if m := mode(); m != want {
			t.Errorf("mode %v became %v", want, m)
		}
	}
}
