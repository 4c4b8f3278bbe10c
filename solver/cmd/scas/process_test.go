package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/baseline"
	"github.com/scas-admm/scas/solver/model"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph/glasso"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

// scas runs a program with extra environment variables and returns its standard output, which has no lines of
// progress. The test fails if the program fails.
func scas(t *testing.T, program string, env []string, args ...string) string {
	t.Helper()
	out, _ := scasOutputs(t, program, env, args...)
	return out
}

// scasOutputs is like scas, but returns standard error as well.
func scasOutputs(t *testing.T, program string, env []string, args ...string) (out, errs string) {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), env...)
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %s: %v\n%s%s", program, strings.Join(args, " "), err, &stdout, &stderr)
	}
	return stdout.String(), stderr.String()
}

// writeWDBC writes the embedded table as a LIBSVM file.
func writeWDBC(t *testing.T, dir string) (path string) {
	t.Helper()
	d, err := wdbcDataset()
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(dir, "wdbc.svm")
	if err := sparse.WriteFile(path, &sparse.Dataset{X: d.X, Labels: d.Labels}); err != nil {
		t.Fatal(err)
	}
	return path
}

// buildV3 builds scas for x86-64-v3. For this level the compiler fuses products into sums wherever the code
// allows it. buildV3 returns "" if this machine cannot run the program.
func buildV3(t *testing.T) string {
	t.Helper()
	if runtime.GOARCH != "amd64" || kernels.Use(kernels.AVX2) != nil {
		return ""
	}
	program := filepath.Join(t.TempDir(), "scas-v3")
	cmd := exec.Command("go", "build", "-o", program, ".")
	cmd.Env = append(os.Environ(), "GOAMD64=v3")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("building for v3: %v\n%s", err, out)
	}
	return program
}

// sameModels trains at every kernel level of this machine, also with v3, a program built for x86-64-v3. It
// checks that all model files are equal to the byte.
func sameModels(t *testing.T, v3 string, args ...string) {
	t.Helper()
	dir := t.TempDir()
	type way struct{ name, program, level string }
	var ways []way
	for _, l := range kernels.Available() {
		ways = append(ways, way{l.String(), "scas", l.String()})
		if v3 != "" {
			ways = append(ways, way{l.String() + "-v3", v3, l.String()})
		}
	}
	var first []byte
	for _, w := range ways {
		path := filepath.Join(dir, w.name)
		out := scas(t, w.program, []string{"SCAS_LEVEL=" + w.level}, append([]string{"train", "-o", path, "--json"}, args...)...)
		if !strings.Contains(out, `"level": "`+w.level+`"`) {
			t.Fatalf("%s: not run at that level:\n%s", w.name, out)
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = got
		}
		if !bytes.Equal(got, first) {
			t.Errorf("%s: the model differs from %s's", w.name, ways[0].name)
		}
	}
}

// TestModelsEqualAtEveryLevel checks that equal seeds give equal model files at every kernel level, and also
// if the compiler may fuse products into sums.
func TestModelsEqualAtEveryLevel(t *testing.T) {
	sparsetest.Long(t)
	data, v3 := writeWDBC(t, t.TempDir()), buildV3(t)
	for name, args := range map[string][]string{
		"lasso":   {"--lambda", "1e-3", "--no-intercept", "--no-standardize"},
		"fitted":  {"--lambda", "1e-3", "--intercept"},
		"tied":    {"--lambda", "1e-3", "--intercept", "--graph", "chain", "--class-weights", "balanced"},
		"chain":   {"--graph", "chain", "--seed", "5", "--output", "average"},
		"scas":    {"--method", "scas", "--mu", "0.01", "--no-intercept"},
		"strong":  {"--method", "scas-strong", "--mu", "0.01", "--no-intercept"},
		"squared": {"--loss", "squared", "--no-intercept", "--no-standardize"},
		"box":     {"--domain", "box:-0.2,0.3"},
		"ball":    {"--domain", "ball:0.7", "--graph", "chain", "--no-intercept"},
		"simplex": {"--domain", "simplex:2", "--class-weights", "balanced", "--no-intercept", "--no-standardize"},
		"hinge":   {"--loss", "squared-hinge", "--l2y", "0.1", "--batch-size", "7", "--no-intercept"},
		"huber":   {"--loss", "huber:0.5", "--float32", "--domain", "nonnegative"},
	} {
		t.Run(name, func(t *testing.T) {
			sameModels(t, v3, append(args, data)...)
			if !slices.Contains(args, "--method") && !slices.Contains(args, "--intercept") {
				sameModels(t, v3, append(args, "--method", "scas-k", "--passes", "40", data)...)
			}
		})
	}
}

