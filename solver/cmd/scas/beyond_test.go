package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
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
	dir := t.TempDir()
	fitted := filepath.Join(dir, "model.json")
	train("--memory", "140MiB", "-o", fitted)
	var outs [2][]byte
	var told [2]string
	for k, memory := range []string{"4GiB", "140MiB"} {
		out := filepath.Join(dir, memory)
		told[k] = scas(t, "scas", nil, "predict", "-m", fitted, "-o", out, "--memory", memory, path)
		if outs[k], err = os.ReadFile(out); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(outs[0], outs[1]) || told[0] != told[1] || !strings.Contains(told[0], "accuracy") {
		t.Errorf("predictions differ: %s, %s", told[0], told[1])
	}
	if text := scas(t, "scas", nil, "predict", "-m", fitted, "--memory", "140MiB", path); !strings.HasPrefix(text, string(outs[0])) {
		t.Error("standard output differs")
	}
	for _, args := range [][]string{{"cv"}, {"path"}, {"info"}, {"train", "--intercept"}, {"predict", "--metrics", "-m", fitted}, {"train", "--method", "sdca"}} {
		out, err := exec.Command("scas", append(args, "--memory", "140MiB", path)...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), "memory") {
			t.Errorf("%v: %s", args, out)
		}
	}
}
