package outofcore

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A Limit is a control group of memory; its zero value is none.
type Limit struct{ dir string }

// NewLimit makes a group below parent, a directory of the memory controller, of version 1
// or 2 of control groups, whose processes have so many bytes, page cache included.
func NewLimit(parent string, bytes int64) (Limit, error) {
	l := Limit{filepath.Join(parent, "scas-outofcore-"+strconv.Itoa(os.Getpid()))}
	if err := os.Mkdir(l.dir, 0o755); err != nil {
		return Limit{}, err
	}
	err := l.set("memory.limit_in_bytes", bytes)
	if os.IsNotExist(err) {
		err = l.set("memory.max", bytes)
	}
	if err != nil {
		l.Close()
	}
	return l, err
}

func (l Limit) set(file string, v int64) error {
	f, err := os.OpenFile(filepath.Join(l.dir, file), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(strconv.FormatInt(v, 10))
	if closing := f.Close(); err == nil {
		err = closing
	}
	return err
}

// Close removes the group.
func (l Limit) Close() error {
	if l.dir == "" {
		return nil
	}
	return os.Remove(l.dir)
}

// A Run is a process that has ended.
type Run struct {
	Wall    time.Duration
	Peak    int64 // largest resident set, in bytes, as the system counts; 0 if it does not tell
	Command string
}

// watch returns the largest resident set of a process until it ends, and how it ends. What
// it takes in its last hundredth of a second may be missed; the usage that the system
// reports of children is no help, since it begins with that of their parent.
func watch(pid int, ended <-chan error) (peak int64, err error) {
	for {
		select {
		case err := <-ended:
			return peak, err
		case <-time.After(10 * time.Millisecond):
			peak = max(peak, residentPeak(pid))
		}
	}
}

// residentPeak returns the largest resident set of a process so far; 0 if the system does
// not tell.
func residentPeak(pid int) int64 {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	var kib int64
	_, _ = fmt.Sscan(rest, &kib)
	return kib << 10
}

// Scas runs the program within the limit, and reads the JSON object it prints into a
// value unless that is nil.
func Scas(ctx context.Context, program string, limit Limit, into any, args ...string) (*Run, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	if limit.dir != "" { // the shell goes into the group and becomes the program
		script := `echo $$ > "$0" && exec "$@"`
		cmd = exec.CommandContext(ctx, "sh", append([]string{"-c", script, filepath.Join(limit.dir, "cgroup.procs"), program}, args...)...)
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	r := &Run{Command: strings.Join(append([]string{filepath.Base(program)}, args...), " ")}
	began := time.Now()
	err := cmd.Start()
	if err == nil {
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		r.Peak, err = watch(cmd.Process.Pid, ended)
	}
	r.Wall = time.Since(began)
	if err != nil {
		return r, fmt.Errorf("%s: %w\n%s", r.Command, err, errs.String())
	}
	if into == nil {
		return r, nil
	}
	return r, json.Unmarshal(out.Bytes(), into)
}