// TestMethodsEqualAtEveryLevel checks every method as TestModelsEqualAtEveryLevel checks the default.
func TestMethodsEqualAtEveryLevel(t *testing.T) {
	sparsetest.Long(t)
	data, v3 := writeWDBC(t, t.TempDir()), buildV3(t)
	for _, m := range baseline.Methods() {
		name := m.Info().Name
		t.Run(name, func(t *testing.T) {
			sameModels(t, v3, "--method", name, "--mu", "0.01", "--no-intercept", "--graph", "chain", "--passes", "40", "--tol", "none", data)
		})
	}
}

func TestModelsEqualAtEveryLevelOnA9A(t *testing.T) {
	sparsetest.Long(t)
	dir := sparsetest.DataFile(t)
	v3 := buildV3(t)
	args := []string{"--features", "123", "--lambda", "1e-5", filepath.Join(dir, "paper", "a9a.zst")}
	passes := append([]string{"--method", "scas-k", "--passes", "10"}, args...)
	sameModels(t, v3, args...)
	sameModels(t, v3, passes...)
	edges := filepath.Join(dir, "graphs", "a9a_glasso_0.1.edges")
	if _, err := os.Stat(edges); err != nil {
		t.Skipf("no graph of a9a: nothing is checked with one (%v)", err)
	}
	sameModels(t, v3, append([]string{"--graph", edges}, args...)...)
	sameModels(t, v3, append([]string{"--graph", edges}, passes...)...)
}

// TestAwait checks that await returns when the context ends, even if the function that it called does not
// return.
func TestAwait(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	e := &env{ctx: ctx}
	if v, err := await(e, func() (int, error) { return 7, io.EOF }); v != 7 || !errors.Is(err, io.EOF) {
		t.Errorf("got %d, %v", v, err)
	}
	block := make(chan struct{})
	defer close(block)
	v, err := await(e, func() (int, error) {
		cancel()
		<-block
		return 7, nil
	})
	if v != 0 || exitCode(err) != exitInterrupted {
		t.Errorf("got %d, %v", v, err)
	}
}

// TestExitNotConverged checks the exit code for a graphical lasso that did not converge.
func TestExitNotConverged(t *testing.T) {
	if code := exitCode(fmt.Errorf("at 40 edges: %w", glasso.ErrNotConverged)); code != exitNotConverged {
		t.Errorf("exit code %d", code)
	}
}

