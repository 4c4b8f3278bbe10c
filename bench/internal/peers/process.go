package peers

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/scas-admm/scas/bench/internal/program"
)

// loadLimit is the time that a peer has to load a problem.
const loadLimit = 3 * time.Minute

// oneThread has environment variables that limit peers to one thread. The last variable keeps Python from
// writing compiled files.
var oneThread = []string{
	"OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1", "MKL_NUM_THREADS=1", "BLIS_NUM_THREADS=1",
	"NUMEXPR_NUM_THREADS=1", "GOMAXPROCS=1",
	"PYTHONDONTWRITEBYTECODE=1",
}

// Command returns a peer that runs as a separate process. args are the program and its arguments, to which
// the problem's directory is added. The process reads requests from its standard input; bench/README.md
// describes the protocol. defaultTol is the peer's default tolerance, or 0 if unknown.
func Command(name string, args []string, defaultTol float64) Peer {
	open := func(ctx context.Context, h *Handover) (*Session, error) {
		return start(ctx, slices.Concat(args, []string{h.Dir}), h)
	}
	return Peer{Name: name, DefaultTol: defaultTol, Open: open}
}

// ParseCommand returns the peer for a value of the flag --peer. The value has the form
// 'name=command arguments'.
func ParseCommand(text string) (Peer, error) {
	name, command, ok := strings.Cut(text, "=")
	args := strings.Fields(command)
	name = strings.TrimSpace(name)
	if !ok || name == "" || len(args) == 0 {
		return Peer{}, fmt.Errorf("peers: --peer %q: want 'name=command arguments'", text)
	}
	if _, err := exec.LookPath(args[0]); err != nil {
		return Peer{}, fmt.Errorf("peers: --peer %s: %w", name, err)
	}
	return Command(name, args, 0), nil
}

// start starts a command, and waits until the new process has loaded the problem.
func start(ctx context.Context, command []string, h *Handover) (*Session, error) {
	p := &process{h: h, lines: make(chan string)}
	p.Solve, p.Close = p.solve, p.close
	ctx, p.cancel = context.WithCancel(ctx)
	p.cmd = exec.CommandContext(ctx, command[0], command[1:]...)
	p.cmd.Env = append(os.Environ(), oneThread...)
	p.cmd.Stderr = &p.stderr
	p.cmd.WaitDelay = time.Second
	program.Isolate(p.cmd) // the command may be a script that starts other processes
	out, err := p.cmd.StdoutPipe()
	if err == nil {
		p.stdin, err = p.cmd.StdinPipe()
	}
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		p.cancel()
		return nil, err
	}
	go p.read(ctx, out)
	loadCtx, cancel := context.WithTimeout(ctx, loadLimit)
	defer cancel()
	if err := p.greet(loadCtx); err != nil {
		p.Close()
		return nil, err
	}
	return &p.Session, nil
}

type process struct {
	Session
	h      *Handover
	cmd    *exec.Cmd
	cancel context.CancelFunc
	stdin  io.WriteCloser
	lines  chan string  // the lines of the standard output; closed after the end of the process
	stderr bytes.Buffer // the standard error; not read before lines is closed
}

// read sends the lines of the output to p.lines, and closes p.lines after the end of the process. When it
// closes p.lines, p.stderr is complete.
func (p *process) read(ctx context.Context, out io.Reader) {
	defer close(p.lines)
	defer p.cmd.Wait() // the error is ignored, because the output of the process says more
	r := bufio.NewReader(out)
	for err := error(nil); err == nil; {
		var line string
		line, err = r.ReadString('\n')
		select {
		case p.lines <- line:
		case <-ctx.Done():
		}
	}
}

// awaitWord waits for a line that begins with one of the given words, and ignores the lines before it. It
// returns the word and the text after it.
func (p *process) awaitWord(ctx context.Context, words ...string) (word, text string, err error) {
	for {
		select {
		case <-ctx.Done():
			return "", "", context.Cause(ctx)
		case line, ok := <-p.lines:
			if !ok {
				text := strings.TrimSpace(p.stderr.String())
				return "", "", fmt.Errorf("it ended: %s", text[strings.LastIndexByte(text, '\n')+1:])
			}
			word, text, _ = strings.Cut(strings.TrimSpace(line), " ")
			if slices.Contains(words, word) {
				return word, strings.TrimSpace(text), nil
			}
		}
	}
}

