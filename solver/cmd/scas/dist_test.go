package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/scas-admm/scas/solver/dist"
	"github.com/scas-admm/scas/sparse"
)

// onRanks runs a command on ranks that are goroutines, and returns the results of the ranks.
func onRanks(t *testing.T, ranks int, args ...string) []outcome {
	t.Helper()
	return onComms(t, dist.Local(ranks, 20*time.Second), args...)
}

// onComms runs a command on a rank for each of comms, and returns the results of the ranks.
func onComms(t *testing.T, comms []*dist.Goroutine, args ...string) []outcome {
	t.Helper()
	results := make([]outcome, len(comms))
	var wg sync.WaitGroup
	for r, comm := range comms {
		wg.Go(func() {
			e := env{join: func() (dist.Comm, error) { return comm, nil }, interval: time.Hour} // no lines of progress
			results[r] = runWith(t, e, append(args, "--dist", "mpi")...)
		})
	}
	wg.Wait()
	return results
}

// jsonOnRanks runs a command with --json on ranks, and returns the JSON that rank 0 prints. The test fails if
// the command fails, or if a rank prints anything else.
func jsonOnRanks(t *testing.T, ranks int, args ...string) map[string]any {
	t.Helper()
	results := onRanks(t, ranks, args...)
	for r, result := range results {
		if result.code != exitOK || result.stderr != "" || (result.out != "") != (r == 0) {
			t.Fatalf("%v: rank %d of %d: %+v", args, r, ranks, result)
		}
	}
	return parseJSON(t, results[0].out)
}

// distData writes data of two classes as one file and as two shards. Each shard has one class, and lacks the
// first or the last feature.
func distData(t *testing.T) (file, shards string) {
	t.Helper()
	s := newSynthetic(t, sparse.SyntheticOptions{Rows: 400, Features: 12, Groups: 1, GroupSize: 4, NonzerosPerRow: 6, Seed: 2})
	dir := t.TempDir()
	var parts [2]strings.Builder
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
			fmt.Fprintln(&parts[int(sign+1)/2], line)
		}
	}
	writeText(t, dir, "part-0.svm", parts[0].String())
	writeText(t, dir, "part-1.svm", parts[1].String())
	return writeText(t, dir, "all.svm", parts[0].String()+parts[1].String()), filepath.Join(dir, "part-*.svm")
}

