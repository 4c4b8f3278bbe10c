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

// A faultAttack runs jobs with failing system calls, a limit on the size of files, a full standard output, or
// a read-only directory.
type faultAttack struct{ *jobs }

func beginFaults(ctx context.Context, g *testbed) (trial, error) {
	if runtime.GOOS != "linux" {
		return nil, skip("no /dev/full here")
	}
	j, err := newJobs(ctx, g)
	return faultAttack{j}.try, err
}

func (f faultAttack) try(ctx context.Context, seed uint64) (string, error) {
	rng := newRNG(seed)
	job, dir, oldFiles, err := f.prepare(rng)
	if err != nil {
		return "", err
	}
	defer remove(dir)
	c := program.Call{Dir: dir, Args: job.args}
	fault, mayLeaveTemp := "", false
	switch kind := rng.IntN(8); {
	case kind == 0:
		blocks := rng.IntN(20)
		fault = fmt.Sprintf("files of at most %d blocks", blocks)
		c.Wrapper = []string{"sh", "-c", fmt.Sprintf(`ulimit -f %d; exec "$@"`, blocks), "sh"}
	case kind == 1:
		fault, c.AsNobody = "a read-only directory", true
		if err := os.Chmod(dir, 0o555); err != nil {
			return "", err
		}
		if os.Getuid() == 0 && !f.nobodyCanReach() {
			return "", skip("the user nobody cannot reach the program")
		}
	case kind == 2:
		fault = "a full standard output"
		c.Wrapper = []string{"sh", "-c", `exec "$@" >/dev/full`, "sh"}
	case !f.strace:
		return "", skip("no strace")
	default:
		call := pick(rng, "write", "write", "fsync", "renameat", "openat", "close", "fchmod", "read", "unlinkat", "newfstatat", "flock", "getdents64", "fstat")
		errno := pick(rng, "ENOSPC", "EIO", "EINTR", "EDQUOT", "EACCES", "EMFILE", "EROFS")
		callNumber := fmt.Sprint(1 + rng.IntN(pick(rng, 2, 6, 20)))
		fault, mayLeaveTemp = call+" "+errno+" "+callNumber, call == "unlinkat"
		c.Wrapper = f.inject(call, "error="+errno, callNumber)
	}
	e, err := f.g.call(ctx, c)
	if err != nil {
		return "", fmt.Errorf("%s: %w", fault, err)
	}
	// If a system call of the Go runtime fails, the runtime may end the program.
	if strings.Contains(e.Stderr, "runtime: ") && c.Wrapper != nil && strings.Contains(fault, " E") {
		_, err := job.judge(dir, oldFiles, false, true)
		return "the runtime gave up", err
	}
	if strings.HasPrefix(fault, "write ") && e.Code == exitIO && e.Stderr == "" {
		e.Stderr = "scas: " // the error message is missing because writing it failed as well
	}
	if err := checkEnding(e); err != nil {
		return "", fmt.Errorf("%s, %v: %w", fault, job.args, err)
	}
	newOutputs, err := job.judge(dir, oldFiles, e.Code == exitOK, mayLeaveTemp)
	if err != nil {
		return "", fmt.Errorf("%s: %w (exit code %d)", fault, err, e.Code)
	}
	if e.Code != exitOK {
		return "refused", nil
	}
	return job.outcome(newOutputs), nil
}

// nobodyCanReach reports whether the user nobody may read and enter every directory above the program.
func (f faultAttack) nobodyCanReach() bool {
	for dir := filepath.Dir(f.g.scas); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err != nil || info.Mode().Perm()&0o005 != 0o005 {
			return false
		}
	}
	return true
}
