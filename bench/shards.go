package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"runtime"
	"text/tabwriter"
	"time"

	"github.com/scas-admm/scas/bench/internal/chart"
	"github.com/scas-admm/scas/bench/internal/machine"
	"github.com/scas-admm/scas/bench/internal/shards"
	"github.com/scas-admm/scas/solver"
)

type shardsCmd struct {
	Data    string  `required:"" placeholder:"DIR" help:"Directory of the data sets, such as that of SCAS_DATA."`
	Results string  `placeholder:"DIR" help:"Write table and figure into a directory."`
	Most    int     `default:"256" placeholder:"N" help:"Shards up to which to simulate (default ${default})."`
	Bytes   float64 `default:"1e9" placeholder:"F" help:"Bytes a second that a rank sends and receives (default ${default}; make test-mpi measures sums)."`
	Latency float64 `default:"1e-5" placeholder:"F" help:"Seconds of a message (default ${default})."`
}

// Help is shown by bench shards --help.
func (shardsCmd) Help() string {
	return `Cuts data sets into shards, solves them with a rank for each in this process, and
shows how many passes local loops cost as shards multiply, and what ranks send.
From what a nonzero takes here, and a network as the flags say, it predicts what
10^9 rows of 10^7 features take on 8 to 1,024 ranks.`
}

// shardSets are the data sets with the lambda.
var shardSets = []struct {
	name, file string
	features   int
	lambda     float64
}{
	{"a9a", "a9a.zst", 123, 1e-5},
	{"covtype", "covtype.libsvm.binary.scale.zst", 54, 1e-5},
	{"rcv1", "rcv1v2_binary_train.libsvm.zst", 47236, 1e-4},
}

// Run simulates and predicts.
func (c *shardsCmd) Run(e *env) error {
	r := &results{name: "shards", facts: machine.Describe(e.args)}
	out := io.MultiWriter(e.stdout, &r.text)
	if err := begin(out, r.facts.Lines(), nil); err != nil {
		return err
	}
	costs := shards.Costs{Bytes: c.Bytes, Latency: c.Latency}
	for _, set := range shardSets {
		p, err := shards.Read(filepath.Join(c.Data, "paper", set.file), set.features)
		if err != nil {
			return err
		}
		p.Penalty = solver.L1{Lambda: set.lambda}
		if err := c.simulate(e.ctx, out, set.name, p); err != nil {
			return err
		}
		if set.name == "covtype" {
			if err := measureCosts(e.ctx, p, &costs); err != nil {
				return err
			}
		}
	}
	lines := predict(out, costs)
	if c.Results == "" {
		return nil
	}
	base := r.base(c.Results)
	return writeAll([]output{{base + ".txt", literal(r.text.String())}, {base + ".svg", func(w io.Writer) error {
		return chart.LogLog(w, "1e9 rows of 1e7 features to a proved 1e-6", "ranks", "seconds", lines)
	}}})
}

// simulate shows the gap after outer iterations of local loops, and what auto takes.
func (c *shardsCmd) simulate(ctx context.Context, out io.Writer, name string, p *solver.Problem) error {
	one, err := solver.Minimize(ctx, p, &solver.Settings{RelTol: 1e-9})
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(table, "%s\trows\tgap after 1\t2\t5\t10 outer\tmessages\tnumbers each\tauto: Newton\tmessages\tnumbers\tgap\t\n", name)
	for _, order := range []shards.Order{shards.Random, shards.Sorted} {
		for s := 1; s <= c.Most; s *= 4 {
			if order == shards.Sorted && s != 16 {
				continue
			}
			parts, err := shards.Split(p, s, order)
			if err != nil {
				return err
			}
			gaps := map[int]float64{}
			_, _, err = shards.Solve(ctx, parts, solver.Settings{Method: solver.SCASK{}, OuterIterations: 10, Passes: 1e6}, func(pt *solver.Point) { gaps[pt.Outer] = pt.Last.Objective - one.At.Objective })
			if err != nil {
				return err
			}
			each, err := shards.PerIteration(ctx, parts)
			if err != nil {
				return err
			}
			auto, sent, err := shards.Solve(ctx, parts, solver.Settings{}, nil)
			if err != nil {
				return err
			}
			fmt.Fprintf(table, "%d shards\t%s\t%.1e\t%.1e\t%.1e\t%.1e\t%d\t%d\t%d\t%d\t%d\t%.1e\t\n", s, order, gaps[1], gaps[2], gaps[5], gaps[10],
				each.Calls, each.Numbers, auto.Stats.NewtonSteps, sent.Calls, sent.Numbers, auto.DualityGap)
		}
	}
	return table.Flush()
}

// measureCosts times passes and steps of one thread, each the least of some.
func measureCosts(ctx context.Context, p *solver.Problem, c *shards.Costs) error {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	nonzeros, pass := float64(p.Data.NNZ()), math.Inf(1)
	seconds := map[int]float64{1: math.Inf(1), 5: math.Inf(1)} // of so many outer iterations
	_, features := p.Data.Dims()
	for range 7 {
		began := time.Now()
		p.Evaluate(make([]float64, features))
		pass = min(pass, time.Since(began).Seconds())
		for n := range seconds {
			res, err := solver.Minimize(ctx, p, &solver.Settings{Method: solver.SCASK{}, OuterIterations: n, Passes: 1e6, Threads: 1})
			if err != nil {
				return err
			}
			seconds[n] = min(seconds[n], res.Stats.Seconds)
		}
	}
	c.Gradient = 2 * pass / nonzeros // margins are half of it
	c.Step = (seconds[5]-seconds[1])/4/nonzeros - c.Gradient
	c.Product = c.Gradient / 4 // assumed: of a Hessian that caches hold
	return nil
}

// predict shows what a problem of 10⁹ rows takes, and returns it as lines.
func predict(out io.Writer, costs shards.Costs) []chart.Line {
	job := shards.Job{Rows: 1e9, Features: 1e7, PerRow: 100, InSet: 10, Working: 3000, Newton: 8, Path: 6}
	local := job
	local.Outer = 2
	fmt.Fprintf(out, "\n%.2g ns a nonzero of a gradient, %.2g of steps; %.2g GB/s, %.2g us a message\n", 1e9*costs.Gradient, 1e9*costs.Step, costs.Bytes/1e9, 1e6*costs.Latency)
	fmt.Fprintf(out, "1e9 rows of 1e7 features, 100 nonzeros a row, %.0f Newton steps on 3,000 columns and %.0f on few; seconds\n", job.Newton, job.Path)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "ranks\tcomputing\tcommunicating\ttotal\tpasses\twith 2 outer iterations more\t")
	lines := []chart.Line{{Name: "computing"}, {Name: "communicating", Group: 1}, {Name: "total", Group: 2}}
	for ranks := 8.0; ranks <= 1024; ranks *= 2 {
		t := costs.Predict(job, ranks)
		fmt.Fprintf(table, "%.0f\t%.3g\t%.3g\t%.3g\t%.0f\t%.3g\t\n", ranks, t.Computing, t.Communicating, t.Total(), 3*job.Newton+job.Path, costs.Predict(local, ranks).Total())
		for k, v := range []float64{t.Computing, t.Communicating, t.Total()} {
			lines[k].X, lines[k].Gap = append(lines[k].X, ranks), append(lines[k].Gap, v)
		}
	}
	table.Flush()
	return lines
}
