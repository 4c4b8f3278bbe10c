package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/scas-admm/scas/solver/dist"
	"github.com/scas-admm/scas/sparse"
)

// together runs scas train on ranks that are goroutines, and returns what each of them
// printed, to standard output and error, and its exit code.
func together(t *testing.T, ranks int, args ...string) (out, errs []string, codes []int) {
	t.Helper()
	out, errs, codes = make([]string, ranks), make([]string, ranks), make([]int, ranks)
	var wg sync.WaitGroup
	for r, comm := range dist.Local(ranks, 20*time.Second) {
		wg.Go(func() {
			var stdout, stderr bytes.Buffer
			e := &env{ctx: t.Context(), stdin: strings.NewReader(""), stdout: &stdout, stderr: &stderr, join: func() (dist.Comm, error) { return comm, nil }}
			codes[r] = run(e, append([]string{"train", "--dist", "mpi"}, args...))
			out[r], errs[r] = stdout.String(), stderr.String()
		})
	}
	wg.Wait()
	return out, errs, codes
}

// distData writes a table of two classes as one file and as shards, each of one class: no
// shard knows both labels, and one alone has index 0 or the last one.
func distData(t *testing.T) (file, shards string) {
	t.Helper()
	s, err := sparse.NewSynthetic(sparse.SyntheticOptions{Rows: 400, Features: 12, Groups: 1, GroupSize: 4, NonzerosPerRow: 6, Noise: 1, Seed: 2})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var whole, parts [2]bytes.Buffer
	for _, sign := range []float64{-1, 1} {
		for i, label := range s.Labels {
			if label != sign {
				continue
			}
			idx, val := s.X.Row(i)
			line := fmt.Sprint(5 + label)
			for k, j := range idx {
				if j == 0 && sign > 0 || j == 11 && sign < 0 {
					continue
				}
				line += fmt.Sprintf(" %d:%v", j, val[k])
			}
			fmt.Fprintln(&whole[0], line)
			fmt.Fprintln(&parts[int(sign+1)/2], line)
		}
	}
	for name, b := range map[string]*bytes.Buffer{"all.svm": &whole[0], "part-0.svm": &parts[0], "part-1.svm": &parts[1]} {
		if err := os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "all.svm"), filepath.Join(dir, "part-*.svm")
}

// model reads a model without what tells how it was found.
func modelFacts(t *testing.T, path string) map[string]any {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// TestRanks: whether rows are in one file or in shards, ranks find the labels, the base of
// the indices and the model that one process finds, and rank 0 alone tells.
func TestRanks(t *testing.T) {
	file, shards := distData(t)
	dir := t.TempDir()
	single := filepath.Join(dir, "single.json")
	var stdout, stderr bytes.Buffer
	if code := run(&env{ctx: t.Context(), stdout: &stdout, stderr: &stderr}, []string{"train", "--lambda", "1e-2", "--json", "-o", single, file}); code != exitOK {
		t.Fatalf("%s", &stderr)
	}
	want := modelFacts(t, single)
	for _, data := range []string{file, shards} {
		for _, ranks := range []int{1, 2, 4} {
			path := filepath.Join(dir, "model.json")
			out, errs, codes := together(t, ranks, "--lambda", "1e-2", "-o", path, data)
			for r := range ranks {
				if codes[r] != exitOK || errs[r] != "" || (out[r] != "") != (r == 0) {
					t.Errorf("%d ranks on %s: rank %d: exit code %d, %q, %q", ranks, data, r, codes[r], out[r], errs[r])
				}
			}
			got := modelFacts(t, path)
			for _, same := range []string{"labels", "index_base", "n", "p", "status"} {
				if fmt.Sprint(got[same]) != fmt.Sprint(want[same]) {
					t.Errorf("%d ranks on %s: %s is %v, want %v", ranks, data, same, got[same], want[same])
				}
			}
			if apart := got["objective"].(float64) - want["objective"].(float64); apart > 1e-6 || apart < -1e-6 {
				t.Errorf("%d ranks on %s: objectives are %g apart", ranks, data, apart)
			}
			if !strings.Contains(out[0], "400 rows, 12 features") || (ranks > 1) != strings.Contains(out[0], fmt.Sprintf("ranks       %d,", ranks)) {
				t.Errorf("%d ranks on %s: %s", ranks, data, out[0])
			}
		}
	}
}

// TestRanksRefuse: what a rank refuses ends all of them with its code, and is told once.
func TestRanksRefuse(t *testing.T) {
	file, shards := distData(t)
	dir := t.TempDir()
	third := filepath.Join(dir, "third.svm")
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(third, append(b, "9 1:1\n"...), 0o666); err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(dir, "broken.svm")
	if err := os.WriteFile(broken, append(b, "4 1:x\n"...), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"--intercept " + file, exitUsage, "column of ones"},
		{"--report x.html " + file, exitUsage, "--report"},
		{"--method svrg " + file, exitUsage, "Problem.Comm"},
		{"-", exitUsage, "name files"},
		{dir + "/none.svm", exitIO, "no such file"},
		{third, exitIO, "expected two classes"},
		{broken, exitIO, ":401:"},
		{"--positive 7 " + file, exitIO, "does not occur"},
		{"--features 11 --index-base 0 " + shards, exitIO, "11"},
		{"--loss squared --lambda 1e-2 --time-limit 1ns " + file, exitNotConverged, "--time-limit"},
		{"-o /nowhere/model.json " + file, exitIO, "/nowhere"},
	} {
		_, errs, codes := together(t, 3, strings.Fields(c.args)...)
		told := 0
		for r := range codes {
			if codes[r] != c.code {
				t.Errorf("%s: rank %d has exit code %d, want %d: %q", c.args, r, codes[r], c.code, errs[r])
			}
			told += strings.Count(errs[r], "scas: ")
		}
		if all := strings.Join(errs, ""); !strings.Contains(all, c.says) || told != 1 && c.code != exitUsage {
			t.Errorf("%s: %q", c.args, errs)
		}
	}
}

// TestCheckpoint: a checkpoint of another run is refused, a damaged one, too, and a run that
// is done removes its own.
func TestCheckpoint(t *testing.T) {
	file, _ := distData(t)
	keep := filepath.Join(t.TempDir(), "run.ck")
	train := func(args ...string) (int, string) {
		var stdout, stderr bytes.Buffer
		e := &env{ctx: t.Context(), stdout: &stdout, stderr: &stderr}
		return run(e, append([]string{"train", "--method", "scas-k", "--checkpoint", keep}, args...)), stderr.String()
	}
	if code, says := train("--passes", "8", file); code != exitOK {
		t.Fatalf("%d: %s", code, says)
	}
	if _, err := os.Stat(keep); !os.IsNotExist(err) {
		t.Errorf("the checkpoint is still there: %v", err)
	}
	c := &checkpointFile{keep, checkpointHead{Format: 1}}
	if err := c.Save([]byte("of another run")); err != nil {
		t.Fatal(err)
	}
	if code, says := train(file); code != exitIO || !strings.Contains(says, "other data or flags") {
		t.Errorf("%d: %s", code, says)
	}
	b, err := os.ReadFile(keep)
	if err != nil {
		t.Fatal(err)
	}
	for _, damaged := range [][]byte{b[:len(b)-1], bytes.Replace(b, []byte("run"), []byte("fun"), 1), []byte("nothing"), nil} {
		if err := os.WriteFile(keep, damaged, 0o666); err != nil {
			t.Fatal(err)
		}
		if code, says := train(file); code != exitIO || !strings.Contains(says, "damaged") {
			t.Errorf("%d: %s", code, says)
		}
	}
}
