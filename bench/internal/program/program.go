// Package program builds the program scas and runs it as a process. Read Call and Call.Run first.
package program

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// Path is the import path of the program scas.
const Path = "github.com/scas-admm/scas/solver/cmd/scas"

// FindOrBuild returns path as an absolute path. If path is empty, it builds the program in the directory dir,
// and returns the absolute path of the new file.
func FindOrBuild(ctx context.Context, path, dir string) (string, error) {
	if path != "" {
		return filepath.Abs(path)
	}
	file := filepath.Join(dir, "scas")
	build := exec.CommandContext(ctx, "go", "build", "-o", file, Path)
	// Without cgo the program is static, so no dynamic loader can fail before the program starts.
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building the program: %w\n%s", err, out)
	}
	return file, nil
}

// A Call is one run of a program.
type Call struct {
	Program  string // path of the program
	Args     []string
	Dir      string              // working directory; empty means the directory of this process
	Wrapper  []string            // a command and its arguments, to which Program and Args are appended
	OnStart  func(p *os.Process) // called with the process when the process has started; may be nil
	Limit    time.Duration       // the time after which the run is killed; zero means no limit
	AsNobody bool                // run as the user nobody, if this process runs as root
}

// An Ending says how a run ended, and has its times and its memory.
type Ending struct {
	Code           int    // exit code; −1 if a signal ended the program
	Signal         string // the signal that ended the program, or ""
	Stdout, Stderr string
	CPU, Wall      time.Duration // processor time, system calls included; elapsed time
	// Peak is the largest resident size in bytes, but at least the resident size that the calling process had
	// when the run started. It is 0 if the size is not known.
	Peak int64
}

// Run runs the program to its end. It returns an error if the program could not be run, took longer than
// c.Limit, or was ended by ctx. An exit code other than 0, or the end by a signal, is not an error.
func (c *Call) Run(ctx context.Context) (*Ending, error) {
	limitedCtx := ctx
	if c.Limit > 0 {
		var cancel context.CancelFunc
		limitedCtx, cancel = context.WithTimeout(ctx, c.Limit)
		defer cancel()
	}
	line := slices.Concat(c.Wrapper, []string{c.Program}, c.Args)
	cmd := exec.CommandContext(limitedCtx, line[0], line[1:]...)
	cmd.Dir, cmd.WaitDelay = c.Dir, 10*time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	Isolate(cmd)
	if c.AsNobody {
		becomeNobody(cmd)
	}
	peakKnown := forgetPeak()
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	if c.OnStart != nil {
		c.OnStart(cmd.Process)
	}
	err := cmd.Wait()
	_, exited := errors.AsType[*exec.ExitError](err)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case limitedCtx.Err() != nil:
		return nil, fmt.Errorf("%s: not ended after %v\n%s",
			strings.Join(c.Args, " "), c.Limit, stderr.String())
	case err != nil && !exited:
		return nil, fmt.Errorf("%s: %w", strings.Join(line, " "), err)
	}
	s := cmd.ProcessState
	e := &Ending{
		Code: s.ExitCode(), Stdout: stdout.String(), Stderr: stderr.String(),
		CPU: s.UserTime() + s.SystemTime(), Wall: time.Since(start),
	}
	e.Signal, e.Peak = signalAndPeak(s)
	if !peakKnown {
		e.Peak = 0
	}
	return e, nil
}

// forgetPeak sets the largest resident size that Linux has stored for this process to the present size. This
// is needed because a new process begins with the largest size of its parent. forgetPeak returns false
// only if Linux refuses.
func forgetPeak() bool {
	if _, err := os.Stat("/proc/self/clear_refs"); err != nil {
		return true
	}
	debug.FreeOSMemory()
	return os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) == nil
}
