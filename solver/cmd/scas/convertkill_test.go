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
	path, want, conversionTime := writeAndConvert(t, dir)
	rng := rand.New(rand.NewPCG(1, 9))
	killedRuns, resumedRuns := 0, 0
	for attempt := 0; attempt < 4 || resumedRuns == 0 && attempt < 60; attempt++ {
		out := filepath.Join(dir, "out.scas")
		oldContent := []byte(nil)
		if attempt%2 == 1 {
			oldContent = []byte("something else")
			if err := os.WriteFile(out, oldContent, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		for range 1 + attempt%4 {
			c := exec.Command("scas", "convert", path, out)
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Duration(rng.Float64() * float64(conversionTime)))
			c.Process.Kill()
			if c.Wait() == nil {
				break // the conversion ended before the kill
			}
			killedRuns++
			if now, err := os.ReadFile(out); err == nil && !bytes.Equal(now, oldContent) &&
				!bytes.Equal(now, want) || err != nil && oldContent != nil {
				t.Fatalf("round %d: after a kill %d bytes, %v", attempt, len(now), err)
			}
		}
		if message, _ := succeed(t, "convert", path, out); strings.Contains(message, "by an earlier run") {
			resumedRuns++
		}
		if now, err := os.ReadFile(out); err != nil || !bytes.Equal(now, want) {
			t.Fatalf("round %d: other bytes, %v", attempt, err)
		}
		names := []string{}
		entries, err := os.ReadDir(dir)
		for _, e := range entries {
			names = append(names, e.Name())
		}
		if err != nil || !slices.Equal(names, []string{"in.svm", "out.scas"}) {
			t.Fatalf("round %d left %v, %v", attempt, names, err)
		}
		os.Remove(out)
	}
	t.Logf("%d kills; %d conversions went on where another was killed", killedRuns, resumedRuns)
	if resumedRuns == 0 {
		t.Error("no conversion was killed on its way")
	}
}

// writeAndConvert writes a large file of LIBSVM text and converts it. It returns the name of the text file,
// the bytes of the converted file, and the time of the conversion.
func writeAndConvert(t *testing.T, dir string) (path string, want []byte, duration time.Duration) {
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
	start := time.Now()
	succeed(t, "convert", path, out)
	duration, want = time.Since(start), []byte(textOf(t, out))
	os.Remove(out)
	return path, want, duration
}
