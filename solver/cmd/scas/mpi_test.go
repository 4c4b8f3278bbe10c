//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/scas-admm/scas/sparse"
)

// The tests of this file run ranks under mpirun. They are skipped unless the environment variable SCAS_MPI is
// set. Its value is the number of times that a test kills a rank, stops a rank or cuts the network.

// An mpiBed has what the tests of MPI need: the program scas in the directory dir, the path of a data file,
// and the command that starts ranks.
type mpiBed struct {
	dir, data  string
	mpirunArgs []string // mpirun and its flags
	prefix     []string // a command that runs mpirun in a network namespace; nil if mpirun runs directly
}

// watchdog is the value of --dist-timeout for jobs that the tests disturb, and patience the value for
// undisturbed jobs.
const watchdog, patience = 3 * time.Second, 2 * time.Minute

// newMPIBed builds the program. It skips the test if SCAS_MPI is not set, or if MPI or a C compiler is
// missing.
func newMPIBed(t *testing.T) *mpiBed {
	t.Helper()
	if os.Getenv("SCAS_MPI") == "" {
		t.Skip("ranks under mpirun are for make test-mpi")
	}
	if _, err := exec.LookPath("mpirun"); err != nil {
		t.Skip("no mpirun: install Open MPI (Debian: openmpi-bin libopenmpi-dev)")
	}
	b := &mpiBed{dir: t.TempDir(), mpirunArgs: []string{
		"mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "--mca",
		"mpi_yield_when_idle", "1", "-x", "GOMAXPROCS=1", "-n", "2",
	}}
	if out, err := exec.Command("go", "build", "-tags", "mpi", "-o", filepath.Join(b.dir, "scas"),
		".").CombinedOutput(); err != nil {
		t.Skipf("no headers of Open MPI, or no C compiler: %v: %s", err, out)
	}
	s := newSynthetic(t, sparse.SyntheticOptions{Rows: 6000, Features: 250, NonzerosPerRow: 20})
	b.data = writeData(t, b.dir, "data.svm", s.Dataset)
	return b
}

func (b *mpiBed) file(name string) string { return filepath.Join(b.dir, name) }

// faultCount returns how many faults a test causes: the value of SCAS_MPI.
func faultCount(t *testing.T) int {
	n, err := strconv.Atoi(os.Getenv("SCAS_MPI"))
	if err != nil || n < 1 {
		t.Fatalf("SCAS_MPI=%s: want a number of faults", os.Getenv("SCAS_MPI"))
	}
	return n
}

// A job is a running mpirun with its output.
type job struct {
	*exec.Cmd
	dir  string
	out  bytes.Buffer
	done chan error
}

// start starts scas train under mpirun. model is the path of the model to write, and distTimeout the value of
// --dist-timeout.
func (b *mpiBed) start(t *testing.T, distTimeout time.Duration, model string, args ...string) *job {
	t.Helper()
	command := append(append([]string{}, b.prefix...), b.mpirunArgs...)
	command = append(command,
		b.file("scas"), "train", "--dist", "mpi", "--dist-timeout", distTimeout.String(), "-o", model)
	if !slices.Contains(args, "--features") {
		command = append(command, "--features", "250")
	}
	command = append(command, args...)
	j := &job{dir: b.dir, Cmd: exec.Command(command[0], command[1:]...), done: make(chan error, 1)}
	j.Stdout, j.Stderr = &j.out, &j.out
	j.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := j.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { j.done <- j.Wait() }()
	return j
}

// lingerCode is the result of job.end if mpirun did not end in time, although all ranks had ended or the
// model was written.
const lingerCode = -1

