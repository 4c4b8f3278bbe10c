package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/scas-admm/scas/sparse"
)

// This file has functions that run scas, and functions that make data, for several tests.

// An outcome is what a command has printed, and its exit code.
type outcome struct {
	out, stderr string
	code        int
}

func runHere(t *testing.T, args ...string) outcome { return runWith(t, env{}, args...) }

// runWith runs a command in this process with e. If the context, the input or an output of e is nil, runWith
// sets it first.
func runWith(t *testing.T, e env, args ...string) outcome {
	var out, errs lockedBuffer
	e.ctx, e.stdin = cmp.Or(e.ctx, t.Context()), cmp.Or(e.stdin, io.Reader(strings.NewReader("")))
	e.stdout, e.stderr = cmp.Or(e.stdout, io.Writer(&out)), cmp.Or(e.stderr, io.Writer(&errs))
	code := run(&e, args)
	return outcome{out.String(), errs.String(), code}
}

// succeed runs a command in this process, and returns what it has printed. The test fails if the exit code is
// not 0.
func succeed(t *testing.T, args ...string) (out, stderr string) {
	t.Helper()
	r := runHere(t, args...)
	if r.code != exitOK {
		t.Fatalf("scas %s: exit code %d: %s", strings.Join(args, " "), r.code, r.stderr)
	}
	return r.out, r.stderr
}

func jsonOf[T any](t *testing.T, args ...string) (out T) {
	t.Helper()
	text, _ := succeed(t, args...)
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return out
}

// runProcess runs a program with extra environment variables and returns its standard output. The test fails
// if the program fails.
func runProcess(t *testing.T, program string, env []string, args ...string) string {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", program, strings.Join(args, " "), err, out, &stderr)
	}
	return string(out)
}

// A lockedBuffer is a bytes.Buffer that several goroutines may use.
type lockedBuffer struct {
	lock sync.Mutex
	b    bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.lock.Lock()
	defer b.lock.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.lock.Lock()
	defer b.lock.Unlock()
	return b.b.String()
}

func textOf(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func writeText(t *testing.T, dir, name, text string) (path string) {
	t.Helper()
	path = filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func writeData(t *testing.T, dir, name string, d *sparse.Dataset) (path string) {
	t.Helper()
	path = filepath.Join(dir, name)
	if err := sparse.WriteFile(path, d); err != nil {
		t.Fatal(err)
	}
	return path
}

// newSynthetic returns random data with noisy labels of two classes.
func newSynthetic(t *testing.T, opt sparse.SyntheticOptions) *sparse.Synthetic {
	t.Helper()
	opt.Noise, opt.Seed = 1, cmp.Or(opt.Seed, 1)
	s, err := sparse.NewSynthetic(opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// writeWDBC writes the data of wdbcDataset to a LIBSVM file in dir.
func writeWDBC(t *testing.T, dir string) (path string) {
	t.Helper()
	d, err := wdbcDataset()
	if err != nil {
		t.Fatal(err)
	}
	return writeData(t, dir, "wdbc.svm", d)
}

// wdbcDataset returns the table of breast cancers in wdbc.csv.gz, standardised.
func wdbcDataset() (*sparse.Dataset, error) {
	d := readWDBC()
	x, err := d.X.ColumnStats().Standardize(d.X, true)
	return &sparse.Dataset{X: x, Labels: d.Labels}, err
}
