package attack

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// module is the path of the module that contains the program.
const module = "github.com/scas-admm/scas"

// A ground holds what all attacks share: the options, the program, its inputs, and the jobs.
type ground struct {
	opt  Options
	ctx  context.Context
	peak atomic.Int64 // largest resident size of a process, bytes

	once sync.Once
	scas string
	err  error

	jobs *jobs // made when the first kind needs them

	traced sync.Once
	strace string // name of the strace program; empty if strace does not work here
}

func (g *ground) say(line string) {
	if g.opt.Say != nil {
		g.opt.Say(line)
	}
}

// program returns the path of the program. The first call builds it, unless Options.Scas names one.
func (g *ground) program() (string, error) {
	g.once.Do(func() {
		if g.scas = g.opt.Scas; g.scas != "" {
			g.scas, g.err = filepath.Abs(g.scas)
			return
		}
		g.scas = filepath.Join(g.opt.Dir, "scas")
		build := exec.CommandContext(g.ctx, "go", "build", "-o", g.scas, module+"/solver/cmd/scas")
		// Without cgo the program is static, so no dynamic loader can fail before it starts.
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			g.err = fmt.Errorf("building the program: %w\n%s", err, out)
		}
	})
	return g.scas, g.err
}

// tempDir makes an empty directory for a trial.
func (g *ground) tempDir(pattern string) (string, error) {
	dir, err := os.MkdirTemp(g.opt.Dir, pattern+"-")
	if err != nil {
		return "", err
	}
	return dir, os.Chmod(dir, 0o755)
}

// A call is one run of the program.
type call struct {
	dir     string // working directory
	args    []string
	wrap    []string // a command, with its arguments, that runs the program
	env     []string
	started func(p *os.Process) // called with the process when it has started
	limit   time.Duration       // zero means a minute
	nobody  bool                // run as the user nobody
}

// An ending says how a run of the program ended.
type ending struct {
	code           int // -1 if a signal ended it
	signal         string
	stdout, stderr string
	seconds        float64
	peak           int64 // largest resident size in bytes
}

// callLimit is the default time limit of a run. It is long, because machines may be busy.
const callLimit = time.Minute

// call runs the program to its end. It returns an error if the program could not be run, or took
// too long.
func (g *ground) call(ctx context.Context, c call) (*ending, error) {
	program, err := g.program()
	if err != nil {
		return nil, err
	}
	if c.limit == 0 {
		c.limit = callLimit
	}
	ctx, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel()
	line := append(append(append([]string{}, c.wrap...), program), c.args...)
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	cmd.Dir, cmd.Env = c.dir, append(os.Environ(), c.env...)
	cmd.WaitDelay = 10 * time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	apart(cmd, c.nobody)
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	if c.started != nil {
		c.started(cmd.Process)
	}
	err = cmd.Wait()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil && g.ctx.Err() == nil:
		return nil, fmt.Errorf("%s: not ended after %v\n%s", strings.Join(c.args, " "), c.limit, head(stderr.String()))
	case err != nil && !errors.As(err, &exit):
		return nil, fmt.Errorf("%s: %w", strings.Join(line, " "), err)
	}
	e := &ending{code: cmd.ProcessState.ExitCode(), stdout: stdout.String(), stderr: stderr.String(), seconds: time.Since(start).Seconds()}
	e.signal, e.peak = usage(cmd.ProcessState)
	for old := g.peak.Load(); e.peak > old && !g.peak.CompareAndSwap(old, e.peak); old = g.peak.Load() {
	}
	return e, nil
}

// head returns at most the first 2,000 bytes of a text.
func head(s string) string {
	const most = 2000
	if len(s) > most {
		return s[:most] + "..."
	}
	return s
}

// These are the exit codes that the program documents.
const (
	exitOK           = 0
	exitIO           = 1
	exitUsage        = 2
	exitNotFinite    = 3
	exitNotConverged = 4
	exitInterrupted  = 130
)

// orderly returns an error if a run ended in a way that is wrong for every command line: with an
// undocumented exit code, a crash, a signal, or a failure without an error message.
func (e *ending) orderly() error {
	crash := ""
	for _, text := range []string{e.stdout, e.stderr} {
		for _, mark := range []string{"panic:", "goroutine ", "fatal error:", "SIGSEGV", "runtime error"} {
			if strings.Contains(text, mark) {
				crash = mark
			}
		}
	}
	switch {
	case crash != "":
		return fmt.Errorf("a crash (%q): %s", crash, head(e.stderr))
	case e.signal != "":
		return fmt.Errorf("ended by signal %s: %s", e.signal, head(e.stderr))
	case e.code != exitInterrupted && (e.code < 0 || e.code > exitNotConverged):
		return fmt.Errorf("exit code %d: %s", e.code, head(e.stderr))
	case e.code != exitOK && !strings.Contains(e.stderr, "scas: ") && !strings.Contains(e.stderr, `"level":"error"`):
		return fmt.Errorf("exit code %d without a word: %s", e.code, head(e.stderr))
	}
	return nil
}

// leftovers lists the temporary files in a directory.
func leftovers(dir string) (left []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".tmp") {
			left = append(left, e.Name())
		}
	}
	return left, err
}

// put writes files into a directory.
func put(dir string, files map[string]string) error {
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
