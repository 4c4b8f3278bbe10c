package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/scas-admm/scas/sparse"
)

// A truncateOnWrite is a buffer for stderr. When it first gets a text other than a report of reading, it
// shortens the file at path to size bytes.
type truncateOnWrite struct {
	lockedBuffer
	once sync.Once
	path string
	size int64
}

func (c *truncateOnWrite) Write(p []byte) (int, error) {
	if !bytes.Contains(p, []byte(": reading")) {
		c.once.Do(func() {
			if err := os.Truncate(c.path, c.size); err != nil {
				panic(err)
			}
		})
	}
	return c.lockedBuffer.Write(p)
}

// TestFileShrinks checks that a command fails, names the file and writes no model if a mapped file becomes
// shorter while the command works. The loss of one byte must be noticed, too.
func TestFileShrinks(t *testing.T) {
	s := newSynthetic(t, sparse.SyntheticOptions{Rows: 30000, Features: 60})
	dir := t.TempDir()
	path, model := filepath.Join(dir, "d.scas"), filepath.Join(dir, "m.json")
	for k, args := range []string{
		"train --method scas-k --passes 100", "train --lambda 1e-3 --intercept --tol 1e-12",
		"train --lambda 1e-3", "cv --folds 3 --lambdas 20", "path --lambdas 20",
	} {
		for _, share := range []float64{0, 1, 0.3} {
			if testing.Short() && (k > 1 || share == 0.3) {
				continue
			}
			os.Remove(path)
			writeData(t, dir, "d.scas", s.Dataset)
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			stderr := &truncateOnWrite{path: path, size: min(int64(share*float64(info.Size())), info.Size()-1)}
			r := runWith(t, env{stderr: stderr, interval: time.Millisecond}, append(strings.Fields(args), "-o", model, path)...)
			message := stderr.String()
			if _, err := os.Stat(model); r.code != exitIO ||
				!strings.Contains(message, "scas: "+path+": changed while it was read") || err == nil ||
				r.out != "" {
				t.Errorf("%s, %d bytes of %d left: exit code %d, model %v: %s %s",
					args, stderr.size, info.Size(), r.code, err, message, r.out)
				os.Remove(model)
			}
		}
	}
}