// TestRanksAgree checks that the results of commands on ranks agree with the results of a single process. The
// rows are in one file or in shards. A run with one rank must write the same bytes as a run without --dist.
func TestRanksAgree(t *testing.T) {
	file, shards := distData(t)
	dir := t.TempDir()
	severalClasses := relabel(t, dir, file, blockLabel)
	yesNo, manyWords := writeWords(t, dir, "two.scas", file, "no", "yes"),
		writeWords(t, dir, "many.scas", severalClasses, "ash", "birch", "cedar", "elm")
	var numbers [2]strings.Builder
	for i := range 400 {
		fmt.Fprintln(&numbers[0], i%3)
		fmt.Fprintln(&numbers[1], float64(i%7)/7)
	}
	weights, offsets := writeText(t, dir, "weights", numbers[0].String()), writeText(t, dir, "offsets", numbers[1].String())
	factors := writeText(t, dir, "factors", strings.Repeat("2\n0\n0.3\n1\n", 3))
	const (
		train = "train --lambda 1e-2 "
		plain = train + "--no-intercept --no-standardize "
		path  = "path --lambdas 9 --ratio 0.01 "
		cv    = "cv --lambdas 9 --ratio 0.01 --tol 1e-12 "
	)
	for _, c := range []struct{ flags, file, shards string }{
		{train, file, shards},
		{plain, file, shards},
		{train + "--no-standardize --class-weights balanced", file, shards},
		{plain + "--class-weights balanced", file, shards},
		{plain + "--sample-weights " + weights, file, shards},
		{train + "--no-intercept --sample-weights " + weights + " --offset " + offsets, file, shards},
		{train + "--no-standardize --l1-ratio 0.5", file, shards},
		{train + "--l1-ratio 0.5 --penalty-factors " + factors, file, shards},
		{train + "--loss squared --offset " + offsets, file, shards},
		{train + "--graph chain", file, shards},
		{train + "--features 12", file, shards},
		{train, severalClasses, severalClasses},
		{train, yesNo, yesNo},
		{train + "--positive no", yesNo, yesNo},
		{train, manyWords, manyWords},
		{path, file, shards},
		{path + "--graph chain", file, shards},
		{path, severalClasses, severalClasses},
		{cv + "--seed 3", file, shards},
		{cv + "--metric auc --sample-weights " + weights, file, shards},
		{cv + "--loss squared --folds 3", file, shards},
		{cv + "--folds 4 --metric error", severalClasses, severalClasses},
	} {
		output := filepath.Join(dir, "output")
		args := append(strings.Fields(c.flags), "--json", "-o", output)
		out, _ := succeed(t, append(args, c.file)...)
		want, wantOutput := parseJSON(t, out), textOf(t, output)
		for _, setup := range []struct {
			ranks int
			data  string
		}{{1, c.file}, {2, c.shards}, {3, c.file}} {
			name := fmt.Sprintf("%s, %d ranks on %s", c.flags, setup.ranks, filepath.Base(setup.data))
			got := jsonOnRanks(t, setup.ranks, append(args, setup.data)...)
			for _, key := range []string{
				"n", "p", "nnz", "status", "accuracy", "has_intercept", "no_optimum", "folds", "seed",
				"features_without_data",
			} {
				if fmt.Sprint(got[key]) != fmt.Sprint(want[key]) {
					t.Errorf("%s: %s is %v, want %v", name, key, got[key], want[key])
				}
			}
			messages, _ := got["messages"].(float64)
			if n, _ := got["ranks"].(float64); int(n) != setup.ranks || (messages > 0) != (setup.ranks > 1) ||
				(got["message_seconds"] != nil) != (setup.ranks > 1) {
				t.Errorf("%s: %v ranks, %v messages, %v seconds", name, got["ranks"], got["messages"], got["message_seconds"])
			}
			compareReports(t, name, got, want, 1e-7)
			gotOutput := textOf(t, output)
			if setup.ranks == 1 && gotOutput != wantOutput {
				t.Errorf("%s: one rank is not the single process: %s, %s", name, gotOutput, wantOutput)
			}
			if !strings.HasPrefix(gotOutput, "{") {
				continue // scas path writes no model
			}
			for _, key := range []string{"labels", "class_names", "index_base"} {
				if a, b := parseJSON(t, gotOutput)[key], parseJSON(t, wantOutput)[key]; fmt.Sprint(a) != fmt.Sprint(b) {
					t.Errorf("%s: the model has %s %v, want %v", name, key, a, b)
				}
			}
		}
	}
}

