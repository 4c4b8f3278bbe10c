package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/scas-admm/scas/solver/dist"
	"github.com/scas-admm/scas/sparse"
)

// fewOf returns all cases of a test, or only the first few cases if -short is given.
func fewOf[T any](cases []T, few int) []T {
	if testing.Short() {
		return cases[:few]
	}
	return cases
}

// TestRanksBeyond checks that ranks have the results of a single process in memory, in training and in
// cross-validation. The ranks read one .scas file larger than memory, or one such file each. One rank must
// have the results of a single process out of core, to the byte.
func TestRanksBeyond(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	const n, p, limit = 480000, 60, "150MiB"
	dir := t.TempDir()
	made, err := sparse.NewSynthetic(sparse.SyntheticOptions{Rows: n, Features: p, Noise: 1, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	labels := make([]float64, n)
	var weights, offsets, factors strings.Builder
	for i, b := range made.Labels {
		labels[i] = (b + 1) / 2 // 0 and 1
		fmt.Fprintln(&weights, i%3)
		fmt.Fprintln(&offsets, float64(i%5)/2-1)
	}
	for j := range p {
		fmt.Fprintln(&factors, j%4)
	}
	whole := filepath.Join(dir, "whole.scas")
	write := func(path string, lo, hi int) {
		rows := make([]int, hi-lo)
		for i := range rows {
			rows[i] = lo + i
		}
		x, err := made.X.SelectRows(rows)
		if err != nil {
			t.Fatal(err)
		}
		if err := sparse.WriteFile(path, &sparse.Dataset{X: x, Labels: labels[lo:hi]}); err != nil {
			t.Fatal(err)
		}
	}
	write(whole, 0, n)
	write(filepath.Join(dir, "part-0.scas"), 0, n/3)
	write(filepath.Join(dir, "part-1.scas"), n/3, n)
	files := map[string]string{}
	for name, text := range map[string]*strings.Builder{"weights": &weights, "offsets": &offsets, "factors": &factors} {
		files[name] = filepath.Join(dir, name)
		if err := os.WriteFile(files[name], []byte(text.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	single := func(path, memory string, args ...string) map[string]any {
		t.Helper()
		var stdout, stderr bytes.Buffer
		args = append(args, "--json", "--memory", memory, "-o", path, whole)
		if code := run(&env{ctx: t.Context(), stdout: &stdout, stderr: &stderr}, args); code != exitOK {
			t.Fatalf("%v: %s", args, &stderr)
		}
		return parsed(t, stdout.String())
	}
	for _, flags := range fewOf([]string{
		"--sample-weights " + files["weights"] + " --offset " + files["offsets"] + " --l1-ratio 0.5 --penalty-factors " + files["factors"],
		"--no-intercept --class-weights balanced --graph chain",
	}, 1) {
		args := append([]string{"--lambda", "1e-3"}, strings.Fields(flags)...)
		model, one := filepath.Join(dir, "model.json"), filepath.Join(dir, "one.json")
		want := single(one, "4GiB", append([]string{"train"}, args...)...)
		single(one, limit, append([]string{"train"}, args...)...)
		pieces := fileText(t, one)
		for _, data := range []struct {
			path  string
			ranks int
		}{{whole, 1}, {whole, 2}, {filepath.Join(dir, "part-*.scas"), 2}} {
			out, errs, codes := together(t, data.ranks, append(args, "--json", "--memory", limit, "-o", model, data.path)...)
			if codes[0] != exitOK || codes[data.ranks-1] != exitOK {
				t.Fatalf("%s: %d ranks on %s: %v, %q", flags, data.ranks, data.path, codes, errs)
			}
			got := parsed(t, out[0])
			for _, same := range []string{"n", "p", "nnz", "status", "has_intercept", "no_optimum"} {
				if fmt.Sprint(got[same]) != fmt.Sprint(want[same]) {
					t.Errorf("%s: %d ranks on %s: %s is %v, want %v", flags, data.ranks, data.path, same, got[same], want[same])
				}
			}
			if run, _ := got["run"].(map[string]any); run["plan"] != "streamed" && run["method"] != "streamed-newton" {
				t.Errorf("%s: %d ranks on %s: not in pieces: %s", flags, data.ranks, data.path, out[0])
			}
			compareFits(t, fmt.Sprintf("%s: %d ranks on %s", flags, data.ranks, data.path), got, want)
			if data.ranks == 1 && fileText(t, model) != pieces {
				t.Errorf("%s: one rank is not the single process", flags)
			}
		}
	}
	cv, output := strings.Fields("--folds 2 --seed 5 --tol 1e-9 --lambdas 3 --ratio 0.1"), filepath.Join(dir, "output")
	want := single(output, "4GiB", append([]string{"cv"}, cv...)...)
	cv = append(cv, "--json", "--memory", limit, "-o", output, whole)
	out, errs, codes := commandOn(t, dist.Local(2, 20*time.Second), "cv", cv...)
	if codes[0] != exitOK || codes[1] != exitOK {
		t.Fatalf("cv: %v, %q", codes, errs)
	}
	compareSteps(t, "cv", parsed(t, out[0]), want, 1e-5)
	for _, c := range []struct {
		args  string
		ranks int
		says  string
	}{
		{"--method scas-k " + whole, 2, "scas-k"},
		{"--checkpoint " + dir + "/x.ck " + whole, 2, "checkpoints are only for data in memory"},
		{"--no-intercept --no-standardize --checkpoint " + dir + "/x.ck " + whole, 2, "checkpoints are only for data in memory"},
		{filepath.Join(dir, "*.scas"), 1, "scas convert"},
	} {
		_, errs, codes := together(t, c.ranks, append(strings.Fields(c.args), "--memory", limit)...)
		for r, code := range codes {
			if code == exitOK || !strings.Contains(strings.Join(errs, ""), c.says) {
				t.Errorf("%s, rank %d: exit code %d, %q", c.args, r, code, errs)
			}
		}
	}
}
