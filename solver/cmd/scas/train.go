package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

type trainCmd struct {
	Data string `arg:"" name:"DATA" help:"LIBSVM file, plain or compressed (gzip, bzip2, xz, zstd), or - for standard input."`

	Loss   string      `enum:"logistic,squared" default:"logistic" help:"logistic, for two classes, or squared, for real-valued labels: (label - margin)^2, without a factor 1/2."`
	Lambda notNegative `default:"1e-4" placeholder:"F" help:"Weight of the penalty |A x|_1, beside the mean loss (default ${default})."`
	Mu     notNegative `default:"0" placeholder:"F" help:"Adds (mu/2)|x|^2 (default ${default})."`
	Graph  string      `default:"none" placeholder:"none|chain|FILE" help:"none: A = I, the plain lasso. chain: neighbouring features are joined. FILE: a list of edges 'i j [weight]', counted from 1, for A = [G; I], or a matrix file 'rows cols nnz' ... read as A itself (default ${default})."`
	Domain domain      `placeholder:"box:LO,HI|ball:R" help:"Confine the coefficients to a box or a ball."`

	Method      string   `enum:"auto,scas-k,scas,scas-strong" default:"auto" help:"scas-k: SCAS-ADMM with K dual updates per snapshot; scas, scas-strong: Algorithms 1 and 2 of the paper; auto is scas-k."`
	DualUpdates count    `placeholder:"K" help:"Dual updates per snapshot of scas-k (default: from the data)."`
	Passes      positive `default:"100" placeholder:"N" help:"Budget in effective passes over the data (default ${default})."`
	Eta         auto     `default:"auto" placeholder:"F|auto" help:"Step size (default ${default})."`
	Rho         auto     `default:"auto" placeholder:"F|auto" help:"Penalty parameter of the augmented Lagrangian (default ${default})."`
	Seed        uint64   `default:"0" placeholder:"N" help:"Seed of the sampling; equal seeds give equal models (default ${default})."`

	Features  count     `placeholder:"P" help:"Number of features (default: the largest index in DATA)."`
	IndexBase indexBase `default:"auto" placeholder:"auto|0|1" help:"Number of the first feature; auto: 0 if index 0 occurs (default ${default})."`
	Positive  *label    `placeholder:"LABEL" help:"Label of the positive class (default: the larger)."`
	Strict    bool      `help:"Refuse rows whose indices are not increasing, instead of sorting them."`

	Model   string `short:"o" placeholder:"FILE" help:"Write the model there."`
	Output  string `enum:"last,average" default:"last" help:"Which iterate the model holds: last, or the average of the paper's theorems."`
	JSON    bool   `name:"json" help:"Print the result as one JSON object."`
	Threads count  `placeholder:"N" help:"Goroutines for the passes over the data (default: one per CPU). Any number gives the same bits."`
	Level   level  `placeholder:"L" help:"Kernel level: generic, avx2 or avx512 (default: the best one). All give the same bits."`
}

// Help is shown by scas train --help.
func (trainCmd) Help() string {
	return `Examples:

    scas train --lambda 1e-5 --features 123 -o a9a.json a9a.zst
    scas train --graph edges.txt --lambda 1e-3 -o fused.json train.svm
    scas train --loss squared --graph chain --passes 200 signal.svm
    zcat data.gz | scas train --json -

The table or the JSON object goes to standard output, progress and warnings to
standard error. A run that fails or is interrupted writes no model and leaves an
existing one alone.

Exit codes: 0 done, 1 cannot read or write (malformed input included), 2 wrong
usage, 3 diverged or a number in the input is not finite, 130 interrupted.`
}

