package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse/graph/glasso"
)

// TestAwait checks that await returns when the context ends, even if the function that await has called does
// not return.
func TestAwait(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	e := &env{ctx: ctx}
	if v, err := await(e, func() (int, error) { return 7, io.EOF }); v != 7 || !errors.Is(err, io.EOF) {
		t.Errorf("got %d, %v", v, err)
	}
	release := make(chan struct{})
	defer close(release)
	v, err := await(e, func() (int, error) {
		cancel()
		<-release
		return 7, nil
	})
	if v != 0 || exitCode(err) != exitInterrupted {
		t.Errorf("got %d, %v", v, err)
	}
}

func TestExitNotConverged(t *testing.T) {
	if code := exitCode(fmt.Errorf("at 40 edges: %w", glasso.ErrNotConverged)); code != exitNotConverged {
		t.Errorf("exit code %d", code)
	}
}

// TestInterrupted checks that after an interrupt an error with another cause is still reported.
func TestInterrupted(t *testing.T) {
	runningCtx, cancel := context.WithCancel(t.Context())
	endedCtx, end := context.WithCancel(t.Context())
	defer cancel()
	end()
	diskFull := fmt.Errorf("run.ck: %w", syscall.ENOSPC)
	for _, c := range []struct {
		ctx  context.Context
		err  error
		want string
		code int
	}{
		{runningCtx, nil, "", exitOK},
		{endedCtx, nil, "", exitOK},
		{runningCtx, diskFull, diskFull.Error(), exitIO},
		{endedCtx, diskFull, "interrupted: no file; " + diskFull.Error(), exitInterrupted},
		{endedCtx, fmt.Errorf("class 2: %w", context.Canceled), "interrupted: no file", exitInterrupted},
		{runningCtx, context.Canceled, "interrupted: no file", exitInterrupted}, // another rank was interrupted
		{endedCtx, fmt.Errorf("a lambda: %w", solver.ErrNotConverged), "interrupted: no file", exitInterrupted},
	} {
		got, text := (&env{ctx: c.ctx}).interruptError(c.err, "no file"), ""
		if got != nil {
			text = got.Error()
		}
		if text != c.want || exitCode(got) != c.code {
			t.Errorf("%v: %q with exit code %d, want %q with %d", c.err, text, exitCode(got), c.want, c.code)
		}
	}
}

// TestInterruptAtAPipe checks that an interrupt ends a run at once, even if the run waits for a pipe without
// a writer.
func TestInterruptAtAPipe(t *testing.T) {
	dir := t.TempDir()
	fifo, data := filepath.Join(dir, "fifo"), writeWDBC(t, dir)
	if out, err := exec.Command("mkfifo", fifo).CombinedOutput(); err != nil {
		t.Skipf("no mkfifo: nothing is checked: %s", out)
	}
	for _, args := range [][]string{
		{"train", fifo}, {"train", "--graph", fifo, data}, {"train", "--groups", fifo, data},
		{"train", "--sample-weights", fifo, data},
		{"path", "--graph", fifo, data}, {"path", fifo}, {"cv", "--groups", fifo, data}, {"cv", "--sample-weights", fifo, data},
		{"predict", "-m", fifo, data}, {"graph", "--penalty", "1", "--correlation", fifo}, {"info", fifo},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan outcome)
		go func() { done <- runWith(t, env{ctx: ctx}, args...) }()
		cancel()
		if r := <-done; r.code != exitInterrupted || !strings.Contains(r.stderr, "interrupted") {
			t.Errorf("%v: exit code %d, %s", args, r.code, r.stderr)
		}
	}
}

// TestInterruptWhileFitting ends the context at the first report of progress. The command must report the
// interrupt and write no file.
func TestInterruptWhileFitting(t *testing.T) {
	dir := t.TempDir()
	data, output := writeWDBC(t, dir), filepath.Join(dir, "output")
	for args, want := range map[string]string{
		"train --method scas-k --tol none --passes 1e15": "scas: interrupted: no model written",
		"path --lambdas 5000":                            "scas: interrupted: nothing written",
		"cv --tol 1e-14":                                 "scas: interrupted: nothing written",
	} {
		ctx, cancel := context.WithCancel(t.Context())
		stderr := &cancelOnWrite{cancel: cancel}
		r := runWith(t, env{ctx: ctx, stderr: stderr, onTerminal: true}, append(strings.Fields(args), "-o", output, data)...)
		cancel()
		message := stderr.String()
		if r.code != exitInterrupted || r.out != "" || !strings.Contains(message, want) {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q", args, r.code, r.out, message)
		}
		if _, err := os.Stat(output); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: there is a file: %v", args, err)
		}
	}
}

// A cancelOnWrite is a buffer. When it first gets a text other than a report of reading, it calls cancel.
type cancelOnWrite struct {
	lockedBuffer
	cancel func()
}

func (c *cancelOnWrite) Write(p []byte) (int, error) {
	if !bytes.Contains(p, []byte("reading")) {
		c.cancel()
	}
	return c.lockedBuffer.Write(p)
}
