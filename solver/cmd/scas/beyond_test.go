package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/scas-admm/scas/sparse"
)

// TestBeyondMemory: a process trains within its memory on data that are larger, to what it
// reaches in memory, and refuses what it cannot keep.
func TestBeyondMemory(t *testing.T) {
	if testing.Short() || runtime.GOOS != "linux" {
		t.Skip("it takes seconds, and reads /proc")
	}
	d, err := sparse.NewSynthetic(sparse.SyntheticOptions{Rows: 300000, Features: 60, Groups: 3, GroupSize: 5, Noise: 1, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "d.scas")
	if err := sparse.WriteFile(path, &sparse.Dataset{X: d.X, Labels: d.Labels}); err != nil {
		t.Fatal(err)
	}
	d = nil
	type report struct {
		Status    string  `json:"status"`
		Objective float64 `json:"objective"`
		Gap       float64 `json:"duality_gap"`
		Peak      int64   `json:"peak_memory"`
		Plan      string  `json:"plan"`
	}
	train := func(args ...string) (r report) {
		t.Helper()
		text := scas(t, "scas", nil, append([]string{"train", "--json", "--lambda", "1e-3", path}, args...)...)
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	whole := train("--memory", "4GiB")
	const limit = 140 << 20
	info, err := os.Stat(path)
	if err != nil || info.Size() < 3*limit/2 {
		t.Fatalf("%d bytes are too few, %v", info.Size(), err)
	}
	for _, env := range [][]string{nil, {"GOMEMLIMIT=140MiB"}} {
		args := []string{"--memory", "140MiB"}
		if env != nil {
			args = nil
			t.Setenv("GOMEMLIMIT", "140MiB")
		}
		r := train(args...)
		if r.Plan != "streamed" || r.Status != "converged" || r.Peak > limit || math.Abs(r.Objective-whole.Objective) > r.Gap+whole.Gap || r.Gap > 1e-6 {
			t.Errorf("%v: %+v, in memory %+v", env, r, whole)
		}
	}
}
