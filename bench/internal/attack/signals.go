package attack

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/scas-admm/scas/bench/internal/program"
)

func beginSignals(ctx context.Context, g *testbed) (trial, error) {
	if program.Signals == nil {
		return nil, skip("no signals can be sent here")
	}
	return g.trySignals, g.makeJobs(ctx)
}

var signalCalls = []string{
	"openat", "write", "fsync", "renameat", "unlinkat", "close", "fcntl", "read", "newfstatat", "flock",
	"getdents64",
}

// trySignals sends a signal to a job: at a random time or, under strace, at a chosen system call.
func (g *testbed) trySignals(ctx context.Context, seed uint64) (string, error) {
	rng := newRNG(seed)
	job, err := g.prepare(rng)
	if err != nil {
		return "", err
	}
	defer remove(job.dir)
	kind := pick(rng, "KILL", "KILL", "KILL", "TERM", "INT", "HUP", "STOP")
	c := program.Call{Dir: job.dir, Args: job.args}
	if g.strace && kind != "STOP" && chance(rng, 2) {
		call := pick(rng, signalCalls...)
		callNumber := 1 + rng.IntN(pick(rng, 3, 12))
		c.Wrapper = inject(call, "signal=SIG"+kind, callNumber)
	} else {
		delay := time.Duration(rng.Float64() * job.seconds * 1.2 * float64(time.Second))
		c.OnStart = func(p *os.Process) {
			go disturb(p, kind, delay, time.Duration(rng.IntN(30))*time.Millisecond)
		}
	}
	e, err := g.call(ctx, c)
	if err != nil {
		return "", err
	}
	killed := e.Signal != "" || e.Code > 128 && e.Code != exitInterrupted
	if !killed {
		if err := checkEnding(e); err != nil {
			return "", err
		}
	}
	// Under strace a killed program is no failure: strace sends the signal to every thread, and the second
	// signal rightly kills the program. If the program printed nothing, the signal may have arrived before
	// the program could catch signals.
	if killed && kind != "KILL" && c.Wrapper == nil && e.Stdout+e.Stderr != "" {
		return "", fmt.Errorf("SIG%s ended %v: signal %s, exit code %d: %s",
			kind, job.args, e.Signal, e.Code, head(e.Stderr))
	}
	outcome, err := job.judge(e.Code == exitOK, killed)
	if err != nil {
		return "", fmt.Errorf("SIG%s: %w", kind, err)
	}
	if killed {
		if err := g.repeatKilled(ctx, rng, job); err != nil {
			return "", fmt.Errorf("after SIG%s: %w", kind, err)
		}
	}
	return outcome, nil
}

// disturb waits for the time delay and sends the signal kind. If kind is STOP, it then waits for the time
// pause and sends CONT.
func disturb(p *os.Process, kind string, delay, pause time.Duration) {
	time.Sleep(delay)
	_ = p.Signal(program.Signals[kind]) // an error means that the process has ended
	if kind == "STOP" {
		time.Sleep(pause)
		_ = p.Signal(program.Signals["CONT"])
	}
}

// repeatKilled repeats a job whose process was killed: always if temporary files are left, otherwise by
// chance. The job must succeed and remove these files.
func (g *testbed) repeatKilled(ctx context.Context, rng *rand.Rand, j *disturbedJob) error {
	tempFiles, err := filepath.Glob(filepath.Join(j.dir, "*.tmp"))
	if err != nil || len(tempFiles) == 0 && !chance(rng, 8) {
		return err
	}
	e, err := g.call(ctx, program.Call{Dir: j.dir, Args: j.args})
	if err != nil {
		return err
	}
	if e.Code != exitOK {
		return fmt.Errorf("%v: exit code %d: %s", j.args, e.Code, head(e.Stderr))
	}
	if _, err := j.judge(true, false); err != nil {
		return fmt.Errorf("%w (%s had been left)", err, strings.Join(tempFiles, ", "))
	}
	return nil
}
