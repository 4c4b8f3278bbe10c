package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/scas-admm/scas/solver/dist"
	"github.com/scas-admm/scas/solver/dist/mpi"
	"github.com/scas-admm/scas/solver/internal/columns"
	"github.com/scas-admm/scas/solver/internal/pass"
	"github.com/scas-admm/scas/sparse"
)

// This file trains with ranks, processes that have the rows of DATA in parts.

// distFlags say how ranks work together.
type distFlags struct {
	Dist        string        `enum:"none,mpi" default:"none" placeholder:"mpi" help:"Train with the ranks that mpirun or srun has started, each with a part of the rows of DATA: a file of LIBSVM text or .scas, or a pattern in quotes such as 'shards/*.svm'. It needs a scas built with -tags mpi."`
	DistTimeout time.Duration `default:"10m" placeholder:"DURATION" help:"End a rank, with exit code 75, that has waited for the others for so long: one of them hangs, or cannot be reached (default ${default})."`
	Checkpoint  string        `placeholder:"FILE" help:"Keep the state there after every outer iteration, on rank 0, and go on from what is there: give it to the first launch and to every relaunch, with as many ranks or others. A run that is done removes it."`
}

// A silentError ends a rank with a code that another rank explains.
type silentError int

func (e silentError) Error() string { return pass.ErrElsewhere.Error() }

// checkDist refuses flags that ranks do not take.
func (c *trainCmd) checkDist() error {
	for _, f := range []struct {
		name, remedy string
		on           bool
	}{
		{"--intercept", "add a column of ones to the data", c.fitted()},
		{"--report", "it draws from all of the data", c.Report != ""},
		{"--class-weights", "", c.ClassWeights != "none"},
		{"--sample-weights", "", c.SampleWeights != ""},
		{"--labels", "LIBSVM text and .scas have them", c.Labels != ""},
		{"DATA -", "name files, which every rank reads its part of", c.Data == "-"},
	} {
		if f.on {
			return usagef("--dist %s takes no %s%s", c.Dist, f.name, strings.TrimSuffix(": "+f.remedy, ": "))
		}
	}
	if c.DistTimeout <= 0 {
		return usagef("--dist-timeout %v: want a time, such as 10m", c.DistTimeout)
	}
	return nil
}

// together trains with the other ranks. Rank 0 writes and reports; errors are told by the
// first rank that has one.
func (c *trainCmd) together(e *env) error {
	if err := c.checkDist(); err != nil {
		return err
	}
	open := mpi.Open
	if e.join != nil {
		open = e.join
	}
	expired := func() {
		e.log("error", fmt.Sprintf("a rank waited for the others for %v: one of them hangs or cannot be reached; relaunch the command", c.DistTimeout))
		os.Exit(exitRelaunch)
	}
	opening := time.AfterFunc(c.DistTimeout, expired)
	comm, err := open()
	if opening.Stop(); err != nil {
		return err
	}
	c.ranks.comm = dist.Watch(comm, c.DistTimeout, expired)
	c.ranks.team = pass.NewTeam(c.ranks.comm)
	own := *e
	if comm.Rank() > 0 {
		own.stdout, own.stderr = io.Discard, io.Discard
		c.Model, c.SVG = "", ""
	}
	err = c.inStep(&own)
	if has[*pass.Broken](err) { // to close would wait for who is not there
		return err
	}
	return cmp.Or(err, c.ranks.comm.Close())
}

// inStep trains, and agrees with the other ranks on how that ended.
func (c *trainCmd) inStep(e *env) (err error) {
	defer pass.Rescue(&err)
	err = c.train(e)
	if has[*pass.Broken](err) {
		return err
	}
	t, teller := c.ranks.team, c.ranks.comm.Size()
	if err != nil && err != pass.ErrElsewhere {
		teller = t.Rank()
	}
	code, first := int(t.Most(float64(exitCode(err)))), int(t.Least(float64(teller)))
	if code != exitOK && first != t.Rank() {
		return silentError(code)
	}
	return err
}

// ranks are the processes that train; zero is this one alone.
type ranks struct {
	comm dist.Comm
	team *pass.Team
}

