//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/scas-admm/scas/sparse"
)

// beyondLimit is a number of bytes, smaller than the test data. beyondMemory is the same limit as a value of
// --memory.
const beyondLimit, beyondMemory = 140 << 20, "140MiB"

// A beyondFiles has the names of test files. The data in path have two classes. The files path and
// fourClasses are larger than beyondLimit. The files weights and offsets have a number for each row.
type beyondFiles struct{ twoClasses, fourClasses, weights, offsets string }

// TestBeyondMemory checks the results and the peak memory of commands on data larger than --memory.
func TestBeyondMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	f := writeBeyond(t)
	t.Run("train", f.testTrain)
	t.Run("classes", f.testClasses)
	t.Run("path", f.testLambdas)
	t.Run("cv", f.testCV)
	t.Run("info", f.testInfo)
	t.Run("predict", f.testPredict)
	t.Run("graph", f.testGraphs)
	t.Run("progress", f.testProgress)
}

func writeBeyond(t *testing.T) *beyondFiles {
	t.Helper()
	const n = 300000
	d := newSynthetic(t, sparse.SyntheticOptions{Rows: n, Features: 60, Groups: 3, GroupSize: 5})
	classes := make([]float64, n)
	for i, b := range d.Labels {
		_, val := d.X.Row(i)
		classes[i] = b + 3
		if val[0] > 0 {
			classes[i] += 4
		}
	}
	var w, o strings.Builder
	for i := range n {
		fmt.Fprintln(&w, i%3)
		fmt.Fprintln(&o, float64(i%5)/2-1)
	}
	dir := t.TempDir()
	f := &beyondFiles{
		twoClasses:  writeData(t, dir, "d.scas", d.Dataset),
		fourClasses: writeData(t, dir, "many.scas", &sparse.Dataset{X: d.X, Labels: classes}),
		weights:     writeText(t, dir, "weights", w.String()), offsets: writeText(t, dir, "offsets", o.String()),
	}
	info, err := os.Stat(f.twoClasses)
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() < 3*beyondLimit/2 {
		t.Fatalf("%d bytes are too few", info.Size())
	}
	return f
}

type beyondReport struct {
	Status    string  `json:"status"`
	Objective float64 `json:"objective"`
	Gap       float64 `json:"duality_gap"`
	Run       struct {
		Method string `json:"method"`
		Plan   string `json:"plan"`
	} `json:"run"`
	Min struct {
		Index int     `json:"index"`
		Mean  float64 `json:"mean"`
		SE    float64 `json:"se"`
	} `json:"min"`
	Peak    int64 `json:"peak_memory"`
	Classes []struct {
		Status    string  `json:"status"`
		Objective float64 `json:"objective"`
		Gap       float64 `json:"duality_gap"`
	} `json:"classes"`
	Steps []struct {
		Status string  `json:"status"`
		Gap    float64 `json:"duality_gap"`
	} `json:"steps"`
}

// jsonOfProcess runs scas in a process of its own, so that the peak memory of the run can be measured. It
// parses the standard output as JSON, and ignores the standard error, which may have lines of progress.
func jsonOfProcess[T any](t *testing.T, args ...string) (r T) {
	t.Helper()
	out, err := exec.Command("scas", args...).Output()
	if err == nil {
		err = json.Unmarshal(out, &r)
	}
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return r
}

// testTrain compares fits out of core with fits in memory, and checks errors of fits out of core.
func (f *beyondFiles) testTrain(t *testing.T) {
	groups := writeText(t, t.TempDir(), "groups", "1 2 3\n9 7 11 20\n")
	trainArgs := []string{"train", "--json", "--lambda", "1e-3", f.twoClasses}
	for k, flags := range [][]string{
		{"--no-intercept", "--no-standardize"}, {"--sample-weights", f.weights, "--offset", f.offsets},
		{"--graph", "chain", "--groups", groups, "--domain", "box:0,1"},
	} {
		reference := jsonOfProcess[beyondReport](t, append(append(trainArgs, flags...), "--memory", "4GiB")...)
		check := func(args ...string) {
			r := jsonOfProcess[beyondReport](t, args...)
			t.Logf("%v: off by %.1e, gap %.1e, peak %d MiB", flags, r.Objective-reference.Objective, r.Gap, r.Peak>>20)
			streamed := r.Run.Plan == "streamed" || r.Run.Method == "streamed-newton"
			if !streamed || r.Status != "converged" || r.Peak > beyondLimit ||
				math.Abs(r.Objective-reference.Objective) > r.Gap+reference.Gap || r.Gap > 1e-6 {
				t.Errorf("%v: %+v, in memory %+v", args, r, reference)
			}
		}
		check(append(append(trainArgs, flags...), "--memory", beyondMemory)...)
		if k == 0 {
			t.Setenv("GOMEMLIMIT", beyondMemory)
			check(append(trainArgs, flags...)...)
			os.Unsetenv("GOMEMLIMIT")
		}
	}
	for _, flags := range [][]string{
		nil, {"--method", "scas-k", "--no-intercept", "--no-standardize"},
		{"--no-intercept", "--no-standardize"},
	} {
		modelPath := filepath.Join(t.TempDir(), "model.json")
		r := runHere(t,
			append([]string{
				"train", "--time-limit", "1us", "-o", modelPath, "--memory", beyondMemory, f.twoClasses,
			}, flags...)...)
		if _, err := os.Stat(modelPath); r.code != exitNotConverged || err == nil ||
			!strings.Contains(r.stderr, "the time limit came before") {
			t.Errorf("%v without time: exit code %d, %v: %s", flags, r.code, err, r.stderr)
		}
	}
	for flag, args := range map[string][]string{
		"--method sdca: the method is for data in memory; give --method auto, or give --method scas-k or scas-l with --no-intercept and --no-standardize; allow": {"--method", "sdca"},
		"checkpoints are only for data in memory; leave out --checkpoint; allow":                                                                                 {"--checkpoint", filepath.Join(t.TempDir(), "c")},
		"--method scas-k: out of core the method fits no intercept, and takes features as they are; give --no-intercept and --no-standardize; allow":             {"--method", "scas-k"},
		"--float32: it is only for data in memory; leave it out; allow":                                                                                          {"--float32"},
		"--passes 9: out of core it is only for the methods scas-k and scas-l; leave it out, or give --method scas-k or scas-l with --no-intercept and":          {"--passes", "9"},
	} {
		r := runHere(t, append([]string{"train", "--memory", beyondMemory, f.twoClasses}, args...)...)
		if r.code == exitOK || !strings.Contains(r.stderr, " (--memory): ") || !strings.Contains(r.stderr, flag) {
			t.Errorf("%v: %s", args, r.stderr)
		}
	}
}