// TestInterrupt checks that an interrupt ends a run with its own exit code and a message, and that the model
// file stays unchanged. The test sends the signal after the process has read from standard input, because the
// signal handler is installed then.
func TestInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no interrupts can be sent on Windows: nothing is checked")
	}
	dir := t.TempDir()
	text, err := os.ReadFile(writeWDBC(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	if len(text) < 1<<18 {
		t.Fatalf("%d bytes may fit into a pipe", len(text))
	}
	model := filepath.Join(dir, "m.json")
	if err := os.WriteFile(model, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("scas", "train", "--method", "scas-k", "--passes", "1e15", "-o", model, "-")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Write(text); err != nil {
		t.Fatal(err)
	}
	in.Close()
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	err = cmd.Wait()
	var ended *exec.ExitError
	if !errors.As(err, &ended) || ended.ExitCode() != exitInterrupted {
		t.Errorf("ended with %v, want exit code %d", err, exitInterrupted)
	}
	if !strings.Contains(stderr.String(), "scas: interrupted: no") {
		t.Errorf("stderr says %q", stderr.String())
	}
	if stdout.Len() > 0 {
		t.Errorf("stdout says %q", stdout.String())
	}
	if got, err := os.ReadFile(model); err != nil || string(got) != "old" {
		t.Errorf("the model is %q now (%v)", got, err)
	}
}

// TestSignals checks that a signal ends a run at once, even if the run waits for a pipe into which no process
// writes. Different flags name the pipe.
func TestSignals(t *testing.T) {
	dir := t.TempDir()
	fifo, data := filepath.Join(dir, "fifo"), writeWDBC(t, dir)
	if out, err := exec.Command("mkfifo", fifo).CombinedOutput(); err != nil {
		t.Skipf("no mkfifo: nothing is checked: %s", out)
	}
	for _, args := range [][]string{
		{"train", fifo}, {"train", "--graph", fifo, data}, {"train", "--groups", fifo, data}, {"train", "--sample-weights", fifo, data},
		{"train", "--intercept", "--graph", fifo, data}, {"path", "--graph", fifo, data}, {"path", fifo},
		{"cv", "--groups", fifo, data}, {"cv", "--sample-weights", fifo, data},
		{"predict", "-m", fifo, data}, {"graph", "--penalty", "1", "--correlation", fifo}, {"info", fifo},
	} {
		ctx, cancel := context.WithCancel(context.Background())
		var stderr bytes.Buffer
		e := &env{ctx: ctx, stdout: io.Discard, stderr: &stderr}
		done := make(chan int)
		go func() { done <- run(e, args) }()
		cancel()
		if code := <-done; code != exitInterrupted || !strings.Contains(stderr.String(), "interrupted") {
			t.Errorf("%v: exit code %d, %s", args, code, &stderr)
		}
	}
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if signal.Ignored(s) { // child processes inherit this, for example under nohup
			continue
		}
		cmd := exec.Command("scas", "train", "--method", "scas-k", "--passes", "1e15", "--log-format", "json", "--features", "2", "-")
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		row := strings.Repeat("1 1:1\n-1 2:1\n", 1<<15) // more than a pipe holds: after this write the signal handlers are installed
		if _, err := io.WriteString(in, row); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); cmd.ProcessState.ExitCode() != exitInterrupted {
			t.Errorf("%v: %v", s, err)
		}
		in.Close()
	}
}

// TestInterruptWhileTraining checks that training is interrupted if the context ends. The context ends at the
// first report of progress.
func TestInterruptWhileTraining(t *testing.T) {
	dir := t.TempDir()
	data, model := writeWDBC(t, dir), filepath.Join(dir, "m.json")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var stdout bytes.Buffer
	stderr := &cancelOnWrite{cancel: cancel}
	e := &env{ctx: ctx, stdout: &stdout, stderr: stderr, terminal: true}
	code := run(e, []string{"train", "--passes", "1e15", "-o", model, data})
	if code != exitInterrupted || !strings.Contains(stderr.String(), "scas: interrupted: no model written") {
		t.Errorf("exit code %d, stderr %q", code, stderr.String())
	}
	if _, err := os.Stat(model); !errors.Is(err, os.ErrNotExist) || stdout.Len() > 0 {
		t.Errorf("left a model (%v) or results %q", err, stdout.String())
	}
}