// end waits for the job and returns its exit code. If the job has not ended after limit, end kills its
// processes and returns lingerCode. The test fails if a rank was still running then and the model was not
// written.
func (j *job) end(t *testing.T, limit time.Duration) int {
	t.Helper()
	select {
	case err := <-j.done:
		if exitErr := (*exec.ExitError)(nil); errors.As(err, &exitErr) {
			return exitErr.ExitCode()
		}
		return 0
	case <-time.After(limit):
	}
	hangs := len(j.rankPIDs()) > 0
	for _, pid := range j.processes("") {
		syscall.Kill(pid, syscall.SIGKILL)
	}
	<-j.done
	if hangs && !strings.Contains(j.out.String(), "model       written") {
		t.Fatalf("ranks hang: %s", &j.out)
	}
	return lingerCode
}

// trainModel runs a job without faults and returns the content of the model file that it writes.
func (b *mpiBed) trainModel(t *testing.T, args ...string) []byte {
	t.Helper()
	path := b.file("model.json")
	for try := 1; ; try++ {
		j := b.start(t, patience, path, args...)
		code := j.end(t, 2*patience)
		if code == 0 {
			break
		}
		// Soon after the network was cut, mpirun may fail to start the program. The job is then tried again.
		if unstarted := strings.Contains(j.out.String(), "ORTE was unable to reliably start"); !unstarted || try == 3 {
			t.Fatalf("exit code %d: %s", code, &j.out)
		}
	}
	m, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// rankPIDs returns the process numbers of the ranks.
func (j *job) rankPIDs() []int { return j.processes(filepath.Join(j.dir, "scas") + "\x00train") }

// processes returns the numbers of the processes whose command line begins with prefix and contains the
// directory of the test. It leaves out the process of the test itself.
func (j *job) processes(prefix string) (pids []int) {
	cmdlines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range cmdlines {
		line, _ := os.ReadFile(path)
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err == nil && pid != os.Getpid() && bytes.Contains(line, []byte(j.dir)) && bytes.HasPrefix(line, []byte(prefix)) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// TestMPISums runs the tests of package mpi on 1, 2 and 3 ranks.
func TestMPISums(t *testing.T) {
	b := newMPIBed(t)
	if out, err := exec.Command("go", "test", "-c", "-tags", "mpi", "-o", b.file("sums"),
		"../../dist/mpi").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, ranks := range []string{"1", "2", "3"} {
		command := append([]string{}, b.mpirunArgs[:len(b.mpirunArgs)-1]...)
		command = append(command, ranks, b.file("sums"), "-test.v")
		out, err := exec.Command(command[0], command[1:]...).CombinedOutput()
		if err != nil {
			t.Fatalf("%s ranks: %v: %s", ranks, err, out)
		}
		for line := range strings.Lines(string(out)) {
			if _, sumText, found := strings.Cut(line, "the sum of "); found {
				t.Logf("%s ranks: the sum of %s", ranks, strings.TrimSpace(sumText))
			}
		}
	}
}

// TestMPIBits checks that a job of one rank writes the same model file as scas without --dist, and that two
// runs of a job of two ranks write the same file.
func TestMPIBits(t *testing.T) {
	b := newMPIBed(t)
	weights := writeText(t, b.dir, "weights.txt", strings.Repeat("1\n2\n0.5\n", 2000))
	for _, flags := range []string{
		"--lambda 1e-3", "--lambda 1e-3 --no-intercept --graph chain",
		"--lambda 1e-3 --method scas-k --passes 20", "--lambda 1e-2 --loss squared --mu 0.01",
		"--lambda 1e-3 --no-standardize --class-weights balanced --offset " + weights,
		"--lambda 1e-3 --no-intercept --no-standardize --sample-weights " + weights,
	} {
		args := append(strings.Fields(flags), b.data)
		twoRanks := b.trainModel(t, args...)
		if !bytes.Equal(twoRanks, b.trainModel(t, args...)) {
			t.Errorf("%s: two ranks give other bits the second time", flags)
		}
		oneRankBed := *b
		oneRankBed.mpirunArgs = append(append([]string{}, b.mpirunArgs[:len(b.mpirunArgs)-1]...), "1")
		oneRank := oneRankBed.trainModel(t, args...)
		path := b.file("single.json")
		succeed(t, append([]string{"train", "--features", "250", "-o", path}, args...)...)
		if textOf(t, path) != string(oneRank) {
			t.Errorf("%s: one rank is not the single process", flags)
		}
	}
}

// slowFlags are flags with which a training takes seconds.
var slowFlags = strings.Fields("--lambda 1e-4 --method scas-k --tol 1e-7 --passes 2000")

// TestMPIKilled kills a rank at a random moment; see disturb.
func TestMPIKilled(t *testing.T) { newMPIBed(t).disturb(t, syscall.SIGKILL, 20*time.Second, 0) }

// TestMPIStopped stops a rank with SIGSTOP. The watchdog of the other rank must end the job.
func TestMPIStopped(t *testing.T) {
	newMPIBed(t).disturb(t, syscall.SIGSTOP, watchdog+20*time.Second, exitRelaunch)
}

// disturb starts several jobs, and sends signal to one rank of each job at a random moment. Each job must end
// within limit. code is the exit code that a failed job must have; 0 allows any code. After each job, another
// job continues from its checkpoint, and must write the same model as an undisturbed job.
func (b *mpiBed) disturb(t *testing.T, signal syscall.Signal, limit time.Duration, code int) {
	args := append(slowFlags, b.data)
	start := time.Now()
	want := b.trainModel(t, args...)
	duration := time.Since(start)
	hitJobs, jobs := 0, 0
	for ; hitJobs < faultCount(t) && jobs < 4*faultCount(t); jobs++ {
		checkpointFlags := []string{"--checkpoint", b.file(fmt.Sprintf("%d.ck", jobs))}
		model := b.file(fmt.Sprintf("%d.json", jobs))
		j := b.start(t, watchdog, model, append(checkpointFlags, args...)...)
		for len(j.rankPIDs()) < 2 && len(j.done) == 0 {
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(time.Duration(rand.Int64N(int64(duration))))
		if ranks := j.rankPIDs(); len(ranks) == 2 {
			syscall.Kill(ranks[rand.IntN(2)], signal)
			hitJobs++
		}
		got := j.end(t, limit)
		b.checkDisturbed(t, j, got, code, model, want)
		start = time.Now()
		if secondModel := b.trainModel(t, append(checkpointFlags, args...)...); !bytes.Equal(secondModel, want) {
			t.Errorf("the relaunched job has other bits")
		}
		duration = max(time.Second, min(duration, time.Since(start)))
	}
	t.Logf("%d of %d jobs were hit, of about %v each", hitJobs, jobs, duration)
}

// checkDisturbed checks that a disturbed job has written the model want, or has failed and written no other
// model. got is the result of job.end, and code is the exit code that a failed job must have. If code is 0, a
// failed job may have any exit code.
func (b *mpiBed) checkDisturbed(t *testing.T, j *job, got, code int, model string, want []byte) {
	t.Helper()
	m, err := os.ReadFile(model)
	switch {
	case (got == 0 || got == lingerCode) && bytes.Equal(m, want):
	case err == nil && !bytes.Equal(m, want):
		t.Errorf("exit code %d and a model that is wrong: %s", got, &j.out)
	case got == 0 || got != lingerCode && code != 0 && got != code:
		t.Errorf("exit code %d, want %d: %s", got, code, &j.out)
	}
}

// TestMPINetwork runs two ranks in two network namespaces, and cuts the link between them at a random moment.
// The job must not write a wrong model. A second job, from the checkpoint of the first job, must write the
// same model as an undisturbed job.
func TestMPINetwork(t *testing.T) {
	b := newMPIBed(t)
	setLink := b.separateRanks(t)
	args := append(slowFlags, b.data)
	start := time.Now()
	want := b.trainModel(t, args...)
	duration := time.Since(start)
	lingeringJobs := 0
	for k := range faultCount(t) {
		checkpointFlags := []string{"--checkpoint", b.file(fmt.Sprintf("%d.ck", k))}
		model := b.file(fmt.Sprintf("%d.json", k))
		j := b.start(t, watchdog, model, append(checkpointFlags, args...)...)
		time.Sleep(duration/3 + time.Duration(rand.Int64N(int64(duration))))
		setLink("down")
		got := j.end(t, watchdog+20*time.Second)
		if got == lingerCode {
			lingeringJobs++
		}
		b.checkDisturbed(t, j, got, 0, model, want)
		setLink("up")
		if secondModel := b.trainModel(t, append(checkpointFlags, args...)...); !bytes.Equal(secondModel, want) {
			t.Errorf("the relaunched job has other bits")
		}
	}
	t.Logf("%d jobs of %v each; of %d mpirun stayed though all ranks had ended", faultCount(t), duration, lingeringJobs)
}

// separateRanks makes a network namespace for each of two ranks, and changes b.mpirunArgs and b.prefix so
// that jobs use them. The function setLink sets the link between the two namespaces to state, "up" or "down".
func (b *mpiBed) separateRanks(t *testing.T) (setLink func(state string)) {
	t.Helper()
	id := strconv.Itoa(os.Getpid())
	namespaces := []string{"scas" + id + "a", "scas" + id + "b"}
	linkEnds := []string{"sv" + id + "a", "sv" + id + "b"}
	ip := func(args ...string) error {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		out, err := exec.CommandContext(ctx, "ip", args...).CombinedOutput()
		if err != nil {
			return fmt.Errorf("ip %s: %w: %s", strings.Join(args, " "), err, out)
		}
		return nil
	}
	t.Cleanup(func() {
		for _, name := range namespaces {
			_ = ip("netns", "del", name)
		}
	})
	var errs []error
	for _, name := range namespaces {
		errs = append(errs, ip("netns", "add", name), ip("-n", name, "link", "set", "lo", "up"))
	}
	errs = append(errs,
		ip("link", "add", linkEnds[0], "netns", namespaces[0], "type", "veth", "peer", "name", linkEnds[1],
			"netns", namespaces[1]))
	for k, name := range namespaces {
		errs = append(errs,
			ip("-n", name, "addr", "add", fmt.Sprintf("10.77.0.%d/24", k+1), "dev", linkEnds[k]),
			ip("-n", name, "link", "set", linkEnds[k], "up"))
	}
	if err := errors.Join(errs...); err != nil {
		t.Skipf("no network namespaces here: %v", err)
	}
	// mpirun runs this script in place of ssh, to start a command in the second namespace.
	agent := b.file("agent")
	script := fmt.Sprintf("#!/bin/sh\nshift\nexec ip netns exec %s unshare --uts sh -c \"hostname %s; $*\"\n",
		namespaces[1], namespaces[1])
	if err := os.WriteFile(agent, []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	b.prefix = []string{
		"ip", "netns", "exec", namespaces[0], "unshare", "--uts", "sh", "-c",
		"hostname " + namespaces[0] + "; exec \"$@\"", "sh",
	}
	b.mpirunArgs = []string{
		"mpirun", "--allow-run-as-root", "--bind-to", "none", "--host", "10.77.0.1,10.77.0.2", "-n", "2",
		"-x", "GOMAXPROCS=1", "--mca", "mpi_yield_when_idle", "1",
		"--mca", "plm_rsh_agent", agent, "--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include",
		"10.77.0.0/24", "--mca", "oob_tcp_if_include", "10.77.0.0/24",
		"--mca", "oob_tcp_keepalive_time", "2", "--mca", "oob_tcp_keepalive_intvl", "1", "--mca", "oob_tcp_keepalive_probes", "2",
	}
	return func(state string) {
		if err := ip("-n", namespaces[0], "link", "set", linkEnds[0], state); err != nil {
			t.Fatal(err)
		}
	}
}
