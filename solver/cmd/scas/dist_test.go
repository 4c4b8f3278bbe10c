package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/scas-admm/scas/solver/dist"
	"github.com/scas-admm/scas/sparse"
)

// together runs scas train on ranks that are goroutines. It returns the standard output, the standard
// error and the exit code of each.
func together(t *testing.T, ranks int, args ...string) (out, errs []string, codes []int) {
	t.Helper()
	return onComms(t, dist.Local(ranks, 20*time.Second), args...)
}

// onComms does the same as together, with a rank for each of comms.
func onComms(t *testing.T, comms []*dist.Goroutine, args ...string) (out, errs []string, codes []int) {
	t.Helper()
	return commandOn(t, comms, "train", args...)
}

// commandOn does the same as onComms, for any command instead of scas train.
func commandOn(t *testing.T, comms []*dist.Goroutine, command string, args ...string) (out, errs []string, codes []int) {
	t.Helper()
	ranks := len(comms)
	out, errs, codes = make([]string, ranks), make([]string, ranks), make([]int, ranks)
	var wg sync.WaitGroup
	for r, comm := range comms {
		wg.Go(func() {
			var stdout, stderr bytes.Buffer
			e := &env{ctx: t.Context(), stdin: strings.NewReader(""), stdout: &stdout, stderr: &stderr, join: func() (dist.Comm, error) { return comm, nil }}
			codes[r] = run(e, append([]string{command, "--dist", "mpi"}, args...))
			out[r], errs[r] = stdout.String(), stderr.String()
		})
	}
	wg.Wait()
	return out, errs, codes
}

// distData writes a data set of two classes as one file, and as shards. No shard has both labels. Only one
// shard has the index 0, and only one the last index.
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

