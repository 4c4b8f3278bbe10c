package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"text/tabwriter"

	"github.com/scas-admm/scas/bench/internal/machine"
	"github.com/scas-admm/scas/bench/internal/shards"
	"github.com/scas-admm/scas/solver"
)

type shardsCmd struct {
	Data    string `required:"" placeholder:"DIR" help:"Directory of the data sets, such as that of SCAS_DATA."`
	Results string `placeholder:"DIR" help:"Write the table into a directory."`
	Most    int    `default:"256" placeholder:"N" help:"Shards up to which to simulate (default ${default})."`
}

// Help is shown by bench shards --help.
func (shardsCmd) Help() string {
	return `Cuts data sets into shards, solves them with a rank for each in this process, and
shows how many passes local loops cost as shards multiply, and what ranks send; and
the Newton steps that are left after local loops, with the processor time of both
beside that without local loops. For other times see bench ranks.`
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

// Run simulates.
func (c *shardsCmd) Run(e *env) error {
	r := &results{name: "shards", facts: machine.Describe(e.args)}
	out := io.MultiWriter(e.stdout, &r.text)
	if err := begin(out, r.facts.Lines(), nil); err != nil {
		return err
	}
	for _, set := range shardSets {
		p, err := shards.Read(filepath.Join(c.Data, "paper", set.file), set.features)
		if err != nil {
			return err
		}
		p.Penalty = solver.L1{Lambda: set.lambda}
		if err := c.simulate(e.ctx, out, set.name, p); err != nil {
			return err
		}
	}
	if c.Results == "" {
		return nil
	}
	return writeAll([]output{{r.base(c.Results) + ".txt", literal(r.text.String())}})
}

// simulate shows the gap after outer iterations of local loops, and what auto takes.
func (c *shardsCmd) simulate(ctx context.Context, out io.Writer, name string, p *solver.Problem) error {
	one, err := solver.Minimize(ctx, p, &solver.Settings{RelTol: 1e-9})
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(table, "%s\trows\tgap after 1\t2\t5\t10 outer\tmessages\tnumbers each\tauto: Newton\tmessages\tnumbers\tgap\tafter 2 outer: Newton\ttime\t10: Newton\ttime\t\n", name)
	for _, order := range []shards.Order{shards.Random, shards.Sorted} {
		for s := 1; s <= c.Most; s *= 4 {
			if order == shards.Sorted && s != 16 {
				continue
			}
			parts, err := shards.Split(p, s, order)
			if err != nil {
				return err
			}
			if err := row(ctx, table, parts, order, one.At.Objective); err != nil {
				return err
			}
		}
	}
	return table.Flush()
}

// row shows what shards cost.
func row(ctx context.Context, table io.Writer, parts []*solver.Problem, order shards.Order, optimum float64) error {
	gaps := map[int]float64{}
	_, _, err := shards.Solve(ctx, parts, solver.Settings{Method: solver.SCASK{}, OuterIterations: 10, Passes: 1e6}, func(pt *solver.Point) { gaps[pt.Outer] = pt.Last.Objective - optimum })
	if err != nil {
		return err
	}
	each, err := shards.PerIteration(ctx, parts)
	if err != nil {
		return err
	}
	began := machine.CPUSeconds()
	auto, sent, err := shards.Solve(ctx, parts, solver.Settings{}, nil)
	if err != nil {
		return err
	}
	direct := machine.CPUSeconds() - began
	fmt.Fprintf(table, "%d shards\t%s\t%.1e\t%.1e\t%.1e\t%.1e\t%d\t%d\t%d\t%d\t%d\t%.1e\t", len(parts), order, gaps[1], gaps[2], gaps[5], gaps[10],
		each.Calls, each.Numbers, auto.Stats.NewtonSteps, sent.Calls, sent.Numbers, auto.DualityGap)
	for _, iterations := range []int{2, 10} {
		if len(parts) > mostAfter {
			fmt.Fprint(table, "-\t-\t")
			continue
		}
		steps, seconds, err := after(ctx, parts, iterations)
		if err != nil {
			return err
		}
		fmt.Fprintf(table, "%d\t%.2f\t", steps, seconds/direct)
	}
	fmt.Fprintln(table)
	return nil
}

// mostAfter is how many shards start from local loops, of which each forms Hessians of up to
// 3,072 columns here.
const mostAfter = 16

// after returns the Newton steps that auto takes from the state after so many outer
// iterations of local loops, and the processor time of both.
func after(ctx context.Context, parts []*solver.Problem, iterations int) (steps int, seconds float64, err error) {
	began := machine.CPUSeconds()
	local := solver.Settings{Method: solver.SCASK{}, OuterIterations: iterations, Passes: 1e6, RelTol: -1, Unproved: true}
	res, _, err := shards.Solve(ctx, parts, local, nil)
	if err != nil {
		return 0, 0, err
	}
	start := solver.Iterate{X: res.Y, Y: res.Y, Dual: res.Dual} // y = x at the end, and has zeros
	if res, _, err = shards.Solve(ctx, parts, solver.Settings{Start: start}, nil); err != nil {
		return 0, 0, err
	}
	return res.Stats.NewtonSteps, machine.CPUSeconds() - began, nil
}