// TestInterruptOfAPath checks that path and cv are interrupted if the context ends, and write no file.
func TestInterruptOfAPath(t *testing.T) {
	dir := t.TempDir()
	data, csv := writeWDBC(t, dir), filepath.Join(dir, "p.csv")
	for _, command := range []string{"path", "cv"} {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		var stdout bytes.Buffer
		stderr := &cancelOnWrite{cancel: cancel}
		e := &env{ctx: ctx, stdout: &stdout, stderr: stderr, terminal: true}
		code := run(e, []string{command, "--tol", "1e-14", "-o", csv, data})
		if code != exitInterrupted || !strings.Contains(stderr.String(), "scas: interrupted: nothing written") {
			t.Errorf("%s: exit code %d, stderr %q", command, code, stderr.String())
		}
		if _, err := os.Stat(csv); !errors.Is(err, os.ErrNotExist) || stdout.Len() > 0 {
			t.Errorf("%s: left a file (%v) or results %q", command, err, stdout.String())
		}
	}
}

// A cancelOnWrite is a buffer that ends a context at the first report of progress.
type cancelOnWrite struct {
	bytes.Buffer
	cancel func()
}

func (c *cancelOnWrite) Write(p []byte) (int, error) {
	c.cancel()
	return c.Buffer.Write(p)
}

// A lockedBuffer is a bytes.Buffer to which several goroutines may write.
type lockedBuffer struct {
	lock sync.Mutex
	b    bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.lock.Lock()
	defer b.lock.Unlock()
	return b.b.Write(p)
}

// TestProgressLines checks the reports of progress if standard error is no terminal. Each report is a line of
// text or a JSON object.
func TestProgressLines(t *testing.T) {
	data := writeWDBC(t, t.TempDir())
	for want, args := range map[string][]string{
		`scas: [0-9]+ s: pass [0-9]+ of 30000(, gap [-0-9.e+]+)?(, about .* left)?\n`:                 {"train", "--method", "scas-k", "--passes", "30000", data},
		`scas: [0-9]+ s: lambda [0-9]+ of 3000   [-0-9.e]+   [0-9]+ coefficients(, about .* left)?\n`: {"path", "--lambdas", "3000", data},
		`scas: [0-9]+ s: model [0-9]+ of 2000(, about .* left)?\n`:                                    {"cv", "--folds", "5", "--lambdas", "400", data},
		`{"level":"info","msg":"[0-9]+ s: model [0-9]+ of 2000(, about .* left)?"}\n`:                 {"--log-format", "json", "cv", "--folds", "5", "--lambdas", "400", data},
	} {
		var stderr lockedBuffer
		e := &env{ctx: context.Background(), stdout: io.Discard, stderr: &stderr, every: time.Millisecond}
		if code := run(e, args); code != exitOK && code != exitNotConverged {
			t.Fatalf("%v: exit code %d: %.500s", args, code, &stderr.b)
		}
		if got := stderr.b.String(); !regexp.MustCompile(want).MatchString(got) || strings.Contains(got, "\r") {
			t.Errorf("%v: want %s, stderr is %.500s", args, want, got)
		}
	}
}

// TestProgressLine checks that on a terminal one line shows progress and is removed at the end. If stderr is
// no terminal, it stays empty in the first seconds.
func TestProgressLine(t *testing.T) {
	data := writeWDBC(t, t.TempDir())
	for _, terminal := range []bool{true, false} {
		var stderr bytes.Buffer
		e := &env{ctx: context.Background(), stdout: io.Discard, stderr: &stderr, terminal: terminal}
		if code := run(e, []string{"train", "--method", "scas-k", "--passes", "20", data}); code != exitOK {
			t.Fatalf("exit code %d: %s", code, &stderr)
		}
		got := stderr.String()
		if !terminal && got != "" {
			t.Errorf("piped: stderr %q", got)
		}
		if terminal && (!strings.Contains(got, "\rpass 20 of 20   objective 0.") || !strings.HasSuffix(got, " \r") || strings.Contains(got, "\n")) {
			t.Errorf("terminal: stderr %q", got)
		}
	}
}