func (f *beyondFiles) testClasses(t *testing.T) {
	trainArgs := []string{"train", "--json", "--lambda", "1e-2", "--class-weights", "balanced", f.fourClasses, "--memory"}
	reference := jsonOfProcess[beyondReport](t, append(trainArgs, "4GiB")...)
	modelPath := filepath.Join(t.TempDir(), "model.json")
	r := jsonOfProcess[beyondReport](t, append(trainArgs, beyondMemory, "-o", modelPath)...)
	if r.Status != "converged" || r.Peak > beyondLimit || len(r.Classes) != 4 {
		t.Errorf("%+v", r)
	}
	for k, c := range r.Classes {
		w := reference.Classes[k]
		t.Logf("off by %.1e, gap %.1e, peak %d MiB", c.Objective-w.Objective, c.Gap, r.Peak>>20)
		if c.Status != "converged" || math.Abs(c.Objective-w.Objective) > c.Gap+w.Gap || c.Gap > 1e-6 {
			t.Errorf("%+v, in memory %+v", c, w)
		}
	}
	f.samePredictions(t, modelPath, f.fourClasses, "--metrics")
}

func (f *beyondFiles) testLambdas(t *testing.T) {
	r := jsonOfProcess[beyondReport](t, "path", "--json", "--lambdas", "4", "--ratio", "1e-2", f.twoClasses,
		"--memory", beyondMemory)
	if r.Peak > beyondLimit || len(r.Steps) != 4 {
		t.Errorf("%d lambdas with %d bytes", len(r.Steps), r.Peak)
	}
	for _, s := range r.Steps {
		if !(s.Gap <= 1e-6) || s.Status != "converged" {
			t.Errorf("%+v", s)
		}
	}
}

func (f *beyondFiles) testProgress(t *testing.T) {
	for want, args := range map[string][]string{
		`scas: [0-9]+ s: pass [0-9.]+   objective 0.[0-9]+`: {
			"train", "--lambda", "1e-3", "--no-intercept", "--no-standardize",
		},
		`scas: [0-9]+ s: pass 0.[0-9]+\n`: {"train", "--lambda", "1e-3"},
		`scas: [0-9]+ s: model [12] of 2   pass [0-9.]+(, about .* left)?\n`: {
			"cv", "--metric", "auc", "--lambdas", "1", "--folds", "2",
		},
		`scas: [0-9]+ s: lambda 2 of 2   pass [0-9.]+   objective 0.[0-9]+`: {"path", "--lambdas", "2"},
	} {
		r := runWith(t, env{interval: time.Millisecond}, append(args, "--memory", beyondMemory, f.twoClasses)...)
		if r.code != exitOK || !regexp.MustCompile(want).MatchString(r.stderr) {
			t.Errorf("%v: exit code %d: want %s, stderr is %.500s", args, r.code, want, r.stderr)
		}
	}
}

func (f *beyondFiles) testCV(t *testing.T) {
	r := jsonOfProcess[beyondReport](t, "cv", "--json", "--lambdas", "2", "--ratio", "1e-1", "--folds", "2",
		"--tol", "1e-4", "--metric", "auc", "--sample-weights", f.weights, "--memory", beyondMemory, f.fourClasses)
	t.Logf("mean %v ± %v; peak %d MiB", r.Min.Mean, r.Min.SE, r.Peak>>20)
	if r.Peak > beyondLimit || r.Steps[r.Min.Index].Status != "converged" || r.Min.Index != 1 ||
		!(r.Min.Mean > 0.95 && r.Min.Mean < 1) {
		t.Errorf("%+v", r)
	}
}

