package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scas-admm/scas/sparse"
)

// TestRanksBeyond checks that ranks that work out of core have the results of a single process in memory. The
// ranks read one .scas file, or one file each. A run with one rank must write the same model file as a run
// out of core without --dist.
func TestRanksBeyond(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	const n, p, limit = 480000, 60, "150MiB"
	dir := t.TempDir()
	synthetic := newSynthetic(t, sparse.SyntheticOptions{Rows: n, Features: p, Seed: 3})
	data := &sparse.Dataset{X: synthetic.X, Labels: make([]float64, n)}
	var numbers [3]strings.Builder
	for i, b := range synthetic.Labels {
		data.Labels[i] = (b + 1) / 2 // -1 and +1 become 0 and 1
		fmt.Fprintln(&numbers[0], i%3)
		fmt.Fprintln(&numbers[1], float64(i%5)/2-1)
	}
	for j := range p {
		fmt.Fprintln(&numbers[2], j%4)
	}
	weights, offsets := writeText(t, dir, "weights", numbers[0].String()), writeText(t, dir, "offsets", numbers[1].String())
	factors, shards := writeText(t, dir, "factors", numbers[2].String()), filepath.Join(dir, "part-*.scas")
	file := writeData(t, dir, "whole.scas", data)
	for k, bounds := range [][2]int{{0, n / 3}, {n / 3, n}} {
		shard, err := rowsOf(data, bounds[0], bounds[1])
		if err != nil {
			t.Fatal(err)
		}
		writeData(t, dir, fmt.Sprintf("part-%d.scas", k), shard)
	}
	output := filepath.Join(dir, "output")
	runSingle := func(memory string, args ...string) map[string]any {
		t.Helper()
		return jsonOf[map[string]any](t, append(args, "--memory", memory, file)...)
	}
	args := append([]string{"train", "--lambda", "1e-3", "--json", "-o", output},
		strings.Fields("--sample-weights "+weights+" --offset "+offsets+" --l1-ratio 0.5 --penalty-factors "+factors)...)
	want := runSingle("4GiB", args...)
	runSingle(limit, args...)
	wantOutput := textOf(t, output)
	for _, setup := range []struct {
		data  string
		ranks int
	}{{file, 1}, {file, 2}, {shards, 2}} {
		name := fmt.Sprintf("%d ranks on %s", setup.ranks, setup.data)
		got := jsonOnRanks(t, setup.ranks, append(args, "--memory", limit, setup.data)...)
		for _, key := range []string{"n", "p", "nnz", "status", "has_intercept", "no_optimum"} {
			if fmt.Sprint(got[key]) != fmt.Sprint(want[key]) {
				t.Errorf("%s: %s is %v, want %v", name, key, got[key], want[key])
			}
		}
		if run, _ := got["run"].(map[string]any); run["plan"] != "streamed" && run["method"] != "streamed-newton" {
			t.Errorf("%s: not in pieces: %v", name, got)
		}
		compareReports(t, name, got, want, 0)
		if setup.ranks == 1 && textOf(t, output) != wantOutput {
			t.Errorf("%s: one rank is not the single process", name)
		}
	}
	cv := strings.Fields("cv --folds 2 --seed 5 --tol 1e-9 --lambdas 3 --ratio 0.1 --json")
	got := jsonOnRanks(t, 2, append(cv, "--memory", limit, file)...)
	compareReports(t, "cv", got, runSingle("4GiB", cv...), 1e-5)
	for _, c := range []struct {
		args    string
		ranks   int
		message string
	}{
		{"--method scas-k " + file, 2, "scas-k"},
		{"--checkpoint " + dir + "/x.ck " + file, 2, "checkpoints are only for data in memory"},
		{"--no-intercept --no-standardize --checkpoint " + dir + "/x.ck " + file, 2, "checkpoints are only for data in memory"},
		{filepath.Join(dir, "*.scas"), 1, "scas convert"},
	} {
		results, messages := onRanks(t, c.ranks, append([]string{"train", "--memory", limit}, strings.Fields(c.args)...)...), ""
		for _, result := range results {
			messages += result.stderr
		}
		for r, result := range results {
			if result.code == exitOK || !strings.Contains(messages, c.message) {
				t.Errorf("%s, rank %d: exit code %d, %q", c.args, r, result.code, messages)
			}
		}
	}
}