// greet waits for the line "ready FROM TO VERSION" and stores its values. If the line is "unable REASON"
// instead, the error is an Unable.
func (p *process) greet(ctx context.Context) error {
	word, text, err := p.awaitWord(ctx, "ready", "unable")
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("not ready after %v", loadLimit)
	}
	if err != nil {
		return err
	}
	if word == "unable" {
		return Unable(text)
	}
	fields := strings.Fields(text)
	if len(fields) < 2 {
		return fmt.Errorf("%q instead of ready FROM TO VERSION", text)
	}
	p.Loosest, err = strconv.ParseFloat(fields[0], 64)
	if err == nil {
		p.Tightest, err = strconv.ParseFloat(fields[1], 64)
	}
	if err != nil || !(p.Loosest >= p.Tightest) || !(p.Tightest > 0) {
		return fmt.Errorf("ready %s: want a loosest and a tightest tolerance above 0", text)
	}
	p.Version = strings.Join(fields[2:], " ")
	return nil
}

// patience is the limit of an answer's elapsed time divided by the limit of its processor time. It is above 1
// because the machine may have other work.
const patience = 10

// watch calls end if cpuSeconds, a number of seconds of processor time, grows by more than limit from now on,
// or if more than patience times limit of time passes. It returns when ctx is done.
func watch(ctx context.Context, cpuSeconds func() float64, limit time.Duration, end context.CancelCauseFunc) {
	startCPU, start := cpuSeconds(), time.Now()
	tick := time.NewTicker(max(time.Millisecond, limit/20))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if cpuSeconds()-startCPU > limit.Seconds() || time.Since(start) > patience*limit {
			end(context.DeadlineExceeded)
		}
	}
}

// cpuOfGroup returns the processor seconds of the processes of a group, and of those of their children that
// have ended. It returns 0 if they are not known. They are known only on Linux.
func cpuOfGroup(group int) float64 {
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return 0
	}
	ticks := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // the process has ended
		}
		// The fields of stat from the third on; the name before them may contain blanks.
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		if len(fields) < 15 || fields[2] != strconv.Itoa(group) {
			continue
		}
		for _, f := range fields[11:15] { // utime, stime, cutime and cstime
			n, err := strconv.Atoi(f)
			if err != nil {
				return 0
			}
			ticks += n
		}
	}
	return float64(ticks) / 100
}

func (p *process) solve(ctx context.Context, tol float64, limit time.Duration) (*Answer, error) {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	go watch(ctx, func() float64 { return cpuOfGroup(p.cmd.Process.Pid) }, limit, end)
	for _, name := range answers { // so that no file of an earlier answer is read
		_ = os.Remove(filepath.Join(p.h.Dir, name))
	}
	_, _ = fmt.Fprintf(p.stdin, "fit %g\n", tol) // if the process has ended, awaitWord returns the error
	word, text, err := p.awaitWord(ctx, "done", "failed")
	if err != nil {
		return nil, err
	}
	if word == "failed" {
		return nil, errors.New(text)
	}
	a := &Answer{ProvedGap: math.NaN()}
	destinations := []*float64{&a.CPU, &a.Wall, &a.ProvedGap}
	fields := strings.Fields(text)
	for k, field := range fields[:min(len(fields), len(destinations))] {
		*destinations[k], err = strconv.ParseFloat(field, 64)
		if err != nil {
			return nil, fmt.Errorf("done %s: %w", text, err)
		}
	}
	if len(fields) < 2 {
		return nil, fmt.Errorf("%q instead of done CPU WALL", text)
	}
	return a, p.readAnswer(a)
}

// answers are the names of the files that a peer may write as its answer: the solutions as text (x) or in
// binary (x.f64) and, for the task CV, the mean loss for each lambda (curve).
var answers = []string{"x", "x.f64", "curve"}

func (p *process) readAnswer(a *Answer) error {
	numbers, err := readBinary(filepath.Join(p.h.Dir, "x.f64"))
	if errors.Is(err, fs.ErrNotExist) {
		numbers, err = readNumbers(filepath.Join(p.h.Dir, "x"))
	}
	if err != nil {
		return err
	}
	a.X, err = p.h.Split(numbers)
	if err != nil || p.h.Task != CV {
		return err
	}
	a.CVLosses, err = readNumbers(filepath.Join(p.h.Dir, "curve"))
	if err == nil && len(a.CVLosses) != len(p.h.Lambdas) {
		err = fmt.Errorf("%d numbers in its curve for %d lambdas", len(a.CVLosses), len(p.h.Lambdas))
	}
	return err
}

func readBinary(path string) ([]float64, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	numbers := make([]float64, len(data)/8)
	_, err = binary.Decode(data, binary.LittleEndian, numbers)
	return numbers, err
}

func (p *process) close() {
	_ = p.stdin.Close() // the process should exit at the end of its input; it is killed after a second
	waiting := time.AfterFunc(time.Second, p.cancel)
	defer waiting.Stop()
	for range p.lines {
	}
	p.cancel()
}

func readNumbers(path string) ([]float64, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var numbers []float64
	for field := range bytes.FieldsSeq(text) {
		v, err := strconv.ParseFloat(string(field), 64)
		if err != nil {
			return nil, err
		}
		numbers = append(numbers, v)
	}
	return numbers, nil
}