func (f *beyondFiles) testInfo(t *testing.T) {
	var data [2]dataSummary
	for k, memory := range []string{"4GiB", beyondMemory} {
		data[k] = *jsonOfProcess[infoReport](t, "info", "--json", "--memory", memory, f.twoClasses).Data
	}
	if peak := data[1].Memory.Peak; peak > beyondLimit || data[1].Memory.Solver != 0 {
		t.Errorf("%+v", data[1].Memory)
	}
	if a, b := data[0].FeatureSD.Mean, data[1].FeatureSD.Mean; math.Abs(float64(a-b)) > 1e-12*float64(a) {
		t.Errorf("deviations %v, in memory %v", b, a)
	}
	for k := range data {
		data[k].Memory, data[k].FeatureSD = memoryUse{}, spread{}
	}
	if !reflect.DeepEqual(data[0], data[1]) {
		t.Errorf("%+v, in memory %+v", data[1], data[0])
	}
}

func (f *beyondFiles) testPredict(t *testing.T) {
	dir := t.TempDir()
	modelPath := filepath.Join(dir, "model.json")
	succeed(t, "train", "--lambda", "1e-3", "-o", modelPath, "--memory", beyondMemory, f.twoClasses)
	predictArgs := []string{"predict", "-m", modelPath, f.twoClasses, "--memory"}
	want := f.samePredictions(t, modelPath, f.twoClasses,
		"--metrics", "--offset", f.offsets, "--threshold", "0.3")
	text, report := succeed(t, append(predictArgs, beyondMemory, "--offset", f.offsets, "--threshold", "0.3")...)
	if text != want || !strings.Contains(report, "accuracy") {
		t.Errorf("standard output differs, or the report has no accuracy: %s", report)
	}
	r := runHere(t, append(predictArgs, beyondMemory, "--svg", filepath.Join(dir, "roc.svg"))...)
	if r.code == exitOK || !strings.Contains(r.stderr, "--svg draws") || !strings.Contains(r.stderr, "memory") {
		t.Errorf("--svg: %.1000s", r.stderr)
	}
	ctx, cancel := context.WithCancel(t.Context())
	stdout := &cancelOnWrite{cancel: cancel}
	r = runWith(t, env{ctx: ctx, stdout: stdout}, append(predictArgs, beyondMemory)...)
	if r.code != exitInterrupted || stdout.String() == "" ||
		!strings.Contains(r.stderr, "interrupted: the printed predictions may not be complete") {
		t.Errorf("interrupted: exit code %d, %d bytes printed: %s", r.code, len(stdout.String()), r.stderr)
	}
}

// samePredictions checks that scas predict has equal predictions and equal reports in memory and out of core.
// It returns the predictions.
func (f *beyondFiles) samePredictions(t *testing.T, model, data string, flags ...string) string {
	t.Helper()
	dir := t.TempDir()
	var outs, reports [2]string
	for k, memory := range []string{"4GiB", beyondMemory} {
		out := filepath.Join(dir, memory)
		args := append([]string{"predict", "-m", model, data, "--memory", memory, "-o", out}, flags...)
		r := runWith(t, env{interval: time.Hour}, args...) // no lines of progress, however slow this machine is
		if r.code != exitOK {
			t.Fatalf("%v: exit code %d: %s", args, r.code, r.stderr)
		}
		outs[k], reports[k] = textOf(t, out), r.stderr
	}
	if outs[0] != outs[1] || reports[0] != reports[1] || !strings.Contains(reports[0], "AUC") {
		t.Errorf("predictions differ: %s, %s", reports[0], reports[1])
	}
	return outs[0]
}

func (f *beyondFiles) testGraphs(t *testing.T) {
	for _, flags := range [][]string{
		{"--edges", "40", "--weighted"}, {"--antisym"}, {"--method", "chain"},
	} {
		var outs [2]string
		for k, memory := range []string{"4GiB", "128MiB"} {
			out := filepath.Join(t.TempDir(), "graph")
			r := jsonOfProcess[beyondReport](t,
				append([]string{"graph", "--json", "--memory", memory, "-o", out, f.twoClasses}, flags...)...)
			if k == 1 && r.Peak > 128<<20 {
				t.Errorf("%v: peak %d MiB", flags, r.Peak>>20)
			}
			t.Logf("%v, %s: peak %d MiB", flags, memory, r.Peak>>20)
			outs[k] = textOf(t, out)
		}
		if outs[0] != outs[1] || outs[0] == "" {
			t.Errorf("%v: graphs differ", flags)
		}
	}
	b := []byte(textOf(t, f.twoClasses))
	b[len(b)/2] ^= 1
	bad := writeText(t, t.TempDir(), "bad.scas", string(b))
	for _, flags := range [][]string{{"--edges", "40"}, {"--method", "chain"}} {
		r := runHere(t, append([]string{"graph", "--memory", beyondMemory, bad}, flags...)...)
		if r.code == exitOK || !strings.Contains(r.stderr, "checksum") {
			t.Errorf("%v of a damaged file: %s", flags, r.stderr)
		}
	}
}
