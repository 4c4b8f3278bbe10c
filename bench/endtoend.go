package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/scas-admm/scas/bench/internal/machine"
	"github.com/scas-admm/scas/bench/internal/outer"
	"github.com/scas-admm/scas/bench/internal/output"
	"github.com/scas-admm/scas/bench/internal/shape"
	"github.com/scas-admm/scas/bench/internal/suite"
	"github.com/scas-admm/scas/bench/internal/table"
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

type endToEndCmd struct {
	Quick    bool    `help:"Fewer repetitions."`
	Eta      float64 `default:"0.5" placeholder:"F" help:"Step size (default ${default})."`
	Rho      float64 `default:"1e-4" placeholder:"F" help:"Penalty parameter (default ${default})."`
	CSV      string  `name:"csv" placeholder:"FILE" help:"Also write a CSV file."`
	Benchfmt string  `placeholder:"FILE" help:"Also write Go benchmark format."`
	Results  string  `placeholder:"DIR" help:"Write everything into a directory, as end-to-end-CPU.csv, .txt and .benchfmt."`

	rows int // of the synthetic data; set by tests
}

// Help is shown by bench end-to-end --help.
func (endToEndCmd) Help() string {
	return `Times one outer iteration (two effective passes) of scas and scas-k, on one
thread, for A = I and for a graph of 291 edges: on synthetic data of the shape of
a9a, and on a9a itself if the environment variable SCAS_DATA names a directory
with paper/a9a.zst and graphs/a9a_glasso_0.1.edges. The step size and the penalty
parameter are fixed, so that no run spends time on finding them.`
}

// Run measures and reports.
func (c *endToEndCmd) Run(e *env) error {
	jobs, missing, err := c.jobs()
	if err != nil {
		return err
	}
	r := &results{name: "end-to-end", facts: machine.Describe(e.args)}
	out := io.MultiWriter(e.stdout, &r.text)
	if err := output.Begin(out, append(r.facts.Lines(), missing...)); err != nil {
		return err
	}
	opt := outer.Options{Reps: 15, Iterations: 8}
	if c.Quick {
		opt = outer.Options{Reps: 3, Iterations: 4}
	}
	print := &table.Printer{W: out, Series: suite.Series(), Unit: "ms", Scale: 1e6}
	if err := print.Head(); err != nil {
		return err
	}
	var plans strings.Builder
	for _, j := range jobs {
		t, err := outer.Run(e.ctx, j, opt)
		if err != nil {
			return err
		}
		rows := table.Rows(t.Case, t.Series, 0, "")
		if err := print.Case(rows); err != nil {
			return err
		}
		r.rows = append(r.rows, rows...)
		fmt.Fprintf(&plans, "%s on %s: plan %s, dual updates per snapshot: %d\n", j.Method.Info().Name, j.Name, t.Plan, t.DualUpdates)
	}
	if _, err := io.WriteString(out, "\n"+plans.String()); err != nil {
		return err
	}
	return output.WriteAll(r.files(c.CSV, c.Benchfmt, c.Results))
}

// jobs returns every method on every problem, and lines that say what is not
// there.
func (c *endToEndCmd) jobs() (jobs []outer.Job, missing []string, err error) {
	sh := shape.A9A
	if c.rows > 0 {
		sh = sh.Resize(c.rows)
	}
	d := sh.Build(9)
	jobs = c.onData("a9a", d.CSR(), d.Labels, suite.RandomGraph(sh.Cols, suite.GraphEdges, 8).FusedLasso())
	dir := os.Getenv("SCAS_DATA")
	if dir == "" || c.rows > 0 {
		return jobs, []string{"missing: a9a itself; set SCAS_DATA to include it"}, nil
	}
	data, err := sparse.ReadLIBSVMFile(filepath.Join(dir, "paper", "a9a.zst"), &sparse.ReadOptions{Features: sh.Cols})
	if err != nil {
		return nil, nil, err
	}
	g, err := graph.ReadEdgesFile(filepath.Join(dir, "graphs", "a9a_glasso_0.1.edges"), sh.Cols)
	if err != nil {
		return nil, nil, err
	}
	return append(jobs, c.onData("a9a-real", data.X, data.Labels, g.FusedLasso())...), nil, nil
}

func (c *endToEndCmd) onData(name string, x *sparse.CSR, labels []float64, graph *sparse.CSR) []outer.Job {
	var jobs []outer.Job
	for _, a := range []*sparse.CSR{nil, graph} {
		suffix := "-lasso"
		if a != nil {
			suffix = "-graph"
		}
		for _, m := range []solver.Method{solver.SCAS{}, solver.SCASK{}} {
			jobs = append(jobs, outer.Job{
				Name: name + suffix, Method: m,
				Data: x, Labels: labels, A: a, Lambda: 1e-5,
				Settings: solver.Settings{Eta: c.Eta, Rho: c.Rho},
			})
		}
	}
	return jobs
}
