//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/scas-admm/scas/sparse"
)

// TestMPIBeyond checks two ranks that work out of core. They must stay within --memory, and two runs must
// write the same model. TestMPIKilled and TestMPIStopped disturb jobs.
func TestMPIBeyond(t *testing.T) {
	const memory, limit = "192MiB", 192 << 20
	b := newMPIBed(t)
	data := writeData(t, b.dir, "data.scas", newSynthetic(t, sparse.SyntheticOptions{Rows: 600000, Features: 60}).Dataset)
	args := []string{"--features", "60", "--lambda", "1e-3", "--intercept", "--standardize", "--memory", memory, data}
	var want []byte
	for range 2 {
		path, peak := b.file("model.json"), int64(0)
		j := b.start(t, patience, path, args...)
		for len(j.done) == 0 {
			for _, pid := range j.rankPIDs() {
				status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
				peak = max(peak, fieldBytes(string(status), "VmHWM:"))
			}
			time.Sleep(5 * time.Millisecond)
		}
		if code := j.end(t, patience); code != 0 {
			t.Fatalf("exit code %d: %s", code, &j.out)
		}
		m, err := os.ReadFile(path)
		if err != nil || want != nil && !bytes.Equal(m, want) || !bytes.Contains(m, []byte("streamed-newton")) {
			t.Errorf("other bits, or not in pieces: %v: %s", err, m)
		}
		want = m
		if peak == 0 || peak > limit {
			t.Errorf("a rank took %d MiB of %d", peak>>20, limit>>20)
		}
		t.Logf("peak of a rank %d MiB of %d", peak>>20, limit>>20)
	}
}
