package attack

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/scas-admm/scas/bench/internal/program"
)

func beginFaults(ctx context.Context, g *testbed) (trial, error) {
	if runtime.GOOS != "linux" {
		return nil, skip("no /dev/full here")
	}
	return g.tryFaults, g.makeJobs(ctx)
}

// tryFaults runs a job with a failing system call, a limit on the size of files, a full standard output, or
// a read-only directory.
func (g *testbed) tryFaults(ctx context.Context, seed uint64) (string, error) {
	rng := newRNG(seed)
	job, err := g.prepare(rng)
	if err != nil {
		return "", err
	}
	defer remove(job.dir)
	c := program.Call{Dir: job.dir, Args: job.args}
	fault, failingCall := "", "" // the fault in words; the system call that fails, if it is one
	switch kind := rng.IntN(8); {
	case kind == 0:
		blocks := rng.IntN(20)
		fault = fmt.Sprintf("files of at most %d blocks", blocks)
		c.Wrapper = []string{"sh", "-c", fmt.Sprintf(`ulimit -f %d; exec "$@"`, blocks), "sh"}
	case kind == 1:
		fault, c.AsNobody = "a read-only directory", true
		if err := os.Chmod(job.dir, 0o555); err != nil {
			return "", err
		}
		if os.Getuid() == 0 && !g.nobodyCanReach() {
			return "", skip("the user nobody cannot reach the program")
		}
	case kind == 2:
		fault = "a full standard output"
		c.Wrapper = []string{"sh", "-c", `exec "$@" >/dev/full`, "sh"}
	case !g.strace:
		return "", skip("no strace")
	default:
		failingCall = pick(rng, "write", "write", "fsync", "renameat", "openat", "close", "fchmod", "read",
			"unlinkat", "newfstatat", "flock", "getdents64", "fstat")
		errno := pick(rng, "ENOSPC", "EIO", "EINTR", "EDQUOT", "EACCES", "EMFILE", "EROFS")
		callNumber := 1 + rng.IntN(pick(rng, 2, 6, 20))
		fault = fmt.Sprintf("%s %s %d", failingCall, errno, callNumber)
		c.Wrapper = inject(failingCall, "error="+errno, callNumber)
	}
	e, err := g.call(ctx, c)
	if err != nil {
		return "", fmt.Errorf("%s: %w", fault, err)
	}
	// If a system call of the Go runtime fails, the runtime may end the program.
	if failingCall != "" && strings.Contains(e.Stderr, "runtime: ") {
		_, err := job.judge(false, true)
		return "the runtime gave up", err
	}
	if failingCall == "write" && e.Code == exitIO && e.Stderr == "" {
		e.Stderr = "scas: " // the error message is missing because writing it failed as well
	}
	if err := checkEnding(e); err != nil {
		return "", fmt.Errorf("%s, %v: %w", fault, job.args, err)
	}
	outcome, err := job.judge(e.Code == exitOK, failingCall == "unlinkat")
	if err != nil {
		return "", fmt.Errorf("%s: %w (exit code %d)", fault, err, e.Code)
	}
	if e.Code != exitOK {
		return "refused", nil
	}
	return outcome, nil
}

// nobodyCanReach reports whether the user nobody may read and enter every directory above the program.
func (g *testbed) nobodyCanReach() bool {
	for dir := filepath.Dir(g.scas); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err != nil || info.Mode().Perm()&0o005 != 0o005 {
			return false
		}
	}
	return true
}