// TestRanks checks that ranks find the same labels, index base and model as a single process, with rows in
// one file or in shards. Only rank 0 may print.
func TestRanks(t *testing.T) {
	file, shards := distData(t)
	dir := t.TempDir()
	single := filepath.Join(dir, "single.json")
	var stdout, stderr bytes.Buffer
	if code := run(&env{ctx: t.Context(), stdout: &stdout, stderr: &stderr}, []string{"train", "--lambda", "1e-2", "--no-intercept", "--no-standardize", "--json", "-o", single, file}); code != exitOK {
		t.Fatalf("%s", &stderr)
	}
	want := parsed(t, fileText(t, single))
	for _, data := range []string{file, shards} {
		for _, ranks := range []int{1, 2, 4} {
			path := filepath.Join(dir, "model.json")
			out, errs, codes := together(t, ranks, "--lambda", "1e-2", "--no-intercept", "--no-standardize", "-o", path, data)
			for r := range ranks {
				if codes[r] != exitOK || errs[r] != "" || (out[r] != "") != (r == 0) {
					t.Errorf("%d ranks on %s: rank %d: exit code %d, %q, %q", ranks, data, r, codes[r], out[r], errs[r])
				}
			}
			got := parsed(t, fileText(t, path))
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

// TestRanksFit checks that several ranks find the same model as a single process, and that one rank finds it
// to the byte. The fits have an intercept, standardised features, weights, offsets or several classes.
func TestRanksFit(t *testing.T) {
	file, shards := distData(t)
	dir := t.TempDir()
	weights, offsets, factors := filepath.Join(dir, "weights.txt"), filepath.Join(dir, "offsets.txt"), filepath.Join(dir, "factors.txt")
	several := severalClassesOf(t, dir, file)
	var numbers [2]strings.Builder
	for i := range 400 {
		fmt.Fprintln(&numbers[0], i%3)
		fmt.Fprintln(&numbers[1], float64(i%7)/7)
	}
	for path, text := range map[string]string{weights: numbers[0].String(), offsets: numbers[1].String(), factors: strings.Repeat("2\n0\n0.3\n1\n", 3)} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const plain = "--no-intercept --no-standardize "
	for _, c := range []struct{ flags, file, shards string }{
		{"", file, shards},
		{"--no-standardize --class-weights balanced", file, shards},
		{plain + "--class-weights balanced", file, shards},
		{plain + "--sample-weights " + weights, file, shards},
		{"--no-intercept --sample-weights " + weights + " --offset " + offsets, file, shards},
		{"--no-standardize --l1-ratio 0.5", file, shards},
		{"--l1-ratio 0.5 --penalty-factors " + factors, file, shards},
		{"--loss squared --offset " + offsets, file, shards},
		{"--graph chain", file, shards},
		{"", several, several},
	} {
		args := append([]string{"--lambda", "1e-2", "--json"}, strings.Fields(c.flags)...)
		single, path := filepath.Join(dir, "single.json"), filepath.Join(dir, "model.json")
		want, whole := onOneProcess(t, "train", single, c.file, args)
		for ranks := range 4 {
			data := c.file
			if ranks == 0 {
				ranks, data = 2, c.shards
			}
			out, errs, codes := together(t, ranks, append([]string{"-o", path, data}, args...)...)
			for r := range ranks {
				if codes[r] != exitOK || errs[r] != "" || (out[r] != "") != (r == 0) {
					t.Fatalf("%s: rank %d of %d on %s: exit code %d, %q, %q", c.flags, r, ranks, data, codes[r], out[r], errs[r])
				}
			}
			got := parsed(t, out[0])
			for _, same := range []string{"n", "p", "nnz", "status", "accuracy", "has_intercept", "no_optimum"} {
				if fmt.Sprint(got[same]) != fmt.Sprint(want[same]) {
					t.Errorf("%s: %d ranks on %s: %s is %v, want %v", c.flags, ranks, data, same, got[same], want[same])
				}
			}
			told, _ := got["messages"].(float64)
			if n, _ := got["ranks"].(float64); int(n) != ranks || (told > 0) != (ranks > 1) || (got["message_seconds"] != nil) != (ranks > 1) {
				t.Errorf("%s: %d ranks on %s: %v ranks, %v messages, %v seconds", c.flags, ranks, data, got["ranks"], got["messages"], got["message_seconds"])
			}
			compareFits(t, fmt.Sprintf("%s: %d ranks on %s", c.flags, ranks, data), got, want)
			if own := fileText(t, path); ranks == 1 && own != whole {
				t.Errorf("%s: one rank is not the single process: %s, %s", c.flags, own, whole)
			}
		}
	}
}

// TestRanksPathCV checks that path and cv on ranks have the results of a single process, and that only rank 0
// prints and writes.
func TestRanksPathCV(t *testing.T) {
	file, shards := distData(t)
	dir := t.TempDir()
	weights, several := filepath.Join(dir, "weights.txt"), severalClassesOf(t, dir, file)
	var numbers strings.Builder
	for k := range 400 {
		fmt.Fprintln(&numbers, k%3)
	}
	if err := os.WriteFile(weights, []byte(numbers.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ flags, file, shards string }{
		{"path", file, shards},
		{"path --graph chain", file, shards},
		{"path", several, several},
		{"cv --tol 1e-9 --seed 3", file, shards},
		{"cv --tol 1e-9 --metric auc --sample-weights " + weights, file, shards},
		{"cv --tol 1e-9 --loss squared --folds 3", file, shards},
		{"cv --tol 1e-9 --folds 4 --metric error", several, several},
	} {
		words := strings.Fields(c.flags)
		command, args := words[0], append(words[1:], "--lambdas", "9", "--ratio", "0.01", "--json")
		single, path := filepath.Join(dir, "single"), filepath.Join(dir, "output")
		want, whole := onOneProcess(t, command, single, c.file, args)
		for ranks := range 4 {
			data := c.file
			if ranks == 0 {
				ranks, data = 2, c.shards
			}
			name := fmt.Sprintf("%s, %d ranks on %s", c.flags, ranks, filepath.Base(data))
			comms := dist.Local(ranks, 20*time.Second)
			out, errs, codes := commandOn(t, comms, command, append([]string{"-o", path, data}, args...)...)
			for r := range ranks {
				if codes[r] != exitOK || errs[r] != "" || (out[r] != "") != (r == 0) {
					t.Fatalf("%s: rank %d: exit code %d, %q, %q", name, r, codes[r], out[r], errs[r])
				}
			}
			got := parsed(t, out[0])
			if n, _ := got["ranks"].(float64); int(n) != ranks {
				t.Errorf("%s: %v ranks", name, got["ranks"])
			}
			for _, same := range []string{"n", "p", "nnz", "folds", "seed", "features_without_data"} {
				if fmt.Sprint(got[same]) != fmt.Sprint(want[same]) {
					t.Errorf("%s: %s is %v, want %v", name, same, got[same], want[same])
				}
			}
			compareSteps(t, name, got, want, 1e-7)
			if own := fileText(t, path); ranks == 1 && own != whole {
				t.Errorf("%s: one rank is not the single process: %s, %s", name, own, whole)
			}
		}
	}
}

// TestRanksReport checks that the page of --report has the same contents on ranks as in a single process: the
// metrics of all rows, the confusions, and the coefficients with the standard deviations in all rows.
func TestRanksReport(t *testing.T) {
	file, _ := distData(t)
	dir := t.TempDir()
	several := severalClassesOf(t, dir, file)
	numbers := regexp.MustCompile(`-?\d+(\.\d+)?(e[-+]\d+)?`)
	for _, c := range []struct{ flags, file, from string }{
		{"train --lambda 1e-2", file, "<h2>On the training data"},
		{"train --lambda 1e-2 --loss squared", file, "<h2>On the training data"},
		{"train --lambda 1e-2", several, "<h2>On the training data"},
		{"cv --folds 3 --lambdas 3 --ratio 0.1", file, "<h2>On the training data"},
		{"path --lambdas 3 --ratio 0.1", file, "<h2>Coefficients"},
	} {
		// part returns the part of a page after the summary, and without the gaps of all lambdas.
		part := func(path string) string {
			text := fileText(t, path)
			at := strings.Index(text, c.from)
			if at < 0 {
				t.Fatalf("%s: no %s in %s", c.flags, c.from, text)
			}
			text, _, _ = strings.Cut(text[at:], "<h2>To repeat it")
			text, _, _ = strings.Cut(text, "<h2>Every")
			return text
		}
		single, page := filepath.Join(dir, "single.html"), filepath.Join(dir, "page.html")
		args := append(strings.Fields(c.flags), "--tol", "1e-10", c.file)
		var stdout, stderr bytes.Buffer
		e := &env{ctx: t.Context(), stdout: &stdout, stderr: &stderr}
		if code := run(e, append(args, "--report", single)); code != exitOK {
			t.Fatalf("%s: %s", c.flags, &stderr)
		}
		want := part(single)
		for _, ranks := range []int{1, 2, 4} {
			comms := dist.Local(ranks, 20*time.Second)
			_, errs, codes := commandOn(t, comms, args[0], append(args[1:], "--report", page)...)
			if codes[ranks-1] != exitOK {
				t.Fatalf("%s: %d ranks: %v, %q", c.flags, ranks, codes, errs)
			}
			got := part(page)
			if numbers.ReplaceAllString(got, "0") != numbers.ReplaceAllString(want, "0") {
				t.Errorf("%s: %d ranks: page %s, want %s", c.flags, ranks, got, want)
				continue
			}
			others := numbers.FindAllString(want, -1)
			for k, text := range numbers.FindAllString(got, -1) {
				a, _ := strconv.ParseFloat(text, 64)
				b, _ := strconv.ParseFloat(others[k], 64)
				if math.Abs(a-b) > 1e-5*max(1, math.Abs(b)) {
					t.Errorf("%s: %d ranks: number %d of the page is %s, want %s", c.flags, ranks, k, text, others[k])
				}
			}
			if whole := fileText(t, page); strings.Contains(whole, fmt.Sprintf("mpirun -n %d", ranks)) != (ranks > 1) {
				t.Errorf("%s: %d ranks: the page ends with %s", c.flags, ranks, whole[len(whole)-300:])
			}
		}
	}
}

// severalClassesOf writes the rows of file with three classes as labels to a file in dir. With two or more
// ranks, no rank has rows of all classes.
func severalClassesOf(t *testing.T, dir, file string) string {
	t.Helper()
	var classes strings.Builder
	for k, row := range strings.SplitAfter(strings.TrimSpace(fileText(t, file)), "\n") {
		_, entries, _ := strings.Cut(row, " ")
		fmt.Fprintf(&classes, "%d %s", k/150, entries)
	}
	path := filepath.Join(dir, "several.svm")
	if err := os.WriteFile(path, []byte(classes.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// compareSteps compares two reports of path or cv: their lambdas, and the means of cross-validations.
func compareSteps(t *testing.T, name string, got, want map[string]any, within float64) {
	t.Helper()
	number := func(m any, name string) float64 { return m.(map[string]any)[name].(float64) }
	for _, chosen := range []string{"min", "one_se"} {
		if want[chosen] != nil && number(got[chosen], "index") != number(want[chosen], "index") {
			t.Errorf("%s: %s is lambda %v, want %v", name, chosen, number(got[chosen], "index"), number(want[chosen], "index"))
		}
	}
	for k, one := range want["steps"].([]any) {
		other := got["steps"].([]any)[k]
		gaps := number(one, "duality_gap") + number(other, "duality_gap")
		if apart := math.Abs(number(one, "objective") - number(other, "objective")); apart > gaps+1e-12 {
			t.Errorf("%s: at lambda %d the objectives are %g apart", name, k, apart)
		}
		if want["folds"] == nil {
			continue
		}
		if a, b := number(other, "mean"), number(one, "mean"); math.Abs(a-b) > within*max(1, math.Abs(b)) {
			t.Errorf("%s: at lambda %d the mean is %.12g, want %.12g", name, k, a, b)
		}
	}
}

// compareFits compares two reports of train: the objectives of the fits, or of the fits of all classes.
func compareFits(t *testing.T, name string, got, want map[string]any) {
	t.Helper()
	if classes, ok := want["classes"].([]any); ok {
		for k, class := range got["classes"].([]any) {
			one, other := class.(map[string]any), classes[k].(map[string]any)
			if fmt.Sprint(one["class"], one["rows"]) != fmt.Sprint(other["class"], other["rows"]) {
				t.Errorf("%s: class %v of %v rows, want %v", name, one["class"], one["rows"], other)
			}
			compareFits(t, name, one, other)
		}
		return
	}
	number := func(m map[string]any, name string) float64 { return m[name].(float64) }
	if apart := math.Abs(number(got, "objective") - number(want, "objective")); apart > number(got, "duality_gap")+number(want, "duality_gap") {
		t.Errorf("%s: objectives are %g apart", name, apart)
	}
}

func parsed(t *testing.T, text string) (m map[string]any) {
	t.Helper()
	err := json.Unmarshal([]byte(text), &m)
	if err == nil {
		err = liftPart([]byte(text), &m)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func fileText(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestRanksNoOptimum checks that ranks report "no optimum" if a feature separates the classes in all rows,
// but not if it separates them only in the rows of some ranks.
func TestRanksNoOptimum(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"apart.svm":    strings.Repeat("-1 1:-1\n+1 1:2\n", 10),
		"together.svm": strings.Repeat("-1 1:-1\n+1 1:2\n", 9) + "-1 1:2\n+1 1:-1\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, flags := range []string{"", "--intercept"} {
			for _, ranks := range []int{1, 2, 4} {
				out, errs, _ := together(t, ranks, append(strings.Fields(flags), "--lambda", "0", "--tol", "1e-3", "--json", path)...)
				none := parsed(t, out[0])["no_optimum"] == true
				if want := name == "apart.svm"; none != want || want != strings.Contains(errs[0], "there is no optimum") {
					t.Errorf("%s %s, %d ranks: no optimum %v: %s", name, flags, ranks, none, errs[0])
				}
			}
		}
	}
}

// TestRanksRefuse checks the case that one rank refuses its data. All ranks must end with the exit code of
// the error, and one rank must print the error.
func TestRanksRefuse(t *testing.T) {
	file, shards := distData(t)
	dir := t.TempDir()
	b := fileText(t, file)
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	third, broken := write("third.svm", b+"9 1:1\n"), write("broken.svm", b+"4 1:x\n")
	halves, classes := write("halves.svm", b+"9.5 1:1\n9.5 2:1\n"), write("classes.svm", b+"9 1:1\n9 2:1\n")
	matrix := write("matrix.txt", "2 12 2\n1 1 1\n2 2 1\n")
	half := write("half.txt", strings.Repeat("1\n", 200)+strings.Repeat("0\n", 200))
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"train --intercept --mu 1 --method scas-k " + file, exitUsage, "give --no-intercept"},
		{"train --offset-column o " + file, exitUsage, "--offset FILE"},
		{"train --intercept --sample-weights " + file + " " + file, exitIO, "one weight a line"},
		{"train --sample-weights " + half + " " + file, exitIO, "that one rank has are 0"},
		{"train --intercept --sample-weights " + half + " " + file, exitIO, "that one rank has are 0"},
		{"train --intercept --time-limit 1ns " + file, exitNotConverged, "--time-limit"},
		{"train --method svrg " + file, exitUsage, "give --method auto, scas-k or scas-l"},
		{"train -", exitUsage, "name files"},
		{"train " + dir + "/none.svm", exitIO, "no such file"},
		{"train " + third, exitIO, "two rows or more of every class"},
		{"train " + halves, exitIO, "whole numbers for more"},
		{"train --positive 6 " + classes, exitIO, "leave out --positive"},
		{"train " + broken, exitIO, ":401:"},
		{"train --positive 7 " + file, exitIO, "does not occur"},
		{"train --features 11 --index-base 0 " + shards, exitIO, "11"},
		{"train --loss squared --lambda 1e-2 --time-limit 1ns " + file, exitNotConverged, "--time-limit"},
		{"train -o /nowhere/model.json " + file, exitIO, "/nowhere"},
		{"path -o /nowhere/path.csv " + file, exitIO, "/nowhere"},
		{"path --report /nowhere/x.html " + file, exitIO, "/nowhere"},
		{"cv --folds 401 " + file, exitUsage, "400 rows"},
		{"cv -", exitUsage, "name files"},
		{"path --svg x.svg " + classes, exitUsage, "several classes"},
		{"train --graph chain --svg x.svg " + classes, exitUsage, "several classes"},
		{"train --graph " + matrix + " --svg x.svg " + file, exitUsage, "read as A itself"},
		{"cv --metric auc --folds 2 " + broken, exitIO, ":401:"},
		{"cv --time-limit 1ns " + file, exitNotConverged, "--time-limit"},
	} {
		command, args, _ := strings.Cut(c.args, " ")
		_, errs, codes := commandOn(t, dist.Local(3, 20*time.Second), command, strings.Fields(args)...)
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

// An endingComm is a Comm that calls end at one of its sums.
type endingComm struct {
	dist.Comm
	left int // number of sums until it calls end
	end  func()
}

func (c *endingComm) AllReduceSum(v []float64) error {
	if c.left--; c.left == 0 {
		c.end()
	}
	return c.Comm.AllReduceSum(v)
}

// TestRanksInterrupted checks that an interrupt of one rank at any moment ends all ranks with the exit code
// of an interrupt, unless all ranks have finished before.
func TestRanksInterrupted(t *testing.T) {
	file, _ := distData(t)
	several := filepath.Join(t.TempDir(), "several.svm")
	if err := os.WriteFile(several, []byte(fileText(t, file)+"9 1:1\n9 2:1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{
		"train --dist mpi --lambda 1e-2 " + file, "train --dist mpi --method scas-k --passes 3 --tol none " + file,
		"train --dist mpi --lambda 1e-2 --intercept " + file, "train --dist mpi --lambda 1e-2 " + several,
		"path --dist mpi --lambdas 4 " + file, "path --dist mpi --lambdas 2 " + several,
		"cv --dist mpi --folds 3 --lambdas 3 --ratio 0.1 " + file,
	} {
		interrupted, step := 0, 8
		if testing.Short() {
			step = 2
		}
		for k, done := 1, false; !done; k += 1 + k/step {
			ctx, cancel := context.WithCancel(t.Context())
			var stderr [2]bytes.Buffer
			var codes [2]int
			var wg sync.WaitGroup
			for r, comm := range dist.Local(2, 20*time.Second) {
				wg.Go(func() {
					e := &env{ctx: t.Context(), stdout: io.Discard, stderr: &stderr[r], join: func() (dist.Comm, error) { return comm, nil }}
					if r == 1 {
						e.ctx = ctx
						e.join = func() (dist.Comm, error) { return &endingComm{comm, k, cancel}, nil }
					}
					codes[r] = run(e, strings.Fields(args))
				})
			}
			wg.Wait()
			done = ctx.Err() == nil
			cancel()
			says := stderr[0].String() + stderr[1].String()
			switch codes {
			case [2]int{exitOK, exitOK}:
			case [2]int{exitInterrupted, exitInterrupted}:
				interrupted++
				if strings.Count(says, "scas: interrupted") != 1 {
					t.Errorf("%s, at message %d: %q", args, k, says)
				}
			default:
				t.Errorf("%s, at message %d: exit codes %v: %q", args, k, codes, says)
			}
		}
		if interrupted == 0 {
			t.Errorf("%s: never interrupted", args)
		}
	}
}

// onOneProcess runs a command on data with more arguments, among them --json. It returns what the command
// printed, and the text of the file that it wrote.
func onOneProcess(t *testing.T, command, output, data string, args []string) (printed map[string]any, written string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	e := &env{ctx: t.Context(), stdout: &stdout, stderr: &stderr}
	if code := run(e, append([]string{command, "-o", output, data}, args...)); code != exitOK {
		t.Fatalf("%s %v: %s", command, args, &stderr)
	}
	return parsed(t, stdout.String()), fileText(t, output)
}
