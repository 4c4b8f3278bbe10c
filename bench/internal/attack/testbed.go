package attack

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/scas-admm/scas/bench/internal/program"
)

// A testbed has the options, the program, the inputs and the jobs of all kinds of attack.
type testbed struct {
	opt      Options
	dir      string            // the directory in which the attacks write
	say      func(line string) // see Run
	scas     string            // path of the program
	inputDir string            // directory of the files that writeInputs writes
	peak     atomic.Int64      // largest resident size, in bytes, of a process since the kind of attack began
	jobs     []job             // the command lines that attacks disturb; nil until makeJobs makes them
	strace   bool              // whether strace can make system calls fail on this machine; set by makeJobs
}

// tempDir makes an empty directory that all users may read and enter. Its name begins with pattern.
func (g *testbed) tempDir(pattern string) (string, error) {
	dir, err := os.MkdirTemp(g.dir, pattern+"-")
	if err != nil {
		return "", err
	}
	return dir, os.Chmod(dir, 0o755)
}

// expand returns args with the directory of the inputs in place of IN.
func (g *testbed) expand(args []string) (expanded []string) {
	for _, arg := range args {
		expanded = append(expanded, strings.ReplaceAll(arg, "IN", g.inputDir))
	}
	return expanded
}

const callLimit = time.Minute

// call runs the program to its end, at most for callLimit. It sets c.Program and c.Limit.
func (g *testbed) call(ctx context.Context, c program.Call) (*program.Ending, error) {
	c.Program, c.Limit = g.scas, callLimit
	e, err := c.Run(ctx)
	if err != nil {
		return nil, err
	}
	for old := g.peak.Load(); e.Peak > old && !g.peak.CompareAndSwap(old, e.Peak); old = g.peak.Load() {
	}
	return e, nil
}

func head(s string) string {
	const limit = 2000
	if len(s) > limit {
		return s[:limit] + "..."
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

// checkEnding returns an error if a run ended in a way that is wrong for every command line: with an
// undocumented exit code, a crash, a signal, or a failure without an error message.
func checkEnding(e *program.Ending) error {
	crash := ""
	for _, text := range []string{e.Stdout, e.Stderr} {
		for _, mark := range []string{"panic:", "goroutine ", "fatal error:", "SIGSEGV", "runtime error"} {
			if strings.Contains(text, mark) {
				crash = mark
			}
		}
	}
	switch {
	case crash != "":
		return fmt.Errorf("a crash (%q): %s", crash, head(e.Stderr))
	case e.Signal != "":
		return fmt.Errorf("ended by signal %s: %s", e.Signal, head(e.Stderr))
	case e.Code != exitInterrupted && (e.Code < 0 || e.Code > exitNotConverged):
		return fmt.Errorf("exit code %d: %s", e.Code, head(e.Stderr))
	case e.Code != exitOK && !strings.Contains(e.Stderr, "scas: ") &&
		!strings.Contains(e.Stderr, `"level":"error"`):
		return fmt.Errorf("exit code %d without a word: %s", e.Code, head(e.Stderr))
	}
	return nil
}

func writeFiles(dir string, files map[string]string) error {
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