// Run trains.
func (c *trainCmd) Run(e *env) error {
	restore, err := c.Level.use()
	if err != nil {
		return err
	}
	defer restore()
	if c.Model != "" {
		if err := checkWritable(c.Model); err != nil {
			return err
		}
	}
	start := time.Now()
	data, err := c.read(e)
	if err != nil {
		return err
	}
	prob, gf, err := c.problem(data)
	if err != nil {
		return err
	}
	readSeconds := time.Since(start).Seconds()

	settings := c.settings()
	clear := e.showProgress(settings)
	res, err := solver.Minimize(e.ctx, prob, settings)
	clear()
	if err := e.interrupted(err, "no model written"); res == nil || err != nil && e.ctx.Err() != nil {
		return err
	}
	r := newTrainReport(c, data, gf, res)
	r.ReadSeconds = readSeconds
	if err == nil && c.Model != "" {
		if err := writeFile(c.Model, r.model.encode); err != nil {
			return err
		}
		r.Model = c.Model
	}
	if printErr := r.print(e, c.JSON); err == nil {
		err = printErr
	}
	return err
}

func (c *trainCmd) read(e *env) (*sparse.Dataset, error) {
	opt := &sparse.ReadOptions{
		IndexBase: c.IndexBase.IndexBase, Features: int(c.Features), Strict: c.Strict,
		Regression: c.Loss == solver.Squared{}.String(),
	}
	if c.Positive != nil {
		if opt.Regression {
			return nil, usagef("--positive is for two classes; --loss squared takes labels as numbers")
		}
		opt.Positive = (*float64)(c.Positive)
	}
	data, err := e.readData(c.Data, opt)
	if err == nil && data.Stats.SortedRows > 0 {
		e.warn("%s had indices out of order and were sorted (--strict refuses them)", plural(data.Stats.SortedRows, "row"))
	}
	return data, err
}

// problem builds the problem of the flags on data.
func (c *trainCmd) problem(data *sparse.Dataset) (*solver.Problem, graphFacts, error) {
	loss, err := solver.ParseLoss(c.Loss)
	if err != nil {
		return nil, graphFacts{}, usage(err)
	}
	_, p := data.X.Dims()
	prob := &solver.Problem{
		Data: data.X, Labels: data.Labels, Loss: loss, L2: float64(c.Mu),
		Penalty: solver.L1{Lambda: float64(c.Lambda)}, Domain: c.Domain.domain(p),
	}
	gf := graphFacts{Kind: c.Graph, Rows: p}
	switch c.Graph {
	case "none":
	case "chain":
		g := graph.Chain(p)
		prob.Constraint, gf.Edges = g.FusedLasso(), len(g.Edges())
	default:
		con, err := graph.ReadConstraintFile(c.Graph, p)
		if err != nil {
			return nil, gf, err
		}
		prob.Constraint = con.A
		gf.Kind, gf.File = string(con.Kind), filepath.Base(c.Graph)
		if con.Graph != nil {
			gf.Edges = len(con.Graph.Edges())
		}
	}
	if prob.Constraint != nil {
		gf.Rows, _ = prob.Constraint.Dims()
	}
	return prob, gf, nil
}

func (c *trainCmd) settings() *solver.Settings {
	s := &solver.Settings{
		DualUpdates: int(c.DualUpdates), Passes: float64(c.Passes),
		Eta: float64(c.Eta), Rho: float64(c.Rho), Seed: c.Seed, Threads: int(c.Threads),
	}
	if c.Method != "auto" {
		s.Method = solver.Method(c.Method)
	}
	return s
}

// showProgress keeps one line of progress on a terminal, and returns what
// removes it.
func (e *env) showProgress(s *solver.Settings) (clear func()) {
	if !e.terminal || e.jsonLog {
		return func() {}
	}
	// A record costs about as much as an outer iteration: show some twenty.
	s.RecordEvery = max(1, int(s.Passes/40))
	s.Recorder = solver.RecorderFunc(func(p *solver.Point) error {
		_, err := fmt.Fprintf(e.stderr, "\rpass %.0f of %.0f   objective %.8g   ", p.Passes, s.Passes, p.Last.Objective)
		return err
	})
	return func() { _, _ = io.WriteString(e.stderr, "\r"+strings.Repeat(" ", 60)+"\r") }
}

// activeLevel names the kernels in use.
func activeLevel() string { return kernels.Active().String() }
