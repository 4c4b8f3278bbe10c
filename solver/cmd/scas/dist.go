package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/scas-admm/scas/solver/dist"
	"github.com/scas-admm/scas/solver/dist/mpi"
	"github.com/scas-admm/scas/solver/internal/rows"
)

// This file makes several processes fit one model. The processes are called ranks. Each rank has a shard of
// the rows of DATA.

type distFlags struct {
	Dist        string   `enum:"none,mpi" default:"none" placeholder:"mpi" help:"Fit together with the other processes (ranks) that mpirun or srun has started. Each reads a part of the rows of DATA: a file of LIBSVM text or .scas, or a pattern in quotes such as 'shards/*.svm'. scas must be built with -tags mpi."`
	DistTimeout duration `default:"10m" placeholder:"DURATION" help:"End with exit code 75 if the other ranks do not answer for this time (default ${default})."`
}

// A silentError is the exit code of a rank that prints no message, because another rank reports the error.
type silentError int

func (e silentError) Error() string { return rows.ErrElsewhere.Error() }

// run selects the kernels of --level, joins the other ranks if --dist is given, and calls do. The function do
// does the work of a command on file.
func (c *fitFlags) run(e *env, file string, do func(*env) error) error {
	c.file, c.stdin = file, e.stdin
	if file == "-" && c.graphFile() == "-" {
		return usagef("DATA - and --graph -: standard input can be only one of them; name a file for the other")
	}
	restore, err := c.Level.activate()
	if err != nil {
		return err
	}
	defer restore()
	if c.Dist == "none" {
		return do(e)
	}
	if err := c.checkDist(); err != nil {
		return err
	}
	return c.runOnRanks(e, do)
}

func (c *fitFlags) checkDist() error {
	for _, f := range []struct {
		name, remedy string
		given        bool
	}{
		{"--labels", "LIBSVM text and .scas have them", c.Labels != ""},
		{"--offset-column", "it is for tables; give --offset FILE", c.OffsetColumn != ""},
		{"DATA -", "name files, which every rank reads its part of", c.file == "-"},
		{"--graph -", "name a file, which every rank reads", c.graphFile() == "-"},
	} {
		if f.given {
			return usagef("--dist %s takes no %s: %s", c.Dist, f.name, f.remedy)
		}
	}
	return nil
}

// runOnRanks joins the other ranks and calls do. Only rank 0 prints results and writes files. If the other
// ranks do not answer within --dist-timeout, runOnRanks ends the process with exit code 75.
func (c *fitFlags) runOnRanks(e *env, do func(*env) error) error {
	open := mpi.Open
	if e.join != nil {
		open = e.join
	}
	abort := func() {
		e.log("error",
			fmt.Sprintf("a rank waited for the others for %v: one of them hangs or cannot be reached; relaunch the command", time.Duration(c.DistTimeout)))
		os.Exit(exitRelaunch)
	}
	openTimer := time.AfterFunc(time.Duration(c.DistTimeout), abort)
	comm, err := open()
	openTimer.Stop()
	if err != nil {
		return err
	}
	c.ranks.comm = &dist.Meter{Comm: dist.Watch(comm, time.Duration(c.DistTimeout), abort), Clock: cpuTime}
	c.ranks.team = rows.NewTeam(c.ranks.comm)
	rankEnv := *e
	if comm.Rank() > 0 {
		rankEnv.stdout, rankEnv.stderr, rankEnv.skipFiles = io.Discard, io.Discard, true
	}
	err = c.agreeOnError(&rankEnv, do)
	if hasError[*rows.Broken](err) { // no Close, which would wait for the lost rank
		return err
	}
	return cmp.Or(err, c.ranks.comm.Close())
}

// agreeOnError calls do. If ranks have errors, the lowest of these ranks returns its error, and all others
// return a silentError with the exit code of that error. If a rank is lost, agreeOnError returns a
// *rows.Broken.
func (c *fitFlags) agreeOnError(e *env, do func(*env) error) (err error) {
	defer rows.Rescue(&err)
	err = do(e)
	if hasError[*rows.Broken](err) {
		return err
	}
	t, reportingRank := c.ranks.team, c.ranks.comm.Size()
	if err != nil && !errors.Is(err, rows.ErrElsewhere) {
		reportingRank = t.Rank()
	}
	lowestRank, code := int(t.MinNumber(float64(reportingRank))), exitOK
	if lowestRank == t.Rank() {
		code = exitCode(err)
	}
	code = int(t.MaxNumber(float64(code)))
	if code != exitOK && lowestRank != t.Rank() {
		return silentError(code)
	}
	return err
}

// ranks connects this process with the other processes of a fit. The zero value is for a single process.
type ranks struct {
	comm       *dist.Meter
	team       *rows.Team
	bytesOfRow int64 // bytes that a rank keeps in memory for each row of out-of-core data
}

// solverComm returns the communicator for package solver, or nil for a single process.
func (r *ranks) solverComm() dist.Comm {
	if r.comm == nil {
		return nil
	}
	return r.comm
}

// A rankSummary has the number of ranks that fitted a model, and the messages and the time of this rank.
type rankSummary struct {
	Ranks          int     `json:"ranks"` // 1 if --dist is not given
	Messages       int     `json:"messages,omitempty"`
	Numbers        int64   `json:"message_numbers,omitempty"` // count of the numbers in all messages
	MessageSeconds float64 `json:"message_seconds,omitempty"` // for messages, with the wait for other ranks
	CPUSeconds     float64 `json:"cpu_seconds,omitempty"`     // processor time, without the time for messages
}

// traffic counts the messages of this rank so far.
func (r *ranks) traffic() (t dist.Traffic) {
	if r.comm != nil {
		t = r.comm.Traffic
	}
	return t
}

// summarySince summarises the messages and the processor time since earlier results of traffic and cpuTime.
func (r *ranks) summarySince(startTraffic dist.Traffic, startCPU time.Duration) rankSummary {
	t := r.traffic().Since(startTraffic)
	cpu := cpuTime() - startCPU - t.CPU
	return rankSummary{r.team.Size(), t.Messages, t.Numbers, t.Time.Seconds(), cpu.Seconds()}
}

func (r *rankSummary) addTo(f *summary) {
	if r.Ranks > 1 {
		f.add("ranks", "%d, each with a part of the rows; %s of %s took %.3g s",
			r.Ranks, plural(r.Messages, "message"), plural(r.Numbers, "number"), r.MessageSeconds)
	}
}