// read reads DATA, or the part of this rank.
func (c *trainCmd) read(e *env) (*sparse.Dataset, error) {
	if c.ranks.comm == nil {
		return e.readRows(c.Data, &c.rowFlags, c.Loss, !c.fitted())
	}
	paths, err := filepath.Glob(c.Data)
	if err == nil && len(paths) == 0 {
		paths = []string{c.Data} // of which reading says what is wrong
	}
	opt := &sparse.ReadOptions{IndexBase: c.IndexBase.IndexBase, Features: int(c.Features), Strict: c.Strict}
	if c.Format != "auto" {
		opt.Format = sparse.Format(c.Format)
	}
	opt.Memory, _ = c.Memory.limit()
	data, err := await(e, func() (*sparse.Dataset, error) {
		return sparse.ReadShard(paths, c.ranks.comm.Rank(), c.ranks.comm.Size(), opt)
	})
	t := c.ranks.team
	if err = t.Agreed(err); err != nil {
		return nil, err
	}
	if count := float64(len(paths)); t.Most(count) != t.Least(count) {
		return nil, fmt.Errorf("%s: other ranks find another number of files than the %d here", c.Data, len(paths))
	}
	return data, t.Agreed(cmp.Or(c.alignColumns(data), c.alignLabels(data)))
}

// alignColumns gives the data of all ranks the same columns.
func (c *trainCmd) alignColumns(data *sparse.Dataset) error {
	t := c.ranks.team
	_, columns := data.X.Dims()
	text := data.Names == nil && !data.X.Mapped()
	zero := t.Any(text && data.Stats.IndexBase == sparse.ZeroBased) && text
	if zero && data.Stats.IndexBase == sparse.OneBased {
		columns++
	}
	columns = int(t.Most(float64(columns)))
	if c.Features > 0 && columns > int(c.Features) {
		return fmt.Errorf("%s: indices count from 0, as other ranks find, and one here is %d: it is beyond the %d features of --features", c.Data, c.Features, c.Features)
	}
	data.Rebase(zero, columns)
	return nil
}

// alignLabels makes labels of two classes −1 and +1, the same for all ranks.
func (c *trainCmd) alignLabels(data *sparse.Dataset) error {
	if !c.Loss.classifies() {
		return nil
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, b := range data.Labels {
		low, high = min(low, b), max(high, b)
	}
	m := sparse.LabelMapping{Negative: c.ranks.team.Least(low), Positive: c.ranks.team.Most(high)}
	switch {
	case m.Negative == m.Positive:
		return fmt.Errorf("%s: every label is %v: expected two classes (--loss squared takes labels as numbers)", c.Data, m.Negative)
	case c.Positive == nil:
	case c.Positive.number != nil && *c.Positive.number == m.Negative:
		m.Negative, m.Positive = m.Positive, m.Negative
	case c.Positive.number == nil || *c.Positive.number != m.Positive:
		return fmt.Errorf("%s: the label said to be positive does not occur: the labels are %v and %v", c.Data, m.Negative, m.Positive)
	}
	data.Mapping = m
	labels := make([]float64, len(data.Labels)) // of a mapped file they are only read
	for i, b := range data.Labels {
		sign, ok := m.Sign(b)
		if !ok {
			return fmt.Errorf("%s: a label %v beside %v and %v: expected two classes; keep two of them, merge some, or give --loss squared for labels that are numbers", c.Data, b, m.Negative, m.Positive)
		}
		labels[i] = sign
	}
	data.Labels = labels
	return nil
}

// wholeFacts count what all ranks have.
type wholeFacts struct {
	rows, empty int
	nnz         int64
	classes     [2]int // rows of -1 and of +1
}

// whole counts the data, those of other ranks with them.
func (r *ranks) whole(data *sparse.Dataset) wholeFacts {
	n, p := data.X.Dims()
	classes := classCounts(data)
	counts := []float64{float64(n), float64(data.X.NNZ()), float64(classes[0]), float64(classes[1])}
	r.team.Sum(counts)
	used := columns.Count(data.X, r.team.Maximum())
	return wholeFacts{int(counts[0]), p - used, int64(counts[1]), [2]int{int(counts[2]), int(counts[3])}}
}