func TestRanksReport(t *testing.T) {
	file, _ := distData(t)
	dir := t.TempDir()
	severalClasses := relabel(t, dir, file, blockLabel)
	numberPattern := regexp.MustCompile(`-?\d+(\.\d+)?(e[-+]\d+)?`)
	for _, c := range []struct{ flags, file, heading string }{
		{"train --lambda 1e-2", file, "<h2>On the training data"},
		{"train --lambda 1e-2 --loss squared", file, "<h2>On the training data"},
		{"train --lambda 1e-2", severalClasses, "<h2>On the training data"},
		{"cv --folds 3 --lambdas 3 --ratio 0.1", file, "<h2>On the training data"},
		{"path --lambdas 3 --ratio 0.1", file, "<h2>Coefficients"},
	} {
		// section returns the part of a page from c.heading to the table of all fits or the command line.
		section := func(path string) string {
			text := textOf(t, path)
			index := strings.Index(text, c.heading)
			if index < 0 {
				t.Fatalf("%s: no %s in %s", c.flags, c.heading, text)
			}
			text, _, _ = strings.Cut(text[index:], "<h2>To repeat it")
			text, _, _ = strings.Cut(text, "<h2>Every")
			return text
		}
		singlePage, ranksPage := filepath.Join(dir, "single.html"), filepath.Join(dir, "page.html")
		args := append(strings.Fields(c.flags), "--tol", "1e-10", c.file)
		succeed(t, append(args, "--report", singlePage)...)
		want := section(singlePage)
		for _, ranks := range []int{1, 2, 4} {
			jsonOnRanks(t, ranks, append(args, "--json", "--report", ranksPage)...)
			got := section(ranksPage)
			if numberPattern.ReplaceAllString(got, "0") != numberPattern.ReplaceAllString(want, "0") {
				t.Errorf("%s: %d ranks: page %s, want %s", c.flags, ranks, got, want)
				continue
			}
			wantNumbers := numberPattern.FindAllString(want, -1)
			for k, text := range numberPattern.FindAllString(got, -1) {
				a, _ := strconv.ParseFloat(text, 64)
				b, _ := strconv.ParseFloat(wantNumbers[k], 64)
				if math.Abs(a-b) > 1e-5*max(1, math.Abs(b)) {
					t.Errorf("%s: %d ranks: number %d of the page is %s, want %s", c.flags, ranks, k, text, wantNumbers[k])
				}
			}
			for _, message := range []string{fmt.Sprintf("mpirun -n %d", ranks), fmt.Sprintf(">ranks</th><td>%d, each", ranks)} {
				if strings.Contains(textOf(t, ranksPage), message) != (ranks > 1) {
					t.Errorf("%s: %d ranks: is %q on the page?", c.flags, ranks, message)
				}
			}
		}
	}
}

// blockLabel returns a label for row k of distData, one of three classes. With two or more ranks, no rank has
// rows of all classes.
func blockLabel(k int) int { return k / 150 }

// relabel copies the rows of file to a file in dir. The label of row k is labelOf(k).
func relabel(t *testing.T, dir, file string, labelOf func(k int) int) string {
	t.Helper()
	var rows strings.Builder
	for k, row := range strings.SplitAfter(strings.TrimSpace(textOf(t, file)), "\n") {
		_, entries, _ := strings.Cut(row, " ")
		fmt.Fprintf(&rows, "%d %s", labelOf(k), entries)
	}
	return writeText(t, dir, "several.svm", rows.String())
}

// writeWords writes the data of a file to the .scas file dir/name. The labels become words: words[0] replaces
// the smallest label.
func writeWords(t *testing.T, dir, name, file string, words ...string) string {
	t.Helper()
	d, err := sparse.ReadFile(file, &sparse.ReadOptions{AnyLabels: true})
	if err != nil {
		t.Fatal(err)
	}
	d.Classes = sparse.Classes{Values: slices.Compact(slices.Sorted(slices.Values(d.Labels))), Names: words}
	path := filepath.Join(dir, name)
	if err := sparse.WriteFile(path, d); err != nil {
		t.Fatal(err)
	}
	return path
}