// TestProgressTimes checks the times in a report: the time since the command began, and the estimated time
// that is left in the stage. A smaller share must begin a new stage.
func TestProgressTimes(t *testing.T) {
	for _, terminal := range []bool{true, false} {
		var stderr lockedBuffer
		e := &env{stderr: &stderr, terminal: terminal, every: time.Hour}
		p := e.begin("reading")
		p.bytes("reading", 90<<20, 100<<20)
		p.tick()
		p.classes(0, 105)
		back := func(start, began time.Duration) {
			p.start, p.began, p.shown = p.start.Add(-start), p.began.Add(-began), time.Time{}
		}
		back(3*time.Minute, 80*time.Second)
		p.classes(16, 105)
		p.tick()
		e.warn("of the command")
		p.show("%s", strings.Repeat("w", 90))
		back(2*time.Hour, 0)
		p.tick()
		p.end()
		p.show("nothing")
		got := stderr.b.String()
		want := `(?s)^\rreading: 90 % of 100 MiB   .*\rclass 17 of 105   3 min \d s, about 7 min 2\d s left   .*\r +\rscas: warning: of the command\n.*\rw{63}…   2 h 3 min   +\r +\r$`
		if !terminal {
			want = `^scas: 0 s: reading: 90 % of 100 MiB\nscas: 18\d s: class 17 of 105, about 7 min 2\d s left\nscas: warning: of the command\nscas: 73\d\d s: w{90}\n$`
		}
		if !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("terminal %v: want %s, got %q", terminal, want, got)
		}
	}
}

// TestProgressTowardGap checks the share of the work of a run that ends when its gap is small enough.
func TestProgressTowardGap(t *testing.T) {
	p := (&env{stderr: io.Discard, every: time.Hour}).begin("fitting")
	defer p.end()
	h := &iterationHandler{progress: p, goal: 1e-6, first: math.Inf(1), gap: math.Inf(1)}
	streamed := p.streamed()
	for name, report := range map[string]func(gap float64){
		"in memory": func(gap float64) { h.gap = gap; h.report(1, 0) },
		"streamed":  func(gap float64) { streamed(model.Progress{Gap: gap, Goal: 1e-6}) },
	} {
		for _, gap := range []float64{math.Inf(1), 1, 1e-3} {
			report(gap)
		}
		if p.share != 0.5 || !strings.HasSuffix(p.timeLeft(), " left") {
			t.Errorf("%s: share %v of the way from a gap of 1 to 1e-6, %q; want 0.5 and a time left", name, p.share, p.timeLeft())
		}
	}
}

// TestProgressOfCommands checks that each command with slow steps reports its progress.
func TestProgressOfCommands(t *testing.T) {
	dir := t.TempDir()
	data, model := writeWDBC(t, dir), filepath.Join(dir, "m.json")
	for _, c := range []struct {
		want string
		args []string
	}{
		{`\rpass \d+ of 20 `, []string{"train", "--method", "scas", "--passes", "20", data}},
		{`\rlambda \d+ of 4 `, []string{"path", "--lambdas", "4", data}},
		{`\rmodel \d+ of 12 `, []string{"cv", "--lambdas", "4", "--folds", "3", "-o", model, data}},
		{`\rreading wdbc.svm`, []string{"predict", "-m", model, data}},
		{`\rreading wdbc.svm`, []string{"graph", "--method", "knn", "--neighbours", "3", data}},
		{`\rmaking the graph: 30 features together, \d+ Newton steps?, gap `, []string{"graph", "--penalty", "0.05", data}},
		{`\r(reading|writing) wdbc.s`, []string{"convert", data, filepath.Join(dir, "wdbc.scas")}},
		{`\rreading wdbc.svm`, []string{"convert", data, filepath.Join(dir, "wdbc.npz")}},
	} {
		var stderr lockedBuffer
		e := &env{ctx: context.Background(), stdout: io.Discard, stderr: &stderr, terminal: true, every: 20 * time.Microsecond}
		if code := run(e, c.args); code != exitOK {
			t.Fatalf("%v: exit code %d: %s", c.args, code, &stderr.b)
		}
		if got := stderr.b.String(); !regexp.MustCompile(c.want).MatchString(got) {
			t.Errorf("%v: want %s, stderr is %q", c.args, c.want, got)
		}
	}
}
