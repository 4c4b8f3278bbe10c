package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/scas-admm/scas/sparse"
)

// TestConvertKilled kills conversions at random moments. After a kill, the output file must be unchanged (or
// still absent), or complete. The next conversion must write the same bytes as a conversion that was not
// killed, and leave no temporary files.
func TestConvertKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	dir := t.TempDir()
	path, want, wantTook := killText(t, dir)
	rng := rand.New(rand.NewPCG(1, 9))
	killed, resumed := 0, 0
	for round := 0; round < 4 || resumed == 0 && round < 60; round++ {
		out := filepath.Join(dir, "out.scas")
		content := []byte(nil)
		if round%2 == 1 {
			content = []byte("something else")
			if err := os.WriteFile(out, content, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		for range 1 + round%4 {
			c := exec.Command("scas", "convert", path, out)
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Duration(rng.Float64() * float64(wantTook)))
			c.Process.Kill()
			if c.Wait() == nil {
				break // the conversion ended before the kill
			}
			killed++
			if now, err := os.ReadFile(out); err == nil && !bytes.Equal(now, content) && !bytes.Equal(now, want) || err != nil && content != nil {
				t.Fatalf("round %d: after a kill %d bytes, %v", round, len(now), err)
			}
		}
		if says, _ := succeed(t, "convert", path, out); strings.Contains(says, "by an earlier run") {
			resumed++
		}
		if now, err := os.ReadFile(out); err != nil || !bytes.Equal(now, want) {
			t.Fatalf("round %d: other bytes, %v", round, err)
		}
		names := []string{}
		entries, err := os.ReadDir(dir)
		for _, e := range entries {
			names = append(names, e.Name())
		}
		if err != nil || !slices.Equal(names, []string{"in.svm", "out.scas"}) {
			t.Fatalf("round %d left %v, %v", round, names, err)
		}
		os.Remove(out)
	}
	t.Logf("%d kills; %d conversions went on where another was killed", killed, resumed)
	if resumed == 0 {
		t.Error("no conversion was killed on its way")
	}
}

// killText writes a large file of LIBSVM text and converts it. It returns the name of the text file, the
// bytes of the converted file, and the time of the conversion.
func killText(t *testing.T, dir string) (path string, want []byte, took time.Duration) {
	t.Helper()
	d := newSynthetic(t, sparse.SyntheticOptions{Rows: 60000, Features: 1000, NonzerosPerRow: 30})
	path = writeData(t, dir, "in.svm", d.Dataset)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() < 32<<20 {
		t.Fatalf("%d bytes of text are too few", info.Size())
	}
	out := filepath.Join(dir, "first.scas")
	began := time.Now()
	succeed(t, "convert", path, out)
	took, want = time.Since(began), []byte(textOf(t, out))
	os.Remove(out)
	return path, want, took
}