// compareReports checks that two reports agree. Objectives may differ by the sum of their gaps, and the means
// of scas cv by tolerance·max(1, |mean|).
func compareReports(t *testing.T, name string, got, want map[string]any, tolerance float64) {
	t.Helper()
	number := func(m any, name string) float64 { return m.(map[string]any)[name].(float64) }
	for _, chosen := range []string{"min", "one_se"} {
		if want[chosen] != nil && number(got[chosen], "index") != number(want[chosen], "index") {
			t.Errorf("%s: %s is lambda %v, want %v", name, chosen, number(got[chosen], "index"), number(want[chosen], "index"))
		}
	}
	fits := func(report map[string]any) []any {
		for _, list := range []string{"steps", "classes"} {
			if reports, ok := report[list].([]any); ok {
				return reports
			}
		}
		return []any{report}
	}
	for k, wantFit := range fits(want) {
		gotFit := fits(got)[k]
		a, b := wantFit.(map[string]any), gotFit.(map[string]any)
		if fmt.Sprint(a["class"], a["rows"]) != fmt.Sprint(b["class"], b["rows"]) {
			t.Errorf("%s: class %v of %v rows, want %v of %v", name, b["class"], b["rows"], a["class"], a["rows"])
		}
		gapSum := number(wantFit, "duality_gap") + number(gotFit, "duality_gap")
		if difference := math.Abs(number(wantFit, "objective") - number(gotFit, "objective")); difference > gapSum+1e-12 {
			t.Errorf("%s: the objectives of fit %d are %g apart", name, k, difference)
		}
		if want["folds"] == nil {
			continue
		}
		if a, b := number(gotFit, "mean"), number(wantFit, "mean"); math.Abs(a-b) > tolerance*max(1, math.Abs(b)) {
			t.Errorf("%s: at lambda %d the mean is %.12g, want %.12g", name, k, a, b)
		}
	}
}

