package scaling

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// A Run has the costs of a process that has ended.
type Run struct {
	CPU  time.Duration // user and system time
	Peak int64         // largest resident size in bytes; 0 if the system does not report it
}

// Include sets r to the smaller processor time and the larger peak of r and other.
func (r *Run) Include(other Run) {
	if r.CPU == 0 || other.CPU < r.CPU {
		r.CPU = other.CPU
	}
	r.Peak = max(r.Peak, other.Peak)
}

// Scas runs the program with the given arguments. It decodes the JSON object that the program prints into
// the variable to which into points.
func Scas(ctx context.Context, program string, into any, args ...string) (r Run, err error) {
	cmd := exec.CommandContext(ctx, program, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		return r, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for running := true; running; {
		select {
		case err = <-ended:
			running = false
		case <-time.After(10 * time.Millisecond):
			r.Peak = max(r.Peak, residentPeak(cmd.Process.Pid))
		}
	}
	if err != nil {
		return r, fmt.Errorf("%s %s: %w\n%s", filepath.Base(program), strings.Join(args, " "), err, errs.String())
	}
	r.CPU = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return r, json.Unmarshal(out.Bytes(), into)
}

// residentPeak returns the largest resident size of a process so far, or 0 if the system does not
// report it. The usage that the system reports for an ended child is no use: it starts at the size
// of the parent.
func residentPeak(pid int) int64 {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	var kib int64
	_, _ = fmt.Sscan(rest, &kib)
	return kib << 10
}