func parseJSON(t *testing.T, text string) (m map[string]any) {
	t.Helper()
	err := json.Unmarshal([]byte(text), &m)
	if err == nil {
		err = addOnlyModel([]byte(text), &m)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestRanksNoOptimum checks that ranks report "no optimum" if a feature separates the classes in all rows,
// but not if it separates them only in the rows of some ranks.
func TestRanksNoOptimum(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"apart.svm":    strings.Repeat("-1 1:-1\n+1 1:2\n", 10),
		"together.svm": strings.Repeat("-1 1:-1\n+1 1:2\n", 9) + "-1 1:2\n+1 1:-1\n",
	} {
		path := writeText(t, dir, name, text)
		for _, flags := range []string{"", "--intercept"} {
			for _, ranks := range []int{1, 2, 4} {
				rank0 := onRanks(t, ranks,
					append([]string{"train", "--lambda", "0", "--tol", "1e-3", "--json", path}, strings.Fields(flags)...)...)[0]
				noOptimum := parseJSON(t, rank0.out)["no_optimum"] == true
				if want := name == "apart.svm"; noOptimum != want ||
					want != strings.Contains(rank0.stderr, "there is no optimum") {
					t.Errorf("%s %s, %d ranks: no optimum %v: %s", name, flags, ranks, noOptimum, rank0.stderr)
				}
			}
		}
	}
}

// TestRanksOfSeveralFiles checks ranks that have rows of several .scas files. If indices count from 0 in some
// of the texts from which the files were made, and from 1 in others, the files may not be joined.
func TestRanksOfSeveralFiles(t *testing.T) {
	_, shards := distData(t)
	dir := t.TempDir()
	for k, part := range []int{0, 1, 1} {
		for _, base := range []sparse.IndexBase{sparse.ZeroBased, sparse.AutoBase} { // only part 0 has the index 0
			d, err := sparse.ReadFile(strings.Replace(shards, "*", strconv.Itoa(part), 1),
				&sparse.ReadOptions{AnyLabels: true, Features: 12, IndexBase: base})
			if err == nil {
				err = sparse.WriteFile(filepath.Join(dir, fmt.Sprintf("base-%v-%d.scas", base, k)), d)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := jsonOnRanks(t, 2, "train", "--lambda", "1e-2", "--json",
		filepath.Join(dir, "base-0-*.scas")); fmt.Sprint(got["p"]) != "12" {
		t.Errorf("%v features, want 12", got["p"])
	}
	for ranks, want := range map[int]string{
		2: "from 1, and the features of the first file from 0", 3: "--index-base 0 or --index-base 1",
	} {
		messages := ""
		for _, result := range onRanks(t, ranks, "train", filepath.Join(dir, "base-auto-*.scas")) {
			messages += result.stderr
			if result.code != exitIO {
				t.Errorf("%d ranks: exit code %d", ranks, result.code)
			}
		}
		if !strings.Contains(messages, want) {
			t.Errorf("%d ranks: %q", ranks, messages)
		}
	}
}

// TestRanksRefuse checks commands that fail. If several ranks have errors, all ranks must end with the exit
// code of the lowest of these ranks. Only one rank may print an error, except for wrong usage.
func TestRanksRefuse(t *testing.T) {
	file, shards := distData(t)
	dir := t.TempDir()
	b := textOf(t, file)
	write := func(name, text string) string { return writeText(t, dir, name, text) }
	oneRowClass, brokenData := write("third.svm", b+"9 1:1\n"), write("broken.svm", b+"4 1:x\n")
	fractionLabels := write("halves.svm", b+"9.5 1:1\n9.5 2:1\n")
	threeClasses := write("classes.svm", b+"9 1:1\n9 2:1\n")
	writeWords(t, dir, "words-0.scas", file, "no", "yes")
	writeWords(t, dir, "words-1.scas", file, "perhaps", "yes")
	writeWords(t, dir, "words-2.scas", file, "perhaps", "yes")
	yes := writeWords(t, dir, "words.scas", file, "no", "yes")
	matrix := write("matrix.txt", "2 12 2\n1 1 1\n2 2 1\n")
	write("mixed-0.svm", "1 1:x\n")
	write("mixed-1.svm", b)
	// This error alone would have the exit code exitNotFinite.
	write("mixed-2.svm", "1 1:nan\n")
	// A rank for each index.
	edge := write("edge.svm", strings.Repeat("4 0:10\n", 20)+strings.Repeat("6 5:10\n", 20)+strings.Repeat("6 11:1\n", 20))
	halfWeights := write("half.txt", strings.Repeat("1\n", 200)+strings.Repeat("0\n", 200))
	for _, c := range []struct {
		args    string
		code    int
		message string
	}{
		{"train --intercept --mu 1 --method scas-k " + file, exitUsage, "give --no-intercept"},
		{"train --offset-column o " + file, exitUsage, "--offset FILE"},
		{"train --intercept --sample-weights " + file + " " + file, exitIO, "one weight a line"},
		{"train --sample-weights " + halfWeights + " " + file, exitIO, "that one rank has are 0"},
		{"train --intercept --sample-weights " + halfWeights + " " + file, exitIO, "that one rank has are 0"},
		{"train --intercept --time-limit 1ns " + file, exitNotConverged, "--time-limit"},
		{"train --method svrg " + file, exitUsage, "give --method auto, scas-k or scas-l"},
		{"train -", exitUsage, "name files"},
		{"train " + dir + "/none.svm", exitIO, "no such file"},
		{"train " + dir + "/[", exitIO, "no such file"},
		{"train " + oneRowClass, exitIO, "two rows or more of every class"},
		{"train " + fractionLabels, exitIO, "whole numbers for more"},
		{"train --positive 6 " + threeClasses, exitIO, "leave out --positive"},
		{"train " + brokenData, exitIO, ":401:"},
		{"train " + dir + "/mixed-*.svm", exitIO, "mixed-0.svm:1:"},
		{"train --positive 7 " + file, exitIO, "does not occur"},
		{"train --positive 4 " + yes, exitIO, "does not occur: the labels are no and yes"},
		{"train --loss squared " + yes, exitIO, `labels that are words, such as "no": expected numbers`},
		{"train " + dir + "/words-[01].scas", exitIO, "words of its labels differ from the words in the first file"},
		{"train " + dir + "/words-?.scas", exitIO, "different words for the labels"},
		{"train --features 11 --index-base 0 " + shards, exitIO, "11"},
		{"train --features 11 " + edge, exitIO, "the index 11 is too large for the 11 features"},
		{"train --loss squared --lambda 1e-2 --time-limit 1ns " + file, exitNotConverged, "--time-limit"},
		{"train -o /nowhere/model.json " + file, exitIO, "/nowhere"},
		{"path -o /nowhere/path.csv " + file, exitIO, "/nowhere"},
		{"path --report /nowhere/x.html " + file, exitIO, "/nowhere"},
		{"cv --folds 401 " + file, exitUsage, "400 rows"},
		{"cv -", exitUsage, "name files"},
		{"path --svg x.svg " + threeClasses, exitUsage, "several classes"},
		{"train --graph chain --svg x.svg " + threeClasses, exitUsage, "several classes"},
		{"train --graph " + matrix + " --svg x.svg " + file, exitUsage, "read as A itself"},
		{"cv --metric auc --folds 2 " + brokenData, exitIO, ":401:"},
		{"cv --time-limit 1ns " + file, exitNotConverged, "--time-limit"},
	} {
		messages := ""
		for r, result := range onRanks(t, 3, strings.Fields(c.args)...) {
			if result.code != c.code {
				t.Errorf("%s: rank %d has exit code %d, want %d: %q", c.args, r, result.code, c.code, result.stderr)
			}
			messages += result.stderr
		}
		if !strings.Contains(messages, c.message) || strings.Count("\n"+messages, "\nscas: ") != 1 && c.code != exitUsage {
			t.Errorf("%s: %q", c.args, messages)
		}
	}
}

// An endingComm is a Comm that calls end at the start of one call of AllReduceSum.
type endingComm struct {
	dist.Comm
	callsLeft int // number of calls of AllReduceSum left until end is called
	end       func()
}

func (c *endingComm) AllReduceSum(v []float64) error {
	c.callsLeft--
	if c.callsLeft == 0 {
		c.end()
	}
	return c.Comm.AllReduceSum(v)
}

// TestRanksInterrupted checks that an interrupt of one rank at any moment ends all ranks with the exit code
// of an interrupt, unless all ranks have finished before.
func TestRanksInterrupted(t *testing.T) {
	file, _ := distData(t)
	severalClasses := writeText(t, t.TempDir(), "several.svm", textOf(t, file)+"9 1:1\n9 2:1\n")
	for _, args := range []string{
		"train --dist mpi --lambda 1e-2 " + file, "train --dist mpi --method scas-k --passes 3 --tol none " + file,
		"train --dist mpi --lambda 1e-2 --intercept " + file, "train --dist mpi --lambda 1e-2 " + severalClasses,
		"path --dist mpi --lambdas 4 " + file, "path --dist mpi --lambdas 2 " + severalClasses,
		"cv --dist mpi --folds 3 --lambdas 3 --ratio 0.1 " + file,
	} {
		interrupts, step := 0, 8
		if testing.Short() {
			step = 2
		}
		for k, done := 1, false; !done; k += 1 + k/step {
			ctx, cancel := context.WithCancel(t.Context())
			var results [2]outcome
			var wg sync.WaitGroup
			for r, comm := range dist.Local(2, 20*time.Second) {
				wg.Go(func() {
					e := env{join: func() (dist.Comm, error) { return comm, nil }}
					if r == 1 {
						e.ctx = ctx
						e.join = func() (dist.Comm, error) { return &endingComm{comm, k, cancel}, nil }
					}
					results[r] = runWith(t, e, strings.Fields(args)...)
				})
			}
			wg.Wait()
			done = ctx.Err() == nil
			cancel()
			message := results[0].stderr + results[1].stderr
			switch codes := [2]int{results[0].code, results[1].code}; codes {
			case [2]int{exitOK, exitOK}:
			case [2]int{exitInterrupted, exitInterrupted}:
				interrupts++
				if strings.Count(message, "scas: interrupted") != 1 {
					t.Errorf("%s, at message %d: %q", args, k, message)
				}
			default:
				t.Errorf("%s, at message %d: exit codes %v: %q", args, k, codes, message)
			}
		}
		if interrupts == 0 {
			t.Errorf("%s: never interrupted", args)
		}
	}
}
